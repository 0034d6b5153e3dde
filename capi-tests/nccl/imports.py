"""Checks that the library has each NCCL function that Python packages import. If one is missing, the import of a package fails.

imports/ lists the functions of packages that are too large to download for this, with version and date. The functions of an
installed package are read from its library.
"""

import re
import subprocess
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parent / "imports"


def of_file(library):
    """Returns the NCCL functions that a shared library imports."""
    said = subprocess.run(["nm", "--dynamic", "--undefined-only", "--format=posix", library], check=True, text=True,
                          capture_output=True).stdout
    names = {line.split()[0] for line in said.splitlines()}
    return {name for name in names if re.match(r"p?nccl[A-Z]", name)}


def recorded():
    """Yields the package and version, and the names, of each file of imports/."""
    for file in sorted(DATA.glob("*.txt")):
        head, *names = file.read_text().splitlines()
        if not re.match(r"# \S+==\S+, \S+, \d{4}-\d\d-\d\d: ", head) or not names:
            sys.exit(f"{file}: the first line says package, file and day, the others have a name each")
        yield head[2:].split(",")[0], set(names)


def check(library_names, who, names):
    """Checks that the library has all `names`, which `who` imports."""
    if missing := names - library_names:
        sys.exit(f"{who} imports what is not there: {', '.join(sorted(missing))}")
    if not names:
        sys.exit(f"{who} imports nothing of NCCL: this looks at the wrong file")
    print(f"imports of {who}: all {len(names)} are there")


def check_recorded(library_names):
    """Checks the names of imports/."""
    for who, names in recorded():
        check(library_names, who, names)
