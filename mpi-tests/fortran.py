"""Builds programs in Fortran with Debian's gfortran, which is unpacked under target/, and compares what they print on anyccl with
what they print on the MPI whose mpif.h and modules they were built with."""

import shutil

import debian
import debian_open_mpi
from debian_open_mpi import run_compiler
from programs import describe, first_difference
from setting import HERE, SECONDS, VENV, WORK, Failure, job, launch, mpich, ours

SOURCES = HERE / "fortran"
COMPILER = ["gfortran-12", "libgfortran-12-dev", "libgfortran5", "libquadmath0"]
MPICH = ["libmpich12", "libmpich-dev"]
RUNTIME = ["libgfortran5", "libquadmath0"]
RANKS = (1, 2, 3)
# Title of a program, its source, what the compiler gets more, and Open MPI's library for it.
PROGRAMS = {
    "mpif.h": ("calls.F90", [], []),
    "use mpi": ("calls.F90", ["-DWITH_MODULE"], ["libmpi_usempi_ignore_tkr.so.40"]),
    "use mpi_f08": ("calls_f08.f90", [], ["libmpi_usempif08.so.40"]),
}


def compiler():
    """Returns the command of Debian's gfortran, and the variables that it needs. Raises pypi.Missing."""
    root = debian.unpack(*COMPILER)
    libraries, machine = debian.library_folder(root), debian.library_folder(root).name
    inside = root / "usr" / "lib" / "gcc" / machine / "12"
    # The assembler and the start files are the machine's own.
    words = [root / "usr" / "bin" / f"{machine}-gfortran-12", f"-B{inside}/", f"-B/usr/lib/gcc/{machine}/12/", "-fno-use-linker-plugin",
             f"-L{inside}", f"-L{libraries}"]
    return ["env", f"LD_LIBRARY_PATH={libraries}", *map(str, words)]


def built(title, name, includes, libraries):
    """Compiles a program. Returns its file."""
    source, flags, _ = PROGRAMS[title]
    program = WORK / "programs" / f"fortran-{name}-{title.replace(' ', '-')}"
    modules = program.with_suffix(".modules")
    modules.mkdir(parents=True, exist_ok=True)
    run_compiler([*compiler(), "-O1", "-cpp", "-w", "-fallow-argument-mismatch", f"-J{modules}", *(f"-I{path}" for path in includes),
                  *flags, SOURCES / source, "-o", program, *libraries, "-Wl,--allow-shlib-undefined"])
    return program


def output(where, ranks, command, path, **more):
    """Returns the sorted lines that a job prints."""
    place = WORK / "fortran.tmp"
    place.unlink(missing_ok=True)
    libraries = [*path, debian.library_folder(debian.unpack(*RUNTIME))]
    ended = job(command, where, SECONDS, LD_LIBRARY_PATH=":".join(map(str, libraries)), FILE_OF_TEST=str(place), **more)
    if ended.status != 0:
        raise Failure(f"on {where}, {ranks} ranks: {describe(ended, SECONDS)}")
    return sorted(ended.out.splitlines())


def same(title, ranks, its, got):
    if its != got or len(got) < 10 * ranks:
        raise Failure(f"{title}, {ranks} ranks: {first_difference(chr(10).join(got), chr(10).join(its))}")


def of_open_mpi(title, ranks):
    """Returns what a program prints on Open MPI, and the program."""
    theirs = debian_open_mpi.open_mpi()
    modules = next((theirs / "fortran").glob("gfortran-mod-*")) / "openmpi"
    libraries = [theirs / name for name in (*PROGRAMS[title][2], "libmpi_mpifh.so.40", "libmpi.so.40")]
    program = built(title, "open-mpi", [modules, theirs / "openmpi" / "include"], libraries)
    words, variables = debian_open_mpi.launch_open_mpi(ranks, [program])
    return output(debian_open_mpi.reference(), ranks, words, [theirs], **variables), program


def open_mpi(library, launcher):
    """Programs in Fortran of Open MPI's ABI, with mpif.h, `use mpi` and `use mpi_f08`, print what they print on Open MPI."""
    for title in PROGRAMS:
        for ranks in RANKS:
            its, program = of_open_mpi(title, ranks)
            # Open MPI's own module library stays; the one for mpif.h is anyccl's.
            path = [library.folder, debian_open_mpi.open_mpi()]
            same(title, ranks, its, output(library, ranks, launch(launcher, ranks, [program]), path, LD_BIND_NOW="1"))
    return "mpif.h, use mpi, use mpi_f08: as on Open MPI"


def of_mpich(library, launcher):
    """Programs in Fortran of MPICH's ABI, with mpif.h, `use mpi` and `use mpi_f08`: MPICH's own library for Fortran works on anyccl's
    libmpi.so.12. They print what they print on MPICH."""
    root = debian.unpack(*MPICH)
    folder = debian.library_folder(root)
    modules = next((folder / "fortran").glob("gfortran-mod-*")) / "mpich"
    includes = [modules, *(path.parent for path in root.rglob("mpif.h"))]
    for title in PROGRAMS:
        program = built(title, "mpich", includes, [folder / "libmpichfort.so.12", folder / "libmpich.so.12"])
        for ranks in RANKS:
            path = [debian.named(mpich("mpich")), folder, VENV / "lib" / "mpich"]
            its = output(mpich("mpich"), ranks, launch("mpiexec", ranks, [program]), path)
            got = output(library, ranks, launch(launcher, ranks, [program]), [debian.named(library), folder], LD_BIND_NOW="1")
            same(title, ranks, its, got)
    return "mpif.h, use mpi, use mpi_f08: as on MPICH"


def by_wrapper(prefix):
    """Programs that anyccl-mpifort has compiled, with anyccl's mpif.h and modules, print what they print on Open MPI."""
    library = ours(prefix, "std")
    settings = {"ANYCCL_MPI_FC": " ".join(compiler()), "XDG_CACHE_HOME": str(WORK / "fortran-cache")}
    shutil.rmtree(WORK / "fortran-cache", ignore_errors=True)
    for title, (source, flags, _) in PROGRAMS.items():
        program = WORK / "programs" / f"fortran-own-{title.replace(' ', '-')}"
        modules = program.with_suffix(".modules")
        modules.mkdir(parents=True, exist_ok=True)
        words = ["env", *(f"{name}={value}" for name, value in settings.items()), prefix / "bin" / "anyccl-mpifort", "-O1", "-cpp", "-w",
                 "-fallow-argument-mismatch", "-DWITH_ANYCCL", f"-J{modules}", *flags, SOURCES / source, "-o", program]
        run_compiler(words)
        for ranks in RANKS:
            its, _ = of_open_mpi(title, ranks)
            same(title, ranks, its, output(library, ranks, launch(prefix / "bin" / "anyccl", ranks, [program]), [library.folder]))
    for module in ("mpi", "mpi_f08"):
        program = WORK / "programs" / f"fortran-twins-{module}"
        modules = program.with_suffix(".modules")
        modules.mkdir(parents=True, exist_ok=True)
        run_compiler(["env", *(f"{name}={value}" for name, value in settings.items()), prefix / "bin" / "anyccl-mpifort", "-cpp", "-Wall",
                      f"-J{modules}", *(["-DWITH_F08"] if module == "mpi_f08" else []), SOURCES / "twins.F90", "-o", program])
        got = output(library, 2, launch(prefix / "bin" / "anyccl", 2, [program]), [library.folder])
        if got != ["ok"] * 2:
            raise Failure(f"twins and sizes of {module}: {got}")
    return "anyccl-mpifort: mpif.h, use mpi, use mpi_f08: as on Open MPI"
