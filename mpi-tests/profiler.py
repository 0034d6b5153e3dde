"""A test of a profiling tool: a preloaded library that overrides MPI_Send and MPI_Allreduce sees every call."""

import subprocess

from programs import build, describe
from setting import HEADER, HERE, VENV, WORK, Failure, job, launch, mpi4py_on, open_mpi

EXPECTED = [f"profiler {rank}: 5 sends of 20, 3 reductions of 30" for rank in range(2)]


def tool(library):
    """Builds the library to preload."""
    file = WORK / "programs" / f"profiler-{library}.so"
    file.parent.mkdir(parents=True, exist_ok=True)
    theirs = open_mpi() if library.abi == "ompi" else VENV
    folder, more = (HEADER, ["-lmpi_abi"]) if library.abi == "std" else (theirs / "include", ["-lmpi"])
    # The tool is linked with the MPI library, because Python does not load that into the global name space.
    ended = subprocess.run(["cc", "-shared", "-fPIC", "-O1", f"-I{folder}", HERE / "profiler.c", "-o", file,
                            f"-L{theirs}/lib", f"-Wl,-rpath-link,{theirs}/lib", *more], capture_output=True, text=True)
    if ended.returncode != 0:
        raise Failure(ended.stderr)
    return file


def run(library):
    """Runs a C program and a Python program under the tool, on two ranks."""
    python = mpi4py_on(library)
    # `env` sets LD_PRELOAD for the program only, so the launcher is not profiled.
    preload = ["env", f"LD_PRELOAD={tool(library)}"]
    for words, more in (([build("profiled", library.abi)], {}), ([VENV / "bin" / "python", HERE / "profiled.py"], python)):
        ended = job(launch("mpiexec", 2, [*preload, *words]), library, 60, **more)
        if ended.status != 0:
            raise Failure(describe(ended))
        seen = sorted(line for line in ended.err.splitlines() if line.startswith("profiler"))
        if seen != EXPECTED:
            raise Failure(f"{words[-1].name}: the tool saw {seen}, not {EXPECTED}")
    return "in C and through mpi4py"
