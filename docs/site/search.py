"""Doxygen's search finds names and headings by their beginning. This adds to its lists:

- every name of the C interface under each of its words: then "shrink" finds anyccl_comm_shrink;
- the words of the pages and of the chapters of the header, with the sections where they stand. "pkg-config" and "--hostfile" are
  words. A word that stands almost everywhere is left out.
"""

import html
import re
from collections import Counter, defaultdict

import filter as pages

# A line of the lists in search/all_*.js: its key, the number that makes the key unique, and what is shown.
ENTRY = re.compile(r"^  \['(\w+)_(\d+)',(\[.*\])\],?$", re.MULTILINE)
# A word, an option, or words that hyphens join. Of the latter each is found alone, too.
WORD = re.compile(r"(?<![\w-])-{0,2}[A-Za-z]\w*(?:-\w+)*")
# A word is found in so many sections at most: first those that have it in their title, then those that have it most often.
SHOWN = 20
# A word in more sections than this tells nothing.
EVERYWHERE = 150


def sections(page):
    """(where, title, text) of the sections of a page."""
    file = "../index.html" if page == pages.MAIN else f"../{pages.page_name(page)}.html"
    where, title, name = file, "", ""
    text = []
    for line in pages.page(page).splitlines():
        if heading := re.match(r"#+ (.*) \{#(\w+)\}$", line):
            yield where, title, " ".join(text)
            text = []
            name = name or heading[1]
            where = file + (f"#{heading[2]}" if heading[1] != name else "")
            title = name if heading[1] == name else f"{name}: {heading[1]}"
        text.append(line)
    yield where, title, " ".join(text)


def chapter(header):
    """(where, title, text) of a chapter of the C header."""
    text = header.read_text(encoding="utf-8")
    if group := re.search(r"\\defgroup (\w+) (.*)", text):
        comments = " ".join(re.findall(r"^ *\* ?(.*)", text, re.MULTILINE))
        yield f"../group__{group[1].replace('_', '__')}.html", group[2], comments


def words(text):
    """The words of a text, as the search compares them. An option is found with its hyphens and without them."""
    for match in WORD.findall(text.lower()):
        bare = match.strip("-_")
        yield from {match, bare, *bare.split("-")}


def by_word(places):
    """{word: {where: title}}, the best places first."""
    found = defaultdict(list)
    for where, title, text in places:
        inside, titled = Counter(words(text)), set(words(title))
        for word, times in inside.items():
            if len(word) > 2:
                found[word].append((word not in titled, -times, where, title))
    return {word: {where: title for *_, where, title in sorted(at, key=lambda one: one[:2])[:SHOWN]}
            for word, at in found.items() if len(at) <= EVERYWHERE}


def shown(word, at):
    """The entry of a word: its places, as JavaScript."""
    escaped = lambda text: html.escape(text.replace("`", "")).replace("'", "&#39;").replace("\\", "")
    results = ",".join(f"['{where}',1,'{escaped(title)}']" for where, title in at.items())
    return f"['{word}',{results}]"


def key_of(word):
    """The key of a word: search.js writes other characters than letters and digits as hexadecimal numbers."""
    return re.sub(r"[^a-z0-9]", lambda match: f"_{ord(match[0]):02x}", word)


def add(site, files, headers):
    """Rewrites the lists of a site that Doxygen has just made."""
    folder = site / "search"
    data = (folder / "searchdata.js").read_text(encoding="utf-8")
    letters = re.search(r'^  0: "(.*)"', data, re.MULTILINE)[1]
    entries = defaultdict(list)
    for number, letter in enumerate(letters):
        text = (folder / f"all_{number:x}.js").read_text(encoding="utf-8")
        entries[letter] = [(key, result) for key, _, result in ENTRY.findall(text)]
    added = []
    for key, result in [entry for found in entries.values() for entry in found]:
        if key.startswith("anyccl_5f"):
            parts = key.split("_5f")
            added += [(parts[first][0], "_5f".join(parts[first:]), result) for first in range(1, len(parts))]
    places = [place for file in files for place in sections(file)] + [place for header in headers for place in chapter(header)]
    added += [(word[0], key_of(word), shown(word, at)) for word, at in by_word(places).items()]
    for letter, key, result in added:
        entries[letter].append((key, result))
    # Each letter has a list. Doxygen made none for the letters with which no name begins.
    letters += "".join(sorted(set(entries) - set(letters)))
    # The first list of letters is that of all names and words.
    data = re.sub(r'^  0: ".*"', f'  0: "{letters}"', data, count=1, flags=re.MULTILINE)
    (folder / "searchdata.js").write_text(data, encoding="utf-8")
    for number, letter in enumerate(letters):
        lines = [f"  ['{key}_{at}',{result}]" for at, (key, result) in enumerate(sorted(entries[letter]))]
        (folder / f"all_{number:x}.js").write_text("var searchData=\n[\n" + ",\n".join(lines) + "\n];\n", encoding="utf-8")
