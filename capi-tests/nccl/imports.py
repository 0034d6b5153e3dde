"""The names of NCCL that its users import: each has to be in the library, as one that is missing fails a whole import.

imports/ has those of packages that are too big to be fetched for this, with the version and the day; what is installed
is read itself.
"""

import re
import subprocess
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parent / "imports"


def of_file(library):
    """The NCCL functions that a shared library needs from another."""
    said = subprocess.run(["nm", "--dynamic", "--undefined-only", "--format=posix", library], check=True, text=True,
                          capture_output=True).stdout
    names = {line.split()[0] for line in said.splitlines()}
    return {name for name in names if re.match(r"p?nccl[A-Z]", name)}


def recorded():
    """What imports/ has: package and version, and its names."""
    for file in sorted(DATA.glob("*.txt")):
        head, *names = file.read_text().splitlines()
        if not re.match(r"# \S+==\S+, \S+, \d{4}-\d\d-\d\d: ", head) or not names:
            sys.exit(f"{file}: the first line says package, file and day, the others have a name each")
        yield head[2:].split(",")[0], set(names)


def check(library_names, who, names):
    """All of them are there."""
    if missing := names - library_names:
        sys.exit(f"{who} imports what is not there: {', '.join(sorted(missing))}")
    if not names:
        sys.exit(f"{who} imports nothing of NCCL: this looks at the wrong file")
    print(f"imports of {who}: all {len(names)} are there")


def check_recorded(library_names):
    """Those of imports/."""
    for who, names in recorded():
        check(library_names, who, names)
