"""Runs programs that are linked with Debian's libraries for Open MPI, on anyccl and on Debian's own Open MPI, and compares.

All packages are unpacked under target/. None is changed, and none is installed.
"""

import subprocess

import debian
from programs import describe, first_difference
from setting import SECONDS, WORK, Failure, Library, job, launch

# Open MPI and what its launcher needs. Some of Debian's libraries need libmpi_cxx.so.40, too, and by it libopen-pal.so.40.
OPEN_MPI = ["libopenmpi3", "libopenmpi-dev", "openmpi-bin", "openmpi-common", "libpmix2", "libhwloc15", "libevent-core-2.1-7",
            "libevent-pthreads-2.1-7", "libmunge2"]
MPIRUN = "mpirun"
RANKS = (2, 4)


def open_mpi():
    """Returns the folder with Debian's libraries of Open MPI. Raises pypi.Missing."""
    return debian.library_folder(debian.unpack(*OPEN_MPI))


def reference():
    return Library("openmpi", "ompi", open_mpi())


def launch_open_mpi(ranks, words):
    """Returns the command by which Debian's mpirun starts `ranks` processes, and the variables with which it works unpacked."""
    folder = open_mpi()
    prefix = folder.parent.parent
    more = {"OPAL_PREFIX": prefix, "OPAL_LIBDIR": folder, "OPAL_PKGLIBDIR": folder / "openmpi" / "lib" / "openmpi3",
            "OPAL_PKGDATADIR": prefix / "share" / "openmpi", "PMIX_INSTALL_PREFIX": folder / "pmix2",
            "OMPI_ALLOW_RUN_AS_ROOT": 1, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": 1, "OMPI_MCA_mpi_yield_when_idle": 1,
            # Components for networks need libraries of more packages.
            "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader", "OMPI_MCA_mca_base_component_show_load_errors": 0,
            "PMIX_MCA_pcompress_base_silence_warning": 1}
    command = [prefix / "bin" / "mpirun.openmpi", "--oversubscribe", "-n", ranks, *words]
    return [*map(str, command)], {name: str(value) for name, value in more.items()}


def run(library, ranks, words, root, launcher, folders=(), **more):
    """Returns the standard output of a job that must succeed. A job on Open MPI, or with the launcher MPIRUN, uses Debian's mpirun.

    Libraries are looked for in `folders`, then in that of the MPI, and then among those of `root`, an unpacked package.
    """
    libraries = debian.library_folder(root)
    path = [*folders, library.folder, libraries, libraries / "lapack", libraries / "blas", open_mpi()]
    if library.name == "openmpi" or launcher == MPIRUN:
        command, variables = launch_open_mpi(ranks, words)
        more |= variables
    else:
        command = launch(launcher, ranks, words)
    ended = job(command, library, SECONDS, LD_LIBRARY_PATH=":".join(map(str, path)), OMP_NUM_THREADS="1", **more)
    if ended.status != 0:
        raise Failure(f"on {library}, {ranks} ranks: {describe(ended, SECONDS)}")
    return ended.out


def on_both(library, launcher, root, words, take=str.strip, **more):
    """Compares what `take` finds in the output of a program on both libraries."""
    for ranks in RANKS:
        its, got = (take(run(where, ranks, words, root, launcher, **more)) for where in (reference(), library))
        if its != got:
            raise Failure(f"{ranks} ranks: {first_difference(str(got), str(its))}")
    return "as on Open MPI"


def built(source, compiler, root, *libraries, include=()):
    """Compiles a program with Debian's mpi.h and Debian's libraries. Returns its file."""
    program, theirs, folder = WORK / "programs" / f"{source.stem}-of-debian", open_mpi(), debian.library_folder(root)
    program.parent.mkdir(parents=True, exist_ok=True)
    headers = [theirs / "openmpi" / "include", root / "usr" / "include", *(root / "usr" / path for path in include)]
    # Without -DOMPI_SKIP_MPICXX a program in C++ contains functions of libmpi_cxx.so.40.
    words = [compiler, "-O1", "-DOMPI_SKIP_MPICXX", *(f"-I{path}" for path in headers), source, "-o", program,
             *(folder / library for library in libraries), theirs / "libmpi.so.40", "-lm", "-Wl,--allow-shlib-undefined",
             f"-Wl,-rpath-link,{theirs}:{folder}"]
    run_compiler(words)
    return program


def run_compiler(words):
    """Runs a compiler, which must succeed."""
    ended = subprocess.run([*map(str, words)], capture_output=True, text=True)
    if ended.returncode != 0:
        raise Failure(f"{' '.join(map(str, words))}:\n{ended.stderr[-2000:]}")
