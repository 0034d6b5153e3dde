"""Builds the test programs of this folder for each ABI, runs them on MPICH and on anyccl, and compares the outputs."""

import hashlib
import shutil
import subprocess

import trampoline
from setting import AT_MPI_3_1, HEADER, HERE, PACKAGES, SECONDS, VENV, WORK, Failure, job, launch, mpi4py_on, mpich, open_mpi, pypi

# Basic functions come first: a program uses functions that the programs before it test.
PROGRAMS = ["p2p_modes", "answers", "groups", "info_env", "errors", "handlers", "attributes", "requests", "typed_pingpong", "random_types",
            "collectives", "operators", "intercomm", "topologies", "files", "random_files", "windows", "random_windows",
            "large_counts", "threads", "partitioned", "sessions", "tools"]
# Programs about functions of MPI 4.0, which Open MPI's ABI has as well.
OF_MPI_4 = ["partitioned", "sessions"]
# Programs about functions that MPItrampoline's ABI has not.
NOT_OF_TRAMPOLINE = [*OF_MPI_4, "tools"]
RANKS = [1, 2, 3, 4]
# A build for MPICH that leaves out what is newer than MPI 3.1, as Open MPI's header does.
AT_3_1 = "mpich-3.1"
WARNINGS = ["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-Werror"]


def exists(name):
    return (HERE / f"{name}.c").exists()


def parts(name):
    """Returns the files from which a program is made."""
    return [HERE / f"{name}.c", HERE / "common" / "report.h", HEADER / "mpi.h"]


def build(name, abi):
    """Compiles a program with the mpi.h of MPICH, of Open MPI or of anyccl. Returns its file."""
    source, program = HERE / f"{name}.c", WORK / "programs" / f"{name}-{abi}"
    program.parent.mkdir(parents=True, exist_ok=True)
    if program.exists() and all(program.stat().st_mtime > part.stat().st_mtime for part in parts(name)):
        return program
    if abi == "std":
        command = ["cc", *WARNINGS, "-Wpedantic", f"-I{HEADER}", f"-I{HERE}", source, "-o", program, f"-L{VENV}/lib",
                   f"-Wl,-rpath,{VENV}/lib", "-lmpi_abi"]
    elif abi in ("mpich", AT_3_1):
        only = [] if abi == "mpich" else ["-DMPI_3_1_ONLY"]
        command = [VENV / "bin" / "mpicc", *WARNINGS, *only, f"-I{HERE}", source, "-o", program]
    elif abi == "trampoline":
        command = ["cc", *WARNINGS, *trampoline.flags(), f"-I{HERE}", source, "-o", program, "-l:libmpiwrapper.so"]
    else:
        theirs = open_mpi()
        # GCC takes "no elements" of Open MPI's declarations for one element.
        command = ["cc", *WARNINGS, "-Wno-stringop-overread", "-Wno-stringop-overflow", f"-I{HERE}",
                   f"-I{theirs}/include", source, "-o", program, f"-L{theirs}/lib", f"-Wl,-rpath-link,{theirs}/lib", "-lmpi"]
    ended = subprocess.run([*map(str, command), "-rdynamic", "-lpthread", "-lm"], capture_output=True, text=True)
    if ended.returncode != 0:
        raise Failure(f"{name} cannot be compiled for {abi}:\n{ended.stderr}")
    return program


def on_mpich(name, files, take):
    """Returns the output of a job on MPICH. It is kept by the files that it is made from, and by this one, which compiles them.
    Without it, `take` runs the job."""
    folder = WORK / "reference"
    home = pypi.kept(folder, PACKAGES[0])
    home.mkdir(parents=True, exist_ok=True)
    made_from = hashlib.sha256(b"".join(file.read_bytes() for file in [*files, HERE / "programs.py"]))
    kept = folder / f"{name}-{made_from.hexdigest()[:16]}.txt"
    if not kept.exists():
        pypi.write_whole(kept, take().encode())
    return kept.read_text()


def reference(name, abi, ranks):
    """Runs a program of ours on MPICH, and returns its output. `abi` is one of MPICH's, or AT_3_1."""
    # Ranks of MPICH poll. Where they share cores, a program takes long.
    ended = job(launch("mpiexec", ranks, [build(name, abi)]), mpich("std" if abi == "std" else "mpich"), SECONDS)
    if ended.status != 0:
        raise Failure(f"on MPICH: {describe(ended)}")
    return ended.out


def describe(ended, seconds=SECONDS):
    """Describes how a job failed, with its first bad lines."""
    lines = ended.err.splitlines()
    bad = [line[:300] for line in (ended.out.splitlines() or lines) if "FAILED " in line]
    last = {line.partition(":")[0]: line for line in lines if line.partition(":")[0].isdecimal()}
    others = [line for line in lines if not line.partition(":")[0].isdecimal()]
    if ended.status is None:
        return "\n    ".join([f"not finished after {seconds} s; the last line of each rank:", *last.values(), *bad[:8]])
    return "\n    ".join([f"exit status {ended.status}", *bad[:8], *others[-8:]])


def first_difference(ours, its):
    """Describes the first difference of two texts."""
    ours, its = ours.splitlines(), its.splitlines()
    for number, (one, other) in enumerate(zip(ours, its), 1):
        if one != other:
            return f"line {number}:\n    ours  {one}\n    MPICH {other}"
    return f"{len(ours)} lines, MPICH has {len(its)}"


def run(name, library, ranks, launcher, seconds=SECONDS):
    """Runs a program. Raises Failure unless it passes and prints the same as on MPICH."""
    ended = job(launch(launcher, ranks, [build(name, library.abi)]), library, seconds, REPORT_NOW="1")
    if ended.status != 0:
        raise Failure(describe(ended, seconds))
    if shutil.which(VENV / "bin" / "mpiexec"):
        its = library.abi
        if its in AT_MPI_3_1:
            its = "mpich" if name in OF_MPI_4 else AT_3_1
        expected = on_mpich(f"{name}-{its}-{ranks}", parts(name), lambda: reference(name, its, ranks))
        if ended.out != expected:
            raise Failure(f"another output than on MPICH: {first_difference(ended.out, expected)}")


SAYS_WHICH = """from mpi4py import MPI
number, room = (MPI.COMM_WORLD.Get_attr(key) for key in (MPI.APPNUM, MPI.UNIVERSE_SIZE))
print(MPI.COMM_WORLD.rank, number, room)"""


def several(library):
    """Runs several programs as one job of MPICH's mpiexec. MPI_APPNUM and MPI_UNIVERSE_SIZE must be those on MPICH."""
    words = [str(VENV / "bin" / "python"), "-c", SAYS_WHICH]
    command = [*launch("mpiexec", 1, words), ":", "-n", "2", *words]
    said = []
    for where in (mpich("std" if library.abi == "std" else "mpich"), library):
        ended = job(command, where, SECONDS, **mpi4py_on(where))
        if ended.status != 0:
            raise Failure(f"on {where}: {describe(ended)}")
        said.append(sorted(ended.out.splitlines()))
    if said[0] != said[1] or len(said[1]) != 3:
        raise Failure(f"{said[1]}, on MPICH {said[0]}")
    return ", ".join(said[1])
