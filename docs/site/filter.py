#!/usr/bin/env python3
"""Doxygen reads the files of the tree through this.

    python3 docs/site/filter.py FILE

A page: every heading gets the name that links to it use, and links lead to pages of the site or, where they lead to a file of
the sources, become the name of that file. A header of the C++ layer: see cpp.py.
"""

import re
import sys
from pathlib import Path

import cpp

ROOT = Path(__file__).resolve().parents[2]
# The front page.
MAIN = ROOT / "README.md"
LINK = re.compile(r"(!?)\[((?:[^][]|\[[^][]*\])*)\]\(([^()\s]+)\)")
FENCE = re.compile(r"^\s*(```|~~~)")


def page_name(path):
    """How Doxygen calls a page: docs/api/cpp.md is page_api_cpp."""
    if path == MAIN:
        return "mainpage"
    words = path.relative_to(ROOT / "docs").with_suffix("").as_posix()
    return "page_" + re.sub(r"\W", "_", words)


def slug(heading):
    """The name of a heading in links, as GitHub makes it."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


def target(path, link):
    """What a link of a page leads to: a name for Doxygen; None where it is no page of the site."""
    file, _, anchor = link.partition("#")
    other = (path.parent / file).resolve() if file else path
    if other.is_dir() and (other / "README.md").exists():
        other /= "README.md"
    if other.suffix == ".md" and (other == MAIN or ROOT / "docs" in other.parents):
        return section(other, anchor) if anchor else page_name(other)
    if other.suffix in (".h", ".hpp") and other.parent == ROOT / "include" / "anyccl":
        return other.name
    return None


def section(path, anchor):
    return f"{page_name(path)}__{anchor.replace('-', '_')}"


def page(path):
    """The text of a page, for Doxygen."""

    def link(match):
        image, text, to = match.groups()
        if "://" in to or to.startswith("mailto:"):
            return match[0]
        if image:
            # Without the text, which would be written below it.
            return f"![]({Path(to).name})"
        name = target(path, to)
        if name is None:
            return text if text.startswith("`") else f"`{text}`" if "/" in text or "." in text else text
        shown = text.replace("`", "").replace('"', "'")
        return f'\\ref {name} "{shown}"'

    lines, code, titled, used = [], False, False, {}
    # A page begins with its title, not with a comment.
    text = re.sub(r"\A(<!--.*?-->\s*)+", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for line in text.splitlines():
        if FENCE.match(line):
            code = not code
        elif code or line.startswith("    "):
            pass
        elif heading := re.match(r"(#+) (.*?)\s*$", line):
            anchor = slug(heading[2])
            # GitHub numbers headings that are equal.
            used[anchor] = number = used.get(anchor, -1) + 1
            name = section(path, f"{anchor}-{number}" if number else anchor) if titled else page_name(path)
            text = LINK.sub(lambda m: m[2], heading[2])
            # Doxygen shows the backquotes of a title.
            line, titled = f"{heading[1]} {text if titled else text.replace('`', '')} {{#{name}}}", True
        else:
            line = LINK.sub(link, line)
        lines.append(line)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    FILE = Path(sys.argv[1]).resolve()
    sys.stdout.write(page(FILE) if FILE.suffix == ".md" else cpp.header(FILE.read_text(encoding="utf-8")))
