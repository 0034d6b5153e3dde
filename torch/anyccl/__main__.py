"""`python -m anyccl`: the tool `anyccl` that this package contains.

    python -m anyccl run -n 4 script.py     starts the ranks with this Python
    python -m anyccl --include-dir          prints a folder for C and C++ programs; --library-dir, --cmake-dir,
                                            --pkg-config-dir, --prefix as well

The functions below are the programs that are installed with this package. Each replaces its process by the
program, so signals, exit codes and standard input are the program's.
"""

import os
import sys

from . import paths

_FOLDERS = {
    "--include-dir": paths.get_include,
    "--library-dir": paths.get_library_dir,
    "--cmake-dir": paths.get_cmake_dir,
    "--pkg-config-dir": paths.get_pkg_config_dir,
    "--prefix": paths.get_prefix,
}


def main():
    """Runs `anyccl` with the arguments of this process."""
    words = sys.argv[1:]
    if len(words) == 1 and words[0] in _FOLDERS:
        print(_FOLDERS[words[0]]())
        return
    if words[:1] == ["run"]:
        words[1:1] = ["--python", sys.executable]
    _become("anyccl", words)


def mpiexec():
    """Runs `anyccl-mpiexec`."""
    _become("anyccl-mpiexec", sys.argv[1:])


def mpicc():
    """Runs `anyccl-mpicc`."""
    _become("anyccl-mpicc", sys.argv[1:])


def mpicxx():
    """Runs `anyccl-mpicxx`."""
    _become("anyccl-mpicxx", sys.argv[1:])


def mpifort():
    """Runs `anyccl-mpifort`."""
    _become("anyccl-mpifort", sys.argv[1:])


def _become(name, words):
    try:
        program = os.path.join(paths.get_prefix(), "bin", name)
        os.execv(program, [program, *words])
    except OSError as error:
        sys.exit(f"anyccl: {error}")


if __name__ == "__main__":
    main()
