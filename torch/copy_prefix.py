"""Copies what `make install` has put into a prefix into a Python package, which becomes such a prefix itself.

    anyccl/bin/anyccl                the tool
    anyccl/lib/libanyccl.so.0        the library
    anyccl/include, anyccl/lib/cmake, anyccl/lib/pkgconfig
    anyccl/lib/anyccl                the libraries that stand in for NCCL and MPI

Wheels have no symbolic links. A name for the linker (libx.so) becomes a linker script, a name of a program
becomes a copy or a script, and other links are left out. The NCCL library lies where PyTorch looks for it.

Man pages and completions of shells do not lie in the package: pip puts them into share/ of the environment, where
`man` and shells look for them. Licences belong to the metadata of the package.

Other software may share the prefix. What is anyccl's is told by the list that `make install` leaves there. Packages of
distributions have no such list; there it is told by names.
"""

import os
import shutil
import sys
from pathlib import Path

SONAME = "libanyccl.so.0"
# Where `make install` has NCCL's library, and where a package has it: PyTorch looks in this folder, and the
# loader takes two files for two libraries.
NCCL = Path("lib/anyccl/nccl")
NCCL_IN_PACKAGE = NCCL / "python/nvidia/nccl/lib"
# Debug information would be larger than all the rest, and a static library as large.
LEFT_OUT = (".debug", "share", "cuda-double")
# Folders of man pages and completions.
SHARED = ("share/man/man1", "share/bash-completion/completions", "share/zsh/site-functions", "share/fish/vendor_completions.d")
DOCUMENTS = Path("share/doc/anyccl")
LICENCES = ("LICENSE", "LICENCE", "COPYING", "NOTICE", "THIRD-PARTY")
LIST = "lib/anyccl/installed.txt"
# What is anyccl's in a prefix without the list.
OWN_NAMES = ("bin/anyccl*", "include/anyccl/**/*", "lib/libanyccl.*", "lib/anyccl/**/*", "lib/cmake/anyccl/*", "lib/pkgconfig/anyccl*",
             *(f"{folder}/*anyccl*" for folder in SHARED), "share/doc/anyccl/*")


def own_files(prefix):
    """Returns the names of the files of anyccl in a prefix, in their order."""
    if (prefix / LIST).exists():
        names = sorted(map(Path, (prefix / LIST).read_text(encoding="utf-8").splitlines()))
        for name in names:
            if not os.path.lexists(prefix / name):
                sys.exit(f"{prefix / LIST} lists {name}, which does not exist: install anyccl anew")
        return names
    found = {file.relative_to(prefix) for pattern in OWN_NAMES for file in prefix.glob(pattern)}
    return sorted(name for name in found if not (prefix / name).is_dir())


def copy_prefix(prefix, package):
    """Copies what a user of the package needs. `prefix` has at least the header and the library."""
    for name in own_files(prefix):
        file = prefix / name
        if any(part in LEFT_OUT for part in name.parts) or file.suffix == ".a":
            continue
        if file.is_symlink():
            replace_link(file, name, package)
        elif name.parent == NCCL:
            copy(file, package / NCCL_IN_PACKAGE / file.name)
        elif name != Path(LIST) and not name.name.startswith("libanyccl.so."):
            copy(file, package / name)
    copy((prefix / "lib" / SONAME).resolve(), package / "lib" / SONAME)


def shared_files(prefix):
    """Returns what pip puts beside the package, as setuptools wants it: pairs of a folder and its files."""
    names = own_files(prefix)
    folders = {folder: [str(prefix / name) for name in names if name.parent == Path(folder)] for folder in SHARED}
    return [(folder, files) for folder, files in folders.items() if files]


def licences(prefix):
    """Returns the files with the licences of anyccl, and of what it contains."""
    return [prefix / name for name in own_files(prefix) if name.parent == DOCUMENTS and name.name.startswith(LICENCES)]


def replace_link(file, name, package):
    """Puts something that needs no link in the place of a link."""
    leads_to = Path(os.readlink(file))
    if file.suffix == ".so" and name.parent != NCCL / "lib":
        folder = NCCL_IN_PACKAGE if name.parent == NCCL else name.parent
        write(package / folder / file.name, f"INPUT({leads_to.name})\n")
    elif name.as_posix() in ("bin/anyccl-mpicxx", "bin/anyccl-mpifort"):
        # It knows by its name that it compiles C++, or Fortran.
        copy(file.resolve(), package / name)
    elif name.as_posix() == "bin/anyccl-mpiexec":
        write(package / name, '#!/bin/sh\nexec "$(dirname "$0")/anyccl" mpiexec "$@"\n', 0o755)
    elif name.parent.as_posix() == "lib/anyccl/mpi/bin":
        write(package / name, f'#!/bin/sh\nexec "$(dirname "$0")/{leads_to}" "$@"\n', 0o755)


def copy(file, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(file, target)


def write(target, text, mode=0o644):
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    target.chmod(mode)
