#!/usr/bin/env python3
"""Lets each call of the library into the system, the driver of GPUs or a caller's store fail once, and looks at how the job ends.

    run.py [--prefix INSTALLED] [--python PYTHON] [DOOR...]

faults.c makes one call of one rank fail. The driver double does that with its own calls. A first run of each job counts the calls.
Then there is a run for each function and each of its first calls. A job ends well if all ranks have the right values, or if each rank
that fails says why. Nobody may crash, hang or have a wrong value. A sample of the calls fails, or each with ANYCCL_TEST_LONG=1
(../sample.py). With --python, the doors are those of the package that this Python has: Python's, and PyTorch's if it has torch.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.append(str(HERE.parent))
import pypi  # noqa: E402
import sample  # noqa: E402
from xtask import cuda_double  # noqa: E402

WORK = ROOT / "target" / "nth-failure"
SIZE = 2
# Calls of one function beyond these are in loops that have been seen.
MOST_CALLS = 40
ALLOCATIONS = ("malloc", "calloc", "realloc", "posix_memalign")
# Longest time of a job. Its calls have a deadline of DEADLINE_S.
LIMIT_S, DEADLINE_S = 60, 8
# What a process may not end by. MPI ends a job by SIGTERM, as launchers do.
CRASHES = {-number for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE)}


class Process:
    """A rank that is a program."""

    def __init__(self, words, variables, end):
        self.child = subprocess.Popen([str(word) for word in words], env=variables, pass_fds=[end], stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True, errors="replace")

    def end(self, limit_s):
        """Waits for the end. Returns the exit status and the output. A rank that hangs has the status None."""
        try:
            output, _ = self.child.communicate(timeout=limit_s)
            return self.child.returncode, output
        except subprocess.TimeoutExpired:
            self.child.kill()
            return None, self.child.communicate()[0]


class Forks:
    """A Python that has imported torch and forks ranks (pytorch.py)."""

    def __init__(self, words, variables):
        self.lock = threading.Lock()
        self.orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.process = subprocess.Popen([*map(str, words), str(theirs.fileno())], env=variables, pass_fds=[theirs.fileno()])
        theirs.close()

    def start(self, variables):
        return Fork(self, variables)

    def close(self):
        self.orders.close()
        self.process.wait()


class Fork:
    """A rank that was forked."""

    def __init__(self, forks, variables):
        self.output = tempfile.TemporaryFile("w+", errors="replace")
        self.ending, theirs = os.pipe()
        with forks.lock:
            socket.send_fds(forks.orders, [json.dumps(variables).encode()], [self.output.fileno(), theirs])
        os.close(theirs)

    def end(self, limit_s):
        """As of Process."""
        told, until = b"", time.monotonic() + limit_s
        while told.count(b"\n") < 2 and select.select([self.ending], [], [], max(0, until - time.monotonic()))[0]:
            told += os.read(self.ending, 100)
        process, *status = map(int, told.split())
        if not status:
            os.kill(process, signal.SIGKILL)
        os.close(self.ending)
        with self.output:
            self.output.seek(0)
            return status[0] if status else None, self.output.read()


class Door:
    """A program for one of the library's interfaces."""

    def __init__(self, name, program, variables, *, launcher=(), functions=None, chosen=13):
        self.name, self.program, self.variables, self.launcher = name, program, variables, launcher
        # The functions that fail, if not all, and the number of calls of a sample.
        self.functions, self.chosen = functions, chosen

    def start(self, variables, own, end):
        """Starts a rank. `own` are the variables that the others do not have."""
        return Process([*self.program, end], variables | own, end)

    def run(self, victim, function=None, call=None, counts=None):
        """Runs the job. Returns the exit status and the output of each rank, or of the launcher."""
        with tempfile.TemporaryDirectory() as folder:
            shared = os.environ | {"LD_PRELOAD": str(WORK / "faults.so"), "NTH_RANK": str(victim), "WORLD_SIZE": str(SIZE),
                                   "ANYCCL_TIMEOUT_MS": str(1000 * DEADLINE_S), "OMP_NUM_THREADS": "1", "FOLDER": folder}
            shared |= self.variables | (self.failure(function, call) if function else {}) | ({"NTH_COUNTS": str(counts)} if counts else {})
            # From rank 0 to rank 1, for programs that pass something on by themselves.
            reads, writes = os.pipe()
            if self.launcher:
                ranks = [Process([*self.launcher, *self.program, writes], shared, writes)]
            else:
                shared |= {"ANYCCL_WORLD_SIZE": str(SIZE), "ANYCCL_STORE": f"file://{folder}/store", "STORE": f"{folder}/pytorch"}
                ranks = [self.start(shared, {"ANYCCL_RANK": str(rank), "RANK": str(rank)}, end) for rank, end in enumerate([writes, reads])]
            os.close(reads)
            os.close(writes)
            return [rank.end(LIMIT_S) for rank in ranks]

    def failure(self, function, call):
        """Returns the variables that make a call fail."""
        return {"NTH_FUNCTION": function, "NTH_CALL": str(call)}

    def counted(self, victim):
        """Returns (function, number of its calls) of one rank of a job in which nothing fails."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "counts"
            ends = self.run(victim, counts=file)
            if any(status != 0 for status, _ in ends):
                sys.exit(f"{self.name} fails without a failure: {ends}")
            return [(name, int(count)) for name, count in (line.split() for line in file.read_text().splitlines())]

    def close(self):
        """Ends what the door has started."""


class PytorchDoor(Door):
    """The door of PyTorch, whose import takes seconds."""

    def __init__(self, name, program, variables, **rest):
        super().__init__(name, program, variables, **rest)
        self.forks = Forks(program, os.environ | {"LD_PRELOAD": str(WORK / "faults.so"), "OMP_NUM_THREADS": "1"})

    def start(self, variables, own, end):
        return self.forks.start(variables | own)

    def close(self):
        self.forks.close()


class DriverDoor(Door):
    """A program on the driver double. The functions that fail are those of the driver."""

    def failure(self, function, call):
        return {"NTH_DRIVER": function, "NTH_CALL": str(call)}

    def counted(self, victim):
        traced = DriverDoor(self.name, self.program, self.variables | {"CUDA_DOUBLE_TRACE": "1"})
        ends = traced.run(victim)
        if any(status != 0 for status, _ in ends):
            sys.exit(f"{self.name} fails without a failure: {ends}")
        calls = re.search("DRIVER BEGINS(.*)DRIVER ENDS", ends[victim][1], re.DOTALL)[1]
        return list(Counter(re.findall(r"ThreadId\(\d+\) (cu\w+): ", calls)).items())


def what_is_wrong(ends):
    """Returns what is wrong with the ends of a job; empty if nothing."""
    for rank, (status, output) in enumerate(ends):
        if status is None:
            return f"rank {rank} hangs"
        if status in CRASHES or "panicked" in output or "WRONG " in output or "terminate called" in output:
            return f"rank {rank} has ended with {status}"
        if status == 0 and "done" not in output:
            return f"rank {rank} has not done its work, and says that all is well"
        # Who is ended by another rank's MPI_Abort says nothing.
        is_aborted = any("MPI_Abort" in output for _, output in ends)
        if status != 0 and not is_aborted and not re.search(r"anyccl|nccl|MPI", output, re.IGNORECASE):
            return f"rank {rank} has ended with {status}, without a reason"
    return ""


def nccl_tests():
    """Returns the module that gets NCCL's header."""
    found = importlib.util.spec_from_file_location("nccl_tests", HERE.parent / "nccl" / "run.py")
    module = importlib.util.module_from_spec(found)
    sys.path.append(str(HERE.parent / "nccl"))
    found.loader.exec_module(module)
    return module


def doors(prefix, python):
    """Compiles the programs, and yields the doors."""
    library = prefix / "lib"
    compiler = [os.environ.get("CC", "cc"), "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-O1"]

    def compiled(name, *words, compiler=compiler, ending=""):
        program = WORK / (name + ending)
        # Another run of this script may use the old one.
        fresh = program.with_name(f"{program.name}.{os.getpid()}")
        subprocess.run([str(word) for word in (*compiler, HERE / f"{name}.c", "-o", fresh, *words)], check=True)
        fresh.replace(program)
        return [program]

    compiled("faults", "-fPIC", "-shared", "-Wl,-soname,faults.so", "-ldl", ending=".so")
    if python:
        yield Door("python", [python, HERE / "python.py"], {"ANYCCL_TRANSPORT": "shm"}, chosen=10)
        if subprocess.run([python, "-c", "import torch"], cwd="/", stderr=subprocess.DEVNULL).returncode == 0:
            yield PytorchDoor("pytorch", [python, HERE / "pytorch.py"], {"ANYCCL_TRANSPORT": "tcp"}, chosen=10)
        return
    against = [f"-I{prefix / 'include'}", f"-L{library}", f"-Wl,-rpath,{library}", "-lanyccl", "-ldl"]
    native = compiled("native", *against)
    for transport in ("shm", "tcp"):
        yield Door(f"native over {transport}", native, {"ANYCCL_TRANSPORT": transport})
    launcher = [prefix / "bin" / "anyccl", "run", "--no-prefix", "-n", SIZE, "--"]
    yield Door("native by the launcher", native, {}, launcher=launcher)
    yield Door("store", compiled("store", *against, WORK / "faults.so", f"-Wl,-rpath,{WORK}"), {"ANYCCL_TIMEOUT_MS": "2000"},
               functions=("store",))
    memory = compiled("memory", *against)
    for transport in ("shm", "tcp"):
        yield Door(f"memory over {transport}", memory, {"ANYCCL_TRANSPORT": transport}, functions=ALLOCATIONS, chosen=8)
    double = {"LD_LIBRARY_PATH": cuda_double(), "CUDA_DOUBLE_DELAY_US": "0"}
    for way in ("direct", "staged"):
        yield DriverDoor(f"gpu, {way}", compiled("gpu", *against), double | {"ANYCCL_DEVICE_WAY": way}, chosen=12)
    mpi_compiler = [prefix / "bin" / "anyccl-mpicc", "-std=c11", "-O1"]
    yield Door("mpi", compiled("mpi", compiler=mpi_compiler), {})
    yield Door("memory of mpi", compiled("mpi_memory", compiler=mpi_compiler), {}, functions=ALLOCATIONS, chosen=8)
    nccl = nccl_tests()
    try:
        nccl.header()
    except pypi.Missing as reason:
        print(f"SKIPPED: the NCCL door: {nccl.WHEEL} cannot be had: {reason}", flush=True)
        return
    folder = library / "anyccl" / "nccl"
    nccl_words = ["-I", nccl.HEADER.parent, "-I", HERE.parent / "nccl" / "stand-in", f"-L{folder}", f"-Wl,-rpath,{folder}", "-lnccl"]
    yield Door("nccl", compiled("nccl", *nccl_words), {"ANYCCL_TRANSPORT": "shm"})


def try_door(door, is_verbose):
    """Lets calls fail. Returns the number of jobs that end wrongly."""
    cells = [(victim, function, call) for victim in range(SIZE) for function, count in door.counted(victim)
             if door.functions is None or function in door.functions for call in range(1, min(count, MOST_CALLS) + 1)]
    chosen = sample.some(cells, door.chosen, door.name)
    failed = told = late = 0

    def timed(cell):
        begun = time.monotonic()
        return door.run(*cell), time.monotonic() - begun

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for (victim, function, call), (ends, seconds) in zip(chosen, pool.map(timed, chosen)):
            wrong = what_is_wrong(ends)
            late += seconds >= DEADLINE_S
            if is_verbose:
                print(f"{door.name}, call {call} of {function} in rank {victim}: {seconds:.1f} s, {ends}", flush=True)
            told += any(status != 0 for status, _ in ends)
            if wrong:
                failed += 1
                print(f"FAILED  {door.name}, call {call} of {function} in rank {victim}: {wrong}", flush=True)
                for rank, (status, output) in enumerate(ends):
                    print(f"  rank {rank}, {status}: {output.strip()[-1500:]}", flush=True)
    print(f"{door.name}: {len(chosen)} of {len(cells)} calls failed, {told} jobs told of it, the others went on; {late} waited for the deadline",
          flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", type=Path, default=ROOT / "target" / "test-prefix", help="where anyccl is installed")
    parser.add_argument("--python", type=Path, help="the Python whose package is tried")
    parser.add_argument("--verbose", action="store_true", help="prints how each job ends")
    parser.add_argument("doors", nargs="*", help="only doors whose name has one of these words in it")
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    failed = 0
    for door in doors(options.prefix.resolve(), options.python and options.python.absolute()):
        with contextlib.closing(door):
            if not options.doors or any(word in door.name for word in options.doors):
                failed += try_door(door, options.verbose)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
