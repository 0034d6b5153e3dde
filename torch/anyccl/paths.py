"""Folders of the header and the library of this package, for C and C++ programs that are built against it.

    include_dirs=[anyccl.get_include()], library_dirs=[anyccl.get_library_dir()], libraries=[anyccl.LIBRARY]
    cmake -Danyccl_DIR=$(python -m anyccl --cmake-dir)
    PKG_CONFIG_PATH=$(python -m anyccl --pkg-config-dir) pkg-config --cflags --libs anyccl

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


def get_cmake_dir():
    """Returns the folder that has anyccl-config.cmake, for -Danyccl_DIR."""
    return str(_prefix_with("lib/cmake/anyccl/anyccl-config.cmake") / "lib" / "cmake" / "anyccl")


def get_pkg_config_dir():
    """Returns the folder that has anyccl.pc, for PKG_CONFIG_PATH."""
    return str(_prefix_with("lib/pkgconfig/anyccl.pc") / "lib" / "pkgconfig")


def get_prefix():
    """Returns the folder that has bin, include and lib, as `make install` fills them."""
    return str(_prefix_with("bin/anyccl"))


def _prefix_with(name):
    # In a checkout the library may be that of an installation.
    return Path(_first(name, [library.PACKAGE, *Path(get_library_dir()).parents]))


def _first(name, folders):
    for folder in folders:
        if (Path(folder) / name).exists():
            return folder
    raise FileNotFoundError(f"{name} is in none of {', '.join(map(str, folders))}: install the package anew")
