"""Doxygen's search finds a name by its beginning only. This adds every name of the C interface under each of its words: then
"shrink" finds anyccl_comm_shrink."""

import re

# A line of the lists in search/all_*.js: its key, the number that makes the key unique, and what is shown.
ENTRY = re.compile(r"^  \['(\w+)_(\d+)',(\[.*\])\],?$", re.MULTILINE)


def add_words(site):
    """Rewrites the lists of a site that Doxygen has just made."""
    folder = site / "search"
    letters = re.search(r'^  0: "(.*)"', (folder / "searchdata.js").read_text(encoding="utf-8"), re.MULTILINE)[1]
    entries = {letter: [] for letter in letters}
    for number, letter in enumerate(letters):
        entries[letter] = ENTRY.findall((folder / f"all_{number:x}.js").read_text(encoding="utf-8"))
    for key, _, shown in [entry for found in entries.values() for entry in found]:
        if not key.startswith("anyccl_5f"):
            continue
        words = key.split("_5f")
        for first in range(1, len(words)):
            suffix = "_5f".join(words[first:])
            if suffix[0] in entries:
                entries[suffix[0]].append((suffix, "", shown))
    for number, letter in enumerate(letters):
        # A name that is found twice, such as that of a type and of its typedef, is shown twice.
        lines = [f"  ['{key}_{at}',{shown}]" for at, (key, _, shown) in enumerate(sorted(entries[letter]))]
        (folder / f"all_{number:x}.js").write_text("var searchData=\n[\n" + ",\n".join(lines) + "\n];\n", encoding="utf-8")
