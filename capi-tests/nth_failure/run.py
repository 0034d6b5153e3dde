#!/usr/bin/env python3
"""Lets each call of the library into the system fail once, and looks at how the job ends.

    run.py [--prefix INSTALLED] [DOOR...]

faults.c makes one call of one rank fail. A first run of each job counts the calls. Then there is a run for each function and each of
its first calls. A job ends well if all ranks have the right values, or if each rank that fails says why. Nobody may crash, hang or
have a wrong value. A sample of the calls fails, or each with ANYCCL_TEST_LONG=1 (../sample.py).
"""

import argparse
import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.append(str(HERE.parent))
import pypi  # noqa: E402
import sample  # noqa: E402

WORK = ROOT / "target" / "nth-failure"
SIZE = 2
# Calls of one function beyond these are in loops that have been seen.
MOST_CALLS = 40
# Longest time of a job. Its calls have a deadline of DEADLINE_S.
LIMIT_S, DEADLINE_S = 60, 8
# What a process may not end by. MPI ends a job by SIGTERM, as launchers do.
CRASHES = {-number for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE)}


class Door:
    """A program for one of the library's interfaces."""

    def __init__(self, name, program, variables):
        self.name, self.program, self.variables = name, program, variables

    def run(self, victim, function=None, call=None, counts=None):
        """Runs the job. Returns the exit status and the output of each rank. A job that hangs has the status None."""
        with tempfile.TemporaryDirectory() as folder:
            shared = os.environ | self.variables | {"LD_PRELOAD": str(WORK / "faults.so"), "NTH_RANK": str(victim),
                                                    "ANYCCL_TIMEOUT_MS": str(1000 * DEADLINE_S), "WORLD_SIZE": str(SIZE),
                                                    "ANYCCL_WORLD_SIZE": str(SIZE), "ANYCCL_STORE": f"file://{folder}/store"}
            if function:
                shared |= {"NTH_FUNCTION": function, "NTH_CALL": str(call)}
            if counts:
                shared["NTH_COUNTS"] = str(counts)
            # From rank 0 to rank 1, for programs that pass something on by themselves.
            reads, writes = os.pipe()
            ranks = [subprocess.Popen([self.program, str(end)], env=shared | {"ANYCCL_RANK": str(rank), "RANK": str(rank)}, pass_fds=[end],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
                     for rank, end in enumerate([writes, reads])]
            os.close(reads)
            os.close(writes)
            ends = []
            for rank in ranks:
                try:
                    output, _ = rank.communicate(timeout=LIMIT_S)
                    ends.append((rank.returncode, output))
                except subprocess.TimeoutExpired:
                    rank.kill()
                    ends.append((None, rank.communicate()[0]))
            return ends


def what_is_wrong(ends):
    """Returns what is wrong with the ends of a job; empty if nothing."""
    for rank, (status, output) in enumerate(ends):
        if status is None:
            return f"rank {rank} hangs"
        if status in CRASHES or "panicked" in output or "WRONG VALUE" in output:
            return f"rank {rank} has ended with {status}"
        if status == 0 and "done" not in output:
            return f"rank {rank} has not done its work, and says that all is well"
        if status != 0 and not re.search(r"anyccl|nccl|MPI", output, re.IGNORECASE):
            return f"rank {rank} has ended with {status}, without a reason"
    return ""


def nccl_tests():
    """Returns the module that gets NCCL's header."""
    found = importlib.util.spec_from_file_location("nccl_tests", HERE.parent / "nccl" / "run.py")
    module = importlib.util.module_from_spec(found)
    sys.path.append(str(HERE.parent / "nccl"))
    found.loader.exec_module(module)
    return module


def doors(prefix):
    """Compiles the programs, and yields the doors."""
    library = prefix / "lib"
    compiler = [os.environ.get("CC", "cc"), "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-O1"]

    def compiled(name, *words, compiler=compiler):
        program = WORK / name
        subprocess.run([str(word) for word in (*compiler, HERE / f"{name}.c", "-o", program, *words)], check=True)
        return program

    subprocess.run([*compiler, "-fPIC", "-shared", HERE / "faults.c", "-o", WORK / "faults.so", "-ldl"], check=True)
    native = compiled("native", f"-I{prefix / 'include'}", f"-L{library}", f"-Wl,-rpath,{library}", "-lanyccl")
    for transport in ("shm", "tcp"):
        yield Door(f"native over {transport}", native, {"ANYCCL_TRANSPORT": transport})
    yield Door("mpi", compiled("mpi", compiler=[prefix / "bin" / "anyccl-mpicc", "-std=c11", "-O1"]), {})
    nccl = nccl_tests()
    try:
        nccl.header()
    except pypi.Missing as reason:
        print(f"SKIPPED: the NCCL door: {nccl.WHEEL} cannot be had: {reason}", flush=True)
        return
    folder = library / "anyccl" / "nccl"
    nccl_words = ["-I", nccl.HEADER.parent, "-I", HERE.parent / "nccl" / "stand-in", f"-L{folder}", f"-Wl,-rpath,{folder}", "-lnccl"]
    yield Door("nccl", compiled("nccl", *nccl_words), {"ANYCCL_TRANSPORT": "shm"})


def counted(door, victim):
    """Returns (function, number of its calls) of one rank of a job in which nothing fails."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "counts"
        ends = door.run(victim, counts=file)
        if any(status != 0 for status, _ in ends):
            sys.exit(f"{door.name} fails without a failure: {ends}")
        return [(name, int(count)) for name, count in (line.split() for line in file.read_text().splitlines())]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", type=Path, default=ROOT / "target" / "test-prefix", help="where anyccl is installed")
    parser.add_argument("doors", nargs="*", help="only doors whose name has one of these words in it")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    failed = 0
    for door in doors(options.prefix.resolve()):
        if options.doors and not any(word in door.name for word in options.doors):
            continue
        cells = [(victim, function, call) for victim in range(SIZE) for function, count in counted(door, victim)
                 for call in range(1, min(count, MOST_CALLS) + 1)]
        chosen = sample.some(cells, 30, door.name)
        told = 0
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for (victim, function, call), ends in zip(chosen, pool.map(lambda cell: door.run(*cell), chosen)):
                wrong = what_is_wrong(ends)
                told += any(status != 0 for status, _ in ends)
                if wrong:
                    failed += 1
                    print(f"FAILED  {door.name}, call {call} of {function} in rank {victim}: {wrong}", flush=True)
                    for rank, (status, output) in enumerate(ends):
                        print(f"  rank {rank}, {status}: {output.strip()[-1500:]}", flush=True)
        print(f"{door.name}: {len(chosen)} of {len(cells)} calls failed, {told} jobs told of it, the others went on", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
