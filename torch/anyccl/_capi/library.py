"""Finds libanyccl and loads it, once, at its first use.

It is looked for in this order:

1. `ANYCCL_LIB`: the file, or its folder. If this is set, nothing else is tried.
2. Beside the package, where a wheel and `pip install` put it.
3. Where the system's loader looks: `LD_LIBRARY_PATH`, ld.so.cache.

The generated header gives the functions their types. A library of another version is refused, because its
structures may differ.
"""

import ctypes
import functools
import os
from pathlib import Path

from . import header

NAME = "libanyccl.so.0"
PACKAGE = Path(__file__).resolve().parent.parent


@functools.cache
def load():
    """Returns the library, with types for its functions. OSError: it was not found; the message names each
    place that was tried."""
    library = _open()
    for name, (result, arguments) in header.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise OSError(f"{library._name} has no {name}: it is older than this package; install both anew") from None
        function.restype, function.argtypes = result, arguments
    number = library.anyccl_version()
    found = (number // 10000, number // 100 % 100, number % 100)
    # Before 1.0, a minor version may change structures. From then on, structures only grow.
    if found[0] != header.VERSION[0] or (found[0] == 0 and found[1] != header.VERSION[1]):
        theirs, ours = (".".join(map(str, version)) for version in (found, header.VERSION))
        raise OSError(f"{library._name} is anyccl {theirs}, this package is made for {ours}; install both from one source")
    return library


def candidates():
    """Returns the files to try, as (name to open, name of the place in messages)."""
    if asked := os.environ.get("ANYCCL_LIB"):
        path = Path(asked)
        return [(str(path / NAME if path.is_dir() else path), "ANYCCL_LIB")]
    beside = [(str(folder / NAME), "beside the package") for folder in (PACKAGE / "lib", PACKAGE)]
    return [*beside, (NAME, "the loader's path: LD_LIBRARY_PATH, ld.so.cache")]


def _open():
    tried = []
    for name, place in candidates():
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            tried.append(f"  {place}: {error}")
    raise OSError("\n".join([f"{NAME} was not found. Tried:", *tried, "Set ANYCCL_LIB to the file or its folder."]))


@functools.cache
def path():
    """Returns the path of the loaded file."""
    load()
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        for line in maps:
            file = line.rstrip("\n").partition("/")[2]
            if Path(file).name.startswith("libanyccl.so"):
                return Path("/" + file)
    raise OSError(f"{NAME} is loaded, but not from a file")
