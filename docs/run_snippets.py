"""Compiles and runs what the pages of docs/ and the chapters of the C header show.

    make examples
    python3 docs/run_snippets.py [--prefix INSTALLED]

A block that has `main` is a program. The other blocks of a page become one program, each a function of its own, in which
`rank` and `size` (C) or `world` (C++) are known; in C, ANYCCL_CHECK is that of c-examples/common/check.h. What a page
claims about a block, but need not show, stands behind it as a comment of HTML:

    <!-- holds: recv[0] == 6 -->

In a chapter of the header, a block stands between \\code{.c} and \\endcode.

Each program runs on 1, 2 and 3 ranks, or on those of `<!-- ranks: 4 -->`.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
PAGES = sorted(DOCS.glob("api/*.md")) + sorted(DOCS.glob("from-*.md")) + sorted(ROOT.glob("include/anyccl/*.h"))
BLOCK = re.compile(r"^```(c|cpp)\n(.*?)^```$(?:\s*<!-- holds: (.*?) -->)?", re.MULTILINE | re.DOTALL)
SECONDS = 60

C_HEAD = """\
#include <assert.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/check.h"
static int rank, size;
"""
C_FUNCTION = """
static int snippet_{number}(void)
{{
{body}
    if (!({holds})) {{ fprintf(stderr, "block {number}: does not hold on rank %d\\n", rank); return EXIT_FAILURE; }}
    return 0;
}}
"""
C_MAIN = """
int main(void)
{{
    ANYCCL_CHECK(anyccl_init());
    ANYCCL_CHECK(anyccl_rank(&rank));
    ANYCCL_CHECK(anyccl_world_size(&size));
{calls}
    ANYCCL_CHECK(anyccl_finalize());
    return 0;
}}
"""
CPP_HEAD = """\
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <anyccl/anyccl.hpp>
"""
CPP_FUNCTION = """
static int snippet_{number}([[maybe_unused]] const anyccl::world& world)
{{
{body}
    if (!({holds})) {{ std::fprintf(stderr, "block {number}: does not hold\\n"); return EXIT_FAILURE; }}
    return 0;
}}
"""
CPP_MAIN = """
int main()
{{
    const auto world = anyccl::world::join();
{calls}
    return 0;
}}
"""


def text_of(page):
    """What a page says, as Markdown."""
    text = page.read_text(encoding="utf-8")
    if page.suffix != ".h":
        return text
    comments = "\n".join(re.findall(r"^ \* ?(.*)", text, re.MULTILINE))
    return re.sub(r"^\\endcode$", "```", re.sub(r"^\\code\{\.c\}$", "```c", comments, flags=re.MULTILINE), flags=re.MULTILINE)


def programs(page):
    """(name, language, source) of what a page shows."""
    text = text_of(page)
    loose = {"c": [], "cpp": []}
    for number, (language, body, holds) in enumerate(BLOCK.findall(text), 1):
        if re.search(r"\bmain\(", body):
            yield f"{page.stem}-{number}", language, body
        else:
            loose[language].append((number, body, holds or "1"))
    for language, head, function, main, arguments in (
        ("c", C_HEAD, C_FUNCTION, C_MAIN, ""),
        ("cpp", CPP_HEAD, CPP_FUNCTION, CPP_MAIN, "world"),
    ):
        if blocks := loose[language]:
            functions = [function.format(number=n, body=body, holds=holds) for n, body, holds in blocks]
            calls = [f"    if (snippet_{n}({arguments}) != 0)\n        return EXIT_FAILURE;" for n, _, _ in blocks]
            yield f"{page.stem}-{language}", language, head + "".join(functions) + main.format(calls="\n".join(calls))


def build(name, language, source, prefix, folder):
    """Compiles a program; answers where it lies, or what is wrong with it."""
    file, program = folder / f"{name}.{language}", folder / name
    file.write_text(source, encoding="utf-8")
    compiler, standard = {"c": ("CC", "c11"), "cpp": ("CXX", "c++17")}[language]
    # Snippets show calls; what becomes of the results is the reader's business.
    options = [f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-Wno-unused-variable", "-Wno-unused-but-set-variable",
               "-Wno-misleading-indentation"]
    library = prefix / "lib"
    command = [os.environ.get(compiler, {"c": "cc", "cpp": "c++"}[language]), *options, str(file), "-o", str(program),
               f"-I{ROOT / 'c-examples'}", f"-I{prefix / 'include'}", f"-L{library}", f"-Wl,-rpath,{library}", "-lanyccl"]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return program, done.stdout if done.returncode else None


def run(program, ranks, prefix):
    """Runs a program; answers what is wrong, or None."""
    command = [str(prefix / "bin" / "anyccl"), "run", "-n", str(ranks), str(program)]
    try:
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS,
                              cwd=program.parent)
    except subprocess.TimeoutExpired:
        return f"not finished after {SECONDS} s"
    return f"exit status {done.returncode}:\n{done.stdout}" if done.returncode else None


def broken_links(page):
    """The files that a page refers to and that are not there."""
    links = re.findall(r"\]\(([^)#\s]+)", text_of(page))
    return [link for link in links if "://" not in link and not (page.parent / link).exists()]


def unknown_names(page, known):
    """The names of ours that a page uses and that are neither in the header nor variables."""
    names = re.findall(r"\b(?:anyccl|ANYCCL)_\w+", text_of(page))
    return sorted({name for name in names if not re.search(rf"\b{name}\b", known)})


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--prefix", type=Path, default=ROOT / "target" / "demo-prefix", help="where anyccl is installed")
    parser.add_argument("pages", nargs="*", type=Path, help="only these (all)")
    options = parser.parse_args()
    prefix, passed, failed = options.prefix.resolve(), 0, 0
    # Of which names the pages may speak.
    sources = [*(prefix / "include" / "anyccl").glob("**/*.h*"),
               DOCS / "environment.md", ROOT / "c-examples" / "common" / "check.h"]
    known = "\n".join(source.read_text(encoding="utf-8") for source in sources)

    def tell(name, wrong):
        nonlocal passed, failed
        passed, failed = passed + (not wrong), failed + bool(wrong)
        print(f"FAILED  {name}: {wrong}" if wrong else f"ok      {name}", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for page in options.pages or PAGES:
            tell(f"links of {page.name}", ", ".join(broken_links(page)))
            tell(f"names in {page.name}", ", ".join(unknown_names(page, known)))
            ranks = re.findall(r"<!-- ranks: ([\d ]+) -->", text_of(page))
            for name, language, source in programs(page):
                program, wrong = build(name, language, source, prefix, Path(folder))
                if wrong:
                    tell(name, wrong)
                    continue
                for n in ranks[0].split() if ranks else ("1", "2", "3"):
                    tell(f"{name} on {n}", run(program, n, prefix))
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
