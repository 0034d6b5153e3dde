"""Where the header and the library of this package lie, for programs in C or C++ that are built against it.

    include_dirs=[anyccl.get_include()], library_dirs=[anyccl.get_library_dir()], libraries=[anyccl.LIBRARY]

From an installed package these are folders inside of it. In a checkout of the sources the header is that of the sources.
"""

from pathlib import Path

from ._capi import library

# What the linker is told: -l:libanyccl.so.0, the name that is looked for at run time, too.
LIBRARY = ":" + library.NAME


def get_include():
    """The folder to give to the compiler: it has anyccl/anyccl.h."""
    return str(_first("anyccl/anyccl.h", [library.PACKAGE / "include", library.PACKAGE.parent.parent / "include"]))


def get_library_dir():
    """The folder to give to the linker and as run-time path: it has libanyccl.so.0."""
    for folder in (library.PACKAGE / "lib", library.PACKAGE):
        if (folder / library.NAME).exists():
            return str(folder)
    return str(_first(library.NAME, [library.path().parent]))


def _first(name, folders):
    for folder in folders:
        if (Path(folder) / name).exists():
            return folder
    raise FileNotFoundError(f"{name} is in none of {', '.join(map(str, folders))}: install the package anew")
