#!/usr/bin/env python3
"""Tests that Python packages that use NCCL get libnccl.so.2 of anyccl by each method, on a machine without a GPU.

    clients.py [--prefix INSTALLED] [--torch PYTHON]

- The library has every NCCL function that torch, cupy and jax import (imports.py).
- A loader like that of vLLM finds the library by VLLM_NCCL_SO_PATH, and makes an all-reduce on host memory.
- nccl4py and cupy get it by LD_LIBRARY_PATH, LD_PRELOAD, and `anyccl run --as nccl`. nccl4py makes an all-reduce on host memory.
  Both come from PyPI into target/nccl/venv, in pinned versions.
- With --torch, the script tests only the PyTorch of that Python, by each method of `anyccl run --as nccl`.

Tests whose packages cannot be had are skipped, with the reason. Ends with 1 at the first failure.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import imports
from run import ROOT, WORK, exported, pypi

PACKAGES = ["nccl4py==0.6.0", "cupy-cuda12x==14.2.0"]
LIMIT_S = 120

CUPY = """
from cupy.cuda import nccl
assert nccl.get_version() == 23007, nccl.get_version()
assert len(nccl.get_unique_id()) == 128
"""

NCCL4PY = """
import array
from nccl.bindings import nccl
assert nccl.get_version() == 23007, nccl.get_version()
comms = nccl.comm_init_all(2, [0, 1])
sends = [array.array("f", [rank + 1.0] * 8) for rank in range(2)]
recvs = [array.array("f", [0.0] * 8) for rank in range(2)]
nccl.group_start()
for comm, send, recv in zip(comms, sends, recvs):
    nccl.all_reduce(send.buffer_info()[0], recv.buffer_info()[0], 8, 7, 0, comm, 0)
nccl.group_end()
assert all(recv == array.array("f", [3.0] * 8) for recv in recvs), recvs
for comm in comms:
    nccl.comm_destroy(comm)
"""

# With preload, the wheel's library is mapped, too. It is not used: the preloaded library comes first and serves the symbols.
TORCH = """
import ctypes, os, torch
version = ctypes.c_int()
assert ctypes.CDLL("libnccl.so.2").ncclGetVersion(ctypes.byref(version)) == 0
assert version.value == 23007, version.value
mapped = {line.split()[-1] for line in open("/proc/self/maps") if "libnccl.so" in line}
assert os.environ["OURS"] in mapped, mapped
assert len(mapped) == 1 or os.environ["BY"] == "preload", mapped
"""

# Like vLLM's wrapper, this looks up all names before it calls the first.
VLLM = """
import ctypes, os
names = '''GetErrorString GetVersion GetUniqueId CommInitRank AllReduce AllGather ReduceScatter Reduce Broadcast Send Recv
    CommDestroy GroupStart GroupEnd CommWindowRegister CommWindowDeregister'''.split()
library = ctypes.CDLL(os.environ["VLLM_NCCL_SO_PATH"])
nccl = {name: getattr(library, "nccl" + name) for name in names}
class UniqueId(ctypes.Structure):
    _fields_ = [("internal", ctypes.c_byte * 128)]
unique_id, comm, version = UniqueId(), ctypes.c_void_p(), ctypes.c_int()
assert nccl["GetVersion"](ctypes.byref(version)) == 0 and version.value == 23007
assert nccl["GetUniqueId"](ctypes.byref(unique_id)) == 0
nccl["CommInitRank"].argtypes = [ctypes.c_void_p, ctypes.c_int, UniqueId, ctypes.c_int]
assert nccl["CommInitRank"](ctypes.byref(comm), 1, unique_id, 0) == 0
values, sums = (ctypes.c_float * 4)(1, 2, 3, 4), (ctypes.c_float * 4)()
nccl["AllReduce"].argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int] + 2 * [ctypes.c_void_p]
assert nccl["AllReduce"](values, sums, 4, 7, 0, comm, None) == 0
assert list(sums) == [1, 2, 3, 4], list(sums)
nccl["CommDestroy"].argtypes = [ctypes.c_void_p]
assert nccl["CommDestroy"](comm) == 0
"""


class Installed:
    """The installed anyccl that is tested."""

    def __init__(self, prefix):
        self.tool = prefix / "bin" / "anyccl"
        self.library = prefix / "lib" / "anyccl" / "nccl" / "libnccl.so.2"

    def as_nccl(self, python, program, by, **environment):
        """Runs a program under `anyccl run --as nccl`, which must say that anyccl is the NCCL in use."""
        words = [self.tool, "run", "-n", "1", "--as", "nccl", "--nccl-by", by, "--", python, "-c", program]
        done = subprocess.run([str(word) for word in words], timeout=LIMIT_S, env=os.environ | environment, text=True,
                              capture_output=True)
        if done.returncode != 0 or "NCCL is anyccl in rank 0" not in done.stderr:
            sys.exit(f"{python} by {by}: {done.returncode}\n{done.stdout}{done.stderr}")

    def nccl_of(self, *command):
        """Returns what `anyccl info --nccl-of` reports of a command."""
        words = [self.tool, "info", "--json", "--deadline", LIMIT_S, "--nccl-of", *command]
        said = subprocess.run([str(word) for word in words], check=True, timeout=2 * LIMIT_S, text=True, stdout=subprocess.PIPE)
        return json.loads(said.stdout)


def client(python, program, **environment):
    """Runs a Python program, which must succeed."""
    subprocess.run([str(python), "-c", program], check=True, timeout=LIMIT_S, env=os.environ | environment)


def installed():
    """Returns a Python that has the packages. Raises pypi.Missing if they cannot be had."""
    return pypi.environment(WORK / "venv", PACKAGES)


def module_file(python, *parts):
    """Returns a file of a package, without importing the package."""
    find = "import importlib.util as u, sys; print(u.find_spec(sys.argv[1]).submodule_search_locations[0])"
    folder = subprocess.run([str(python), "-c", find, parts[0]], check=True, text=True, capture_output=True).stdout.strip()
    return next(Path(folder).glob("/".join(parts[1:])))


def small_ones(it, names):
    """Tests cupy, nccl4py, and the clients that need no package."""
    imports.check_recorded(names)
    client(sys.executable, VLLM, VLLM_NCCL_SO_PATH=str(it.library))
    print("a loader like vLLM's: VLLM_NCCL_SO_PATH")
    try:
        python = installed()
    except pypi.Missing as reason:
        print(f"SKIPPED: {reason}")
        return
    cupy = module_file(python, "cupy_backends", "cuda", "libs", "nccl*.so")
    imports.check(names, PACKAGES[1], imports.of_file(cupy))
    for name, program in (("cupy", CUPY), ("nccl4py", NCCL4PY)):
        client(python, program, LD_LIBRARY_PATH=str(it.library.parent))
        client(python, program, LD_PRELOAD=str(it.library))
        it.as_nccl(python, program, "preload")
        it.as_nccl(python, program, "audit")
        print(f"{name}: LD_LIBRARY_PATH, LD_PRELOAD, run --as nccl by preload and by audit")


def torch(it, names, python):
    """Tests PyTorch by each method of `anyccl run --as nccl`."""
    needed = imports.of_file(module_file(python, "torch", "lib", "libtorch_cuda.so"))
    imports.check(names, "PyTorch", needed)
    for by in ("preload", "overlay", "audit"):
        it.as_nccl(python, TORCH, by, OURS=str(it.library), BY=by)
        print(f"PyTorch: run --as nccl by {by}")
    said = it.nccl_of(python, "-c", "import torch")
    if said["anyccl"] is not False or "libtorch_cuda.so" not in said["user"]:
        sys.exit(f"info --nccl-of: {said}")
    print(f"PyTorch by itself has {said['version']}: {said['library']}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--prefix", type=Path, default=ROOT / "target" / "demo-prefix", help="where anyccl is installed")
    arguments.add_argument("--torch", type=Path, metavar="PYTHON", help="a Python that has PyTorch with CUDA")
    arguments = arguments.parse_args()
    it = Installed(arguments.prefix.resolve())
    names = exported(it.library)
    try:
        if arguments.torch:
            torch(it, names, arguments.torch)
        else:
            small_ones(it, names)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    main()
