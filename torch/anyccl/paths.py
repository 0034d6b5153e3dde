"""Folders of the header and the library of this package, for C and C++ programs that are built against it.

    include_dirs=[anyccl.get_include()], library_dirs=[anyccl.get_library_dir()], libraries=[anyccl.LIBRARY]

In an installed package these are folders of the package. In a checkout, the header is the one of the sources.
"""

from pathlib import Path

from ._capi import library

# Name for the linker: -l:libanyccl.so.0. The program looks for the same name at run time.
LIBRARY = ":" + library.NAME


def get_include():
    """Returns the folder for the compiler; it has anyccl/anyccl.h."""
    return str(_first("anyccl/anyccl.h", [library.PACKAGE / "include", library.PACKAGE.parent.parent / "include"]))


def get_library_dir():
    """Returns the folder for the linker and for the run-time path; it has libanyccl.so.0."""
    for folder in (library.PACKAGE / "lib", library.PACKAGE):
        if (folder / library.NAME).exists():
            return str(folder)
    return str(_first(library.NAME, [library.path().parent]))


def _first(name, folders):
    for folder in folders:
        if (Path(folder) / name).exists():
            return folder
    raise FileNotFoundError(f"{name} is in none of {', '.join(map(str, folders))}: install the package anew")
