"""Tests of the tools with which users compile, from an installed prefix: anyccl-mpicc and anyccl-mpicxx, pkg-config, and CMake's
find_package(MPI)."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import fortran
from setting import HERE, WORK, Failure, clean_environment, pypi
from cmake_tools import cmake_tools

SOURCE = HERE / "find_package"
HOME = Path("lib") / "anyccl" / "mpi"


def said(*command, **more):
    """Returns what a command prints. Raises Failure if it fails."""
    words = [str(word) for word in command]
    ended = subprocess.run(words, capture_output=True, text=True, env=clean_environment() | more)
    if ended.returncode != 0:
        raise Failure(f"{' '.join(words)}: {ended.stderr.strip() or ended.stdout.strip()}")
    return ended.stdout.strip()


def greets(program):
    """Checks that the program runs as a world of one, with anyccl's library, without a variable that says where it is."""
    out = said(program)
    if not out.startswith("rank 0 of 1, by anyccl"):
        raise Failure(f"{program} says: {out}")


def compilers(prefix):
    """Tests the wrappers under each of their names, by their installed path and by a symbolic link."""
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        # Administrators make such links in a folder on PATH.
        (folder / "anyccl-mpicc").symlink_to(prefix / "bin" / "anyccl-mpicc")
        for tool, file in ((prefix / "bin" / "anyccl-mpicc", "hello.c"), (prefix / "bin" / "anyccl-mpicxx", "hello.cpp"),
                           (prefix / HOME / "bin" / "mpicc", "hello.c"), (prefix / HOME / "bin" / "mpicxx", "hello.cpp"),
                           (prefix / HOME / "bin" / "mpic++", "hello.cpp"), (folder / "anyccl-mpicc", "hello.c")):
            said(tool, "-O1", SOURCE / file, "-o", folder / "hello")
            greets(folder / "hello")
            said(tool, "-c", SOURCE / file, "-o", folder / "hello.o")
            said(tool, folder / "hello.o", "-o", folder / "hello")
            greets(folder / "hello")
        tool = prefix / "bin" / "anyccl-mpicc"
        home = (prefix / HOME).resolve()
        compile_flags, link_flags = f"-I{home}/include", f"-L{home}/lib -Wl,-rpath,{home}/lib -lmpi_abi"
        for words, expected in ((["-show"], f"cc {compile_flags} {link_flags}"), (["-compile-info"], f"cc {compile_flags}"),
                                (["-compile_info"], f"cc {compile_flags}"), (["-link-info"], f"cc {link_flags}"),
                                (["-showme:compile"], compile_flags), (["-showme:link"], link_flags),
                                (["-show", "-c", "a b.c"], f"cc {compile_flags} -c 'a b.c'"),
                                (["-cc=other", "-show", "-c", "a.c"], f"other {compile_flags} -c a.c")):
            if (out := said(tool, *words)) != expected:
                raise Failure(f"anyccl-mpicc {' '.join(words)} prints {out}, not {expected}")
        for variable in ("ANYCCL_MPI_CC", "MPICH_CC", "OMPI_CC"):
            out = said("env", f"{variable}=other one", tool, "-show", "-c", "a.c")
            if out != f"other one {compile_flags} -c a.c":
                raise Failure(f"with {variable}: {out}")
        said(tool, "--version")
        said(tool, '-DTEXT="it\'s two words"', "-c", SOURCE / "hello.c", "-o", folder / "hello.o")
    return "anyccl-mpicc, anyccl-mpicxx"


def pkg_config(prefix):
    tool = shutil.which("pkg-config") or shutil.which("pkgconf")
    if tool is None:
        raise pypi.Missing("pkg-config is not here")
    flags = said(tool, "--cflags", "--libs", "anyccl-mpi", PKG_CONFIG_PATH=str(prefix / "lib" / "pkgconfig")).split()
    program = WORK / "programs" / "hello-pkg-config"
    program.parent.mkdir(parents=True, exist_ok=True)
    said(os.environ.get("CC", "cc"), SOURCE / "hello.c", "-o", program, *flags)
    greets(program)


def find_package(prefix):
    """Tests find_package(MPI) with each hint that a user may give."""
    cmake, _ = cmake_tools()
    for number, hint in enumerate((f"-DMPI_HOME={prefix / HOME}", f"-DMPI_C_COMPILER={prefix / 'bin' / 'anyccl-mpicc'}")):
        hints = [hint, hint.replace("_C_", "_CXX_").replace("mpicc", "mpicxx")]
        build = WORK / f"find_package-{number}"
        shutil.rmtree(build, ignore_errors=True)
        said(cmake, "-S", SOURCE, "-B", build, *dict.fromkeys(hints))
        said(cmake, "--build", build)
        for program in ("hello_c", "hello_cpp"):
            greets(build / program)
    return "by MPI_HOME, and by the wrappers"


TESTS = {"compiler wrappers": compilers, "anyccl-mpifort": fortran.by_wrapper, "pkg-config anyccl-mpi": pkg_config, "find_package(MPI)": find_package}
