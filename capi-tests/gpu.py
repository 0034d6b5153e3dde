#!/usr/bin/env python3
"""Runs what uses memory of GPUs, on the GPUs of this machine or, where there are none, on GPUs that do not exist.

    make test-gpu
    make test-gpu QUICK=1
    python3 capi-tests/gpu.py [--prefix INSTALLED] [--double] [--quick] [NAME...]

--quick is for a machine that is there for a quarter of an hour: what docs/gpu.md calls unproved comes first, and no step takes
more than two minutes and a half. Each step checks its results. What a machine lacks is left out, with the reason. The output of the steps is in target/gpu, and
figures are there as JSON; on the driver for tests (cuda-double) figures mean nothing. docs/gpu.md has what was run where.

    ANYCCL_NCCL_TESTS   folder of nccl-tests' programs, built with MPI=1 for MPICH's ABI: run with all ranks on device 0
    TORCH_PYTHON        a Python with PyTorch for CUDA: its nccl backend with several processes on device 0
    ANYCCL_NCCL_LIB     a real NCCL, to compare with: NCCL_MULTI_RANK_GPU_ENABLE=1 lets its ranks share a GPU
"""

import argparse
import ctypes
import lzma
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
KERNELS = ROOT / "src" / "device" / "kernels"
OUTPUT = ROOT / "target" / "gpu"
DOUBLE = ROOT / "target" / "cuda-double"
sys.path[:0] = [str(HERE)]
from named_tests import Failure, Skipped, run_named  # noqa: E402
from xtask import cuda_double  # noqa: E402

RANKS = (1, 2, 4, 8)
LIMIT_S, QUICK_LIMIT_S = 600, 150
# Steps of --quick, in the order of what is least known of GPUs.
QUICK = ("what is here", "facts of the driver", "messages by both paths", "NCCL programs", "C API on 2 ranks",
         "all_reduce on 2 ranks", "all_reduce on 4 ranks", "nccl-tests on one GPU by anyccl")


def real_devices():
    """Returns the number of GPUs that the CUDA driver of this machine has."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    return count.value if driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 else 0


class Machine:
    """The installed tool, and the GPUs that it is tested on."""

    def __init__(self, prefix, devices, limit_s=LIMIT_S):
        self.prefix, self.devices, self.is_real, self.limit_s = prefix, devices, devices > 0, limit_s
        self.fake = [] if self.is_real else ["--fake-gpu", "2"]

    def run(self, name, words, **variables):
        """Runs a command to its end, and keeps its output."""
        environment = os.environ | {"ANYCCL_CUDA_DOUBLE": str(DOUBLE)} | variables
        output = OUTPUT / f"{name.replace(' ', '-')}.txt"
        with output.open("w") as file:
            words = [str(word) for word in words]
            try:
                done = subprocess.run(words, env=environment, stdout=file, stderr=subprocess.STDOUT, timeout=self.limit_s,
                                      stdin=subprocess.DEVNULL)
            except subprocess.TimeoutExpired:
                raise Failure(f"still running after {self.limit_s} s: {' '.join(words)}\n{output}") from None
        if done.returncode != 0:
            raise Failure(f"{' '.join(words)}: {done.returncode}\n{output.read_text()[-3000:]}")

    def ranks(self, name, ranks, words, **variables):
        """Runs a program on some ranks, which see the GPUs."""
        tool = self.prefix / "bin" / "anyccl"
        self.run(name, [tool, "run", "--no-prefix", *self.fake, "-n", ranks, "--", *words], **variables)


def compiled(machine, source):
    """Compiles a program of this folder against the installed library."""
    program, library = OUTPUT / source.stem, machine.prefix / "lib"
    words = [os.environ.get("CC", "cc"), "-std=c11", "-D_GNU_SOURCE", "-O1", source, "-o", program, f"-I{HERE / 'common'}",
             f"-I{machine.prefix / 'include'}", f"-L{library}", f"-Wl,-rpath,{library}", "-lanyccl", "-ldl"]
    subprocess.run([str(word) for word in words], check=True)
    return program


def steps(machine):
    """Yields a name and a function for each step."""
    tool = machine.prefix / "bin" / "anyccl"
    largest = "256M" if machine.is_real else "256K"
    # The double's streams are slow on purpose.
    brief = [] if machine.is_real else ["--iterations", "2", "-w", "1"]

    def perf(ranks, what, **variables):
        name = f"{what} on {ranks} ranks"
        sizes = ["-b", "8", "-e", largest, "-f", "8", "--json", OUTPUT / f"{what}-{ranks}.json"]
        machine.ranks(name, ranks, [tool, "perf", what, "--memory", "cuda", *sizes, *brief], **variables)

    def facts():
        sources, program = sorted((HERE / "gpu_facts").glob("*.cpp")), OUTPUT / "gpu_facts"
        words = [os.environ.get("CXX", "c++"), "-std=c++17", "-O2", *sources, "-o", program, "-ldl", "-pthread"]
        subprocess.run([str(word) for word in words], check=True)
        # Calls beside a waiting stream stop the double, unless it is told to let them pass.
        lenient = {"CUDA_DOUBLE_LENIENT": "1", "CUDA_DOUBLE_HANG_MS": "60000"}
        with tempfile.TemporaryDirectory() as cache:
            path = OUTPUT / "anyccl.ptx"
            path.write_bytes(lzma.decompress((KERNELS / "anyccl.ptx.lzma").read_bytes()))
            size = [] if machine.is_real else [1 << 20, 20]
            machine.ranks("facts", 1, [program, path, *size], CUDA_CACHE_PATH=cache, **lenient)
            machine.ranks("queues", 1, [program, path, "queues"], CUDA_DEVICE_MAX_CONNECTIONS="32", **lenient)

    def by_nccl():
        if machine.devices < 2:
            raise Skipped("fewer than two GPUs: NCCL wants one for each rank")
        perf(machine.devices, "all_reduce", ANYCCL_BACKEND="cuda:nccl")

    def nccl_programs():
        words = [sys.executable, HERE / "nccl" / "on_devices.py", "--prefix", machine.prefix]
        machine.run("nccl programs", [*words, *(["--real"] if machine.is_real else [])])

    def message_times():
        words = [sys.executable, HERE / "nccl" / "on_devices.py", "--prefix", machine.prefix, "--message-times"]
        machine.run("message times", [*words, *(["--real"] if machine.is_real else [])])
        print((OUTPUT / "message-times.txt").read_text(), end="", flush=True)

    def nccl_tests(library):
        folder = os.environ.get("ANYCCL_NCCL_TESTS")
        if not machine.is_real or folder is None:
            raise Skipped("ANYCCL_NCCL_TESTS names no folder, or there is no GPU for its kernels")
        sizes = ["-b", "8", "-e", largest, "-f", "8", "-c", "1"]
        if library == "NCCL" and "ANYCCL_NCCL_LIB" not in os.environ:
            raise Skipped("ANYCCL_NCCL_LIB names no real NCCL")
        for ranks in RANKS:
            for what in ("all_reduce", "all_gather", "reduce_scatter", "alltoall", "broadcast", "sendrecv"):
                mpi = ["-as", "nccl"] if library == "anyccl" else ["-as", "mpi"]
                preload = {} if library == "anyccl" else {"LD_PRELOAD": os.environ["ANYCCL_NCCL_LIB"]}
                machine.run(f"nccl-tests {library} {what} {ranks}",
                            [machine.prefix / "bin" / "anyccl-mpiexec", *mpi, "-n", ranks, f"{folder}/{what}_perf", *sizes],
                            NCCL_TESTS_DEVICE="0", NCCL_MULTI_RANK_GPU_ENABLE="1", NCCL_MAX_CTAS="4", **preload)

    def torch(ranks):
        python = os.environ.get("TORCH_PYTHON")
        if not machine.is_real or python is None:
            raise Skipped("TORCH_PYTHON names no Python, or there is no GPU for PyTorch's kernels")
        with tempfile.TemporaryDirectory() as folder:
            machine.run(f"torch {ranks}", [tool, "run", "--as", "nccl", "-n", ranks, "--", python, HERE / "gpu_torch.py"],
                        TORCH_STORE=f"file://{folder}/store")

    yield "what is here", lambda: machine.ranks("info", 1, [tool, "info"])
    yield "copies between devices", lambda: machine.ranks("p2p-matrix", 1, [tool, "p2p-matrix", "--bytes", largest])
    yield "facts of the driver", facts
    for ranks in RANKS:
        device = HERE / "collectives" / "device.c"
        yield f"C API on {ranks} ranks", lambda ranks=ranks: machine.ranks(f"C API {ranks}", ranks, [compiled(machine, device)])
        yield f"all collectives on {ranks} ranks", lambda ranks=ranks: perf(ranks, "all")
        yield f"all_reduce on {ranks} ranks", lambda ranks=ranks: perf(ranks, "all_reduce")
        if ranks > 1:
            yield f"messages on {ranks} ranks", lambda ranks=ranks: perf(ranks, "p2p-matrix")
    yield "collectives by NCCL", by_nccl
    yield "NCCL programs", nccl_programs
    yield "messages by both paths", message_times
    for library in ("anyccl", "NCCL"):
        yield f"nccl-tests on one GPU by {library}", lambda library=library: nccl_tests(library)
    for ranks in (2, 4, 8):
        yield f"torch's nccl backend, {ranks} processes on one GPU", lambda ranks=ranks: torch(ranks)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", type=Path, default=ROOT / "target" / "demo-prefix", help="where anyccl is installed")
    parser.add_argument("--double", action="store_true", help="use the driver for tests, even if there is a GPU")
    parser.add_argument("--quick", action="store_true", help="a quarter of an hour of what is least known")
    parser.add_argument("names", nargs="*", help="only steps whose name has one of these words in it")
    options = parser.parse_args()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    devices = 0 if options.double else real_devices()
    if devices == 0:
        cuda_double()
    print(f"on {devices} GPUs of this machine" if devices else "on GPUs that do not exist: the CUDA driver for tests", flush=True)
    machine = Machine(options.prefix.resolve(), devices, QUICK_LIMIT_S if options.quick else LIMIT_S)
    found = list(steps(machine))
    if options.quick:
        found = sorted((step for step in found if step[0] in QUICK), key=lambda step: QUICK.index(step[0]))
    else:
        # All collectives have it, too.
        found = [step for step in found if not step[0].startswith("all_reduce on")]
    run_named(found, options.names)


if __name__ == "__main__":
    main()
