#!/usr/bin/env python3
"""Runs NCCL programs that use the CUDA runtime on GPUs that do not exist, or on real ones.

    on_devices.py [--prefix INSTALLED] [--real] [--message-times]

The programs in on_devices/ are those of NCCL's documentation in C, and one that mixes memory of devices and of the host. They are
compiled against NCCL's header, linked with the CUDA runtime for tests (cuda-double) and with an MPI, and started by
`anyccl run --as nccl --fake-gpu` and by anyccl-mpiexec. With --real they are linked with CUDA's own runtime, which nvcc or
CUDA_HOME has, and see the GPUs of this machine. A NCCL program can be tested in the same way where there is no GPU.
One more program uses only MPI, and opens the driver by itself after MPI_Init. Each runs with some of the spreads, which the seed
chooses (../sample.py).

--message-times runs only the program that measures messages, and prints the times of both paths side by side.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import sample  # noqa: E402
from xtask import cuda_double  # noqa: E402

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SOURCES = HERE / "on_devices"
LIMIT_S = 120
# Processes, and GPUs that do not exist.
SPREADS = [(1, 1), (4, 2), (3, 2), (2, 4)]
MPI_PROGRAMS = ["one_device_per_rank", "several_devices_per_rank", "mixture", "pinned", "reset", "scaled", "group_streams", "late",
                "graphs", "one_queue", "exchanges", "around_calls"]

STAGED = {"ANYCCL_DEVICE_WAY": "staged"}
# One hardware queue for all streams of a device, on the driver double and on GPUs.
ONE_QUEUE = {"CUDA_DOUBLE_CHANNELS": "1", "CUDA_DEVICE_MAX_CONNECTIONS": "1"}
# How calls go; a call with ordinary host memory and that of a device is always staged.
BY_BOTH = ("pinned", "reset", "scaled", "group_streams", "late", "graphs", "exchanges", "around_calls")
WAYS = ({"mixture": [STAGED], "one_queue": [ONE_QUEUE, ONE_QUEUE | STAGED]} | {name: [{}, STAGED] for name in BY_BOTH})
WAYS["graphs"] += [ONE_QUEUE]


class Failed(Exception):
    """Raised with a sentence about a program that failed."""


def toolkit():
    """Returns the folder of CUDA's toolkit, or None."""
    named = os.environ.get("CUDA_HOME")
    nvcc = shutil.which("nvcc")
    places = [Path(named)] if named else []
    places += [Path(nvcc).resolve().parent.parent] if nvcc else []
    return next((place for place in [*places, Path("/usr/local/cuda")] if (place / "include/cuda_runtime.h").exists()), None)


class Bench:
    """The installed library, and the programs that are tested with it."""

    def __init__(self, prefix, header, work, real):
        self.prefix, self.real, self.work = prefix, real, work
        self.header, self.home = header, toolkit() if real else None
        if real and self.home is None:
            raise Failed("CUDA's toolkit is not here: set CUDA_HOME to its folder")
        if not real:
            self.double = Path(cuda_double())
        work.mkdir(parents=True, exist_ok=True)

    def compile(self, name):
        """Compiles a program as its users would, with the header of CUDA or that of the double."""
        if self.real:
            libraries = next(place for place in (self.home / "lib64", self.home / "lib") if place.is_dir())
            cuda = ["-I", self.home / "include", "-L", libraries, f"-Wl,-rpath,{libraries}", "-lcudart"]
        else:
            cuda = ["-I", ROOT / "cuda-double/include", "-I", HERE / "stand-in", "-L", self.double, "-lcudart"]
        with_mpi = name in [*MPI_PROGRAMS, "message_times"]
        compiler = self.prefix / "bin/anyccl-mpicc" if with_mpi else os.environ.get("CC", "cc")
        program = self.work / name
        words = [compiler, "-std=c11", "-pthread", "-Wall", "-Wextra", "-O1", "-I", self.header.parent, SOURCES / f"{name}.c", "-o", program,
                 "-L", self.prefix / "lib/anyccl/nccl", "-lnccl", *cuda]
        subprocess.run([str(word) for word in words], check=True)
        return program

    def compile_for_mpi(self, name):
        """Compiles a program that is linked with neither NCCL nor CUDA."""
        program = self.work / name
        words = [self.prefix / "bin/anyccl-mpicc", "-std=gnu11", "-Wall", "-Wextra", "-O1", SOURCES / f"{name}.c", "-o", program, "-ldl"]
        subprocess.run([str(word) for word in words], check=True)
        return program

    def run(self, tool, words, expected, said="NCCL is anyccl", **variables):
        """Runs a job, and expects a line of success from each process, and what the library says. Returns its outputs."""
        command = [str(self.prefix / "bin" / tool), *map(str, words)]
        environment = os.environ | ({} if self.real else {"ANYCCL_CUDA_DOUBLE": str(self.double)}) | variables
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=LIMIT_S)
        if done.returncode != 0 or done.stdout.count("Success: ") != expected or said not in done.stderr:
            raise Failed(f"{' '.join(command)}: code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout, done.stderr

    def fake(self, dash, gpus):
        return [] if self.real else [f"{dash}fake-gpu", gpus]


def check(prefix, header, work, real=False):
    """Builds and runs the programs. Raises Failed."""
    bench = Bench(prefix, header, work, real)
    single = bench.compile("one_process")
    for ranks, gpus in ((1, 1), (4, 2), (8, 2)):
        bench.run("anyccl", ["run", "--as", "nccl", *bench.fake("--", gpus), "-n", 1, single, ranks], 1)
    print("on devices: one_process", flush=True)
    bench.run("anyccl", ["run", "--as", "nccl", *bench.fake("--", 2), "-n", 1, bench.compile("memory")], 1)
    for way in ({}, STAGED):
        bench.run("anyccl", ["run", "--as", "nccl", *bench.fake("--", 2), "-n", 1, bench.compile("pinned_devices")], 1, **way)
    print("on devices: memory", flush=True)
    for cell, name in enumerate(MPI_PROGRAMS):
        program = bench.compile(name)
        for way in WAYS.get(name, [{}]):
            for processes, gpus in sample.some(SPREADS, 2, cell):
                bench.run("anyccl", ["run", "--as", "nccl", *bench.fake("--", gpus), "-n", processes, program], processes, **way)
            bench.run("anyccl-mpiexec", ["-as", "nccl", *bench.fake("-", 2), "-n", 4, program], 4, **way)
        print(f"on devices: {name}", flush=True)
    late = bench.compile_for_mpi("driver_later")
    for processes, gpus in sample.some(SPREADS, 2, len(MPI_PROGRAMS)):
        bench.run("anyccl", ["run", "--as", "mpi", *bench.fake("--", gpus), "-n", processes, late], processes, said="MPI is anyccl")
    print("on devices: driver_later", flush=True)
    # Its last communicator uses only buffers that the receivers address.
    for processes, gpus in ((2, 1), (3, 2)):
        words = ["run", "--as", "nccl", *bench.fake("--", gpus), "-n", processes, bench.compile("exchanges")]
        _, errors = bench.run("anyccl", words, processes, ANYCCL_LOG="debug")
        if re.findall(r'in "last": .* have copied (\d+)', errors) != ["0"] * processes:
            raise Failed(f"exchanges: the last communicator has copied buffers\n{errors}")
    print("on devices: exchanges without copies in host memory", flush=True)
    message_times(bench, 2)


def message_times(bench, groups):
    """Prints the times of messages by both paths. On the double only the bytes mean something."""
    program = bench.compile("message_times")
    for ranks in (2, 4):
        columns = []
        for way in (STAGED, {"ANYCCL_DEVICE_MESSAGE_BYTES": "0"}):
            words = ["run", "--no-prefix", "--as", "nccl", *bench.fake("--", 1), "-n", ranks, program, groups]
            lines, _ = bench.run("anyccl", words, ranks, **way)
            columns.append(dict(re.findall(r"^(\d+) (\d+)$", lines, re.MULTILINE)))
        staged, direct = columns
        print(f"messages around a ring of {ranks} ranks on one GPU, median of {groups}, in microseconds\n     bytes   staged   direct")
        for length in staged:
            print(f"{length:>10} {staged[length]:>8} {direct[length]:>8}", flush=True)
        if len(staged) != 9 or staged.keys() != direct.keys():
            raise Failed(f"message_times: {columns}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", type=Path, default=ROOT / "target" / "demo-prefix", help="where anyccl is installed")
    parser.add_argument("--real", action="store_true", help="use the GPUs of this machine")
    parser.add_argument("--message-times", action="store_true", help="only measure messages")
    options = parser.parse_args()
    import pypi
    import run
    try:
        run.header()
        place = (options.prefix.resolve(), run.HEADER, run.WORK / "on-devices", options.real)
        if options.message_times:
            message_times(Bench(*place), 200 if options.real else 2)
        else:
            check(*place)
    except pypi.Missing as reason:
        print(f"SKIPPED: {run.WHEEL} cannot be had: {reason}")
    except (Failed, subprocess.TimeoutExpired) as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    main()
