"""Doxygen's search finds names and headings by their beginning. This adds to its lists:

- every name of the C interface under each of its words: then "shrink" finds anyccl_comm_shrink;
- the words of the pages and of the chapters of the header, with the sections where they stand. A word that stands almost
  everywhere is left out.
"""

import html
import re
from collections import defaultdict

import filter as pages

# A line of the lists in search/all_*.js: its key, the number that makes the key unique, and what is shown.
ENTRY = re.compile(r"^  \['(\w+)_(\d+)',(\[.*\])\],?$", re.MULTILINE)
WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{2,}")
# A word in more sections than this tells nothing.
SECTIONS = 25


def sections(page):
    """(where, title, text) of the sections of a page."""
    where, title, name = f"../{pages.page_name(page)}.html", "", ""
    text = []
    for line in pages.page(page).splitlines():
        if heading := re.match(r"#+ (.*) \{#(\w+)\}$", line):
            yield where, title, " ".join(text)
            text = []
            name = name or heading[1]
            where = f"../{pages.page_name(page)}.html" + (f"#{heading[2]}" if heading[1] != name else "")
            title = name if heading[1] == name else f"{name}: {heading[1]}"
        text.append(line)
    yield where, title, " ".join(text)


def chapter(header):
    """(where, title, text) of a chapter of the C header."""
    text = header.read_text(encoding="utf-8")
    if group := re.search(r"\\defgroup (\w+) (.*)", text):
        comments = " ".join(re.findall(r"^ *\* ?(.*)", text, re.MULTILINE))
        yield f"../group__{group[1].replace('_', '__')}.html", group[2], comments


def by_word(places):
    """{word: the places where it stands}."""
    found = defaultdict(dict)
    for where, title, text in places:
        for word in WORD.findall(text):
            found[word.lower().strip("_")][where] = title
    return {word: at for word, at in found.items() if len(at) <= SECTIONS}


def shown(word, at):
    """The entry of a word: its places, as JavaScript."""
    escaped = lambda text: html.escape(text.replace("`", "")).replace("'", "&#39;").replace("\\", "")
    results = ",".join(f"['{where}',1,'{escaped(title)}']" for where, title in at.items())
    return f"['{word}',{results}]"


def add(site, files, headers):
    """Rewrites the lists of a site that Doxygen has just made."""
    folder = site / "search"
    letters = re.search(r'^  0: "(.*)"', (folder / "searchdata.js").read_text(encoding="utf-8"), re.MULTILINE)[1]
    entries = {letter: [] for letter in letters}
    for number, letter in enumerate(letters):
        text = (folder / f"all_{number:x}.js").read_text(encoding="utf-8")
        entries[letter] = [(key, result) for key, _, result in ENTRY.findall(text)]
    added = []
    for key, result in [entry for found in entries.values() for entry in found]:
        if key.startswith("anyccl_5f"):
            words = key.split("_5f")
            added += [("_5f".join(words[first:]), result) for first in range(1, len(words))]
    places = [place for file in files for place in sections(file)] + [place for header in headers for place in chapter(header)]
    added += [(word.replace("_", "_5f"), shown(word, at)) for word, at in by_word(places).items()]
    for key, result in added:
        if key[:1] in entries:
            entries[key[0]].append((key, result))
    for number, letter in enumerate(letters):
        lines = [f"  ['{key}_{at}',{result}]" for at, (key, result) in enumerate(sorted(entries[letter]))]
        (folder / f"all_{number:x}.js").write_text("var searchData=\n[\n" + ",\n".join(lines) + "\n];\n", encoding="utf-8")
