"""Copies a prefix of `make install` into a Python package, which becomes such a prefix itself.

    anyccl/bin/anyccl                the tool
    anyccl/lib/libanyccl.so.0        the library
    anyccl/include, anyccl/lib/cmake, anyccl/lib/pkgconfig
    anyccl/lib/anyccl                the libraries that stand in for NCCL and MPI

Wheels have no symbolic links. A name for the linker (libx.so) becomes a linker script, a name of a program
becomes a copy or a script, and other links are left out. The NCCL library lies where PyTorch looks for it.

Man pages and completions of shells do not lie in the package: pip puts them into share/ of the environment, where
`man` and shells look for them.
"""

import os
import shutil
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


def copy_prefix(prefix, package):
    """Copies what a user of the package needs. `prefix` has at least the header and the library."""
    for file in sorted(prefix.rglob("*")):
        name = file.relative_to(prefix)
        if file.is_dir() or any(part in LEFT_OUT for part in name.parts) or file.suffix == ".a":
            continue
        if file.is_symlink():
            replace_link(file, name, package)
        elif name.parent == NCCL:
            copy(file, package / NCCL_IN_PACKAGE / file.name)
        elif name.name != "installed.txt" and not name.name.startswith("libanyccl.so."):
            copy(file, package / name)
    copy((prefix / "lib" / SONAME).resolve(), package / "lib" / SONAME)


def shared_files(prefix):
    """Returns what pip puts beside the package, as setuptools wants it: pairs of a folder and its files."""
    folders = {folder: sorted((prefix / folder).glob("*")) for folder in SHARED}
    return [(folder, list(map(str, files))) for folder, files in folders.items() if files]


def replace_link(file, name, package):
    """Puts something that needs no link in the place of a link."""
    leads_to = Path(os.readlink(file))
    if file.suffix == ".so" and name.parent != NCCL / "lib":
        folder = NCCL_IN_PACKAGE if name.parent == NCCL else name.parent
        write(package / folder / file.name, f"INPUT({leads_to.name})\n")
    elif name.as_posix() == "bin/anyccl-mpicxx":
        # It knows by its name that it compiles C++.
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
