#!/usr/bin/env python3
"""Whether Python's users of NCCL load with libnccl.so.2 of anyccl in its place, on a machine without a GPU.

    clients.py [--prefix INSTALLED]

- nccl4py and cupy, from PyPI, pinned, into target/nccl/venv: by LD_LIBRARY_PATH and by LD_PRELOAD; nccl4py makes an
  all-reduce on host memory.
- PyTorch with CUDA, where ANYCCL_TORCH_PYTHON names a Python that has it (its wheels have several GB): by LD_PRELOAD and by a
  folder on PYTHONPATH. All NCCL names that it imports are there.

By hand, after `run.py`; what cannot be had is said and left out. Ends with 1 at the first failure.
"""

import argparse
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

from run import ROOT, WORK, exported

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

# Real NCCL may be mapped as well, where PyTorch opens it by its path: the first library of that name serves the symbols.
TORCH = """
import ctypes, os, torch
version = ctypes.c_int()
assert ctypes.CDLL("libnccl.so.2").ncclGetVersion(ctypes.byref(version)) == 0
mapped = {line.split()[-1] for line in open("/proc/self/maps") if "libnccl.so" in line}
assert os.environ["EXPECTED"] in mapped, mapped
assert version.value == 23007, version.value
"""


def client(python, program, **environment):
    subprocess.run([str(python), "-c", program], check=True, timeout=LIMIT_S, env=os.environ | environment)


def installed():
    """A Python that has the packages, or None."""
    folder = WORK / "venv"
    stamp, python = folder / "installed.txt", folder / "bin" / "python"
    if not stamp.exists() or stamp.read_text().split() != PACKAGES:
        venv.create(folder, with_pip=True, clear=True)
        pip = [str(python), "-m", "pip", "--quiet", "--disable-pip-version-check", "install", *PACKAGES]
        if subprocess.run(pip).returncode != 0:
            return None
        stamp.write_text("\n".join(PACKAGES))
    return python


def torch(python, library):
    """By both ways that its wheels leave open."""
    where = "import pathlib, torch.version; print(pathlib.Path(torch.version.__file__).parent / 'lib' / 'libtorch_cuda.so')"
    cuda = subprocess.run([python, "-c", where], check=True, text=True, capture_output=True).stdout.strip()
    wanted = subprocess.run(["nm", "--dynamic", "--undefined-only", "--format=posix", cuda], check=True, text=True,
                            capture_output=True).stdout.splitlines()
    wanted = {line.split()[0] for line in wanted if line.startswith("nccl")}
    if missing := wanted - exported(library):
        sys.exit(f"PyTorch imports what is not there: {', '.join(sorted(missing))}")
    client(python, TORCH, LD_PRELOAD=str(library), EXPECTED=str(library))
    overlay = WORK / "overlay"
    copy = overlay / "nvidia" / "nccl" / "lib" / "libnccl.so.2"
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(library, copy)
    client(python, TORCH, PYTHONPATH=str(overlay), EXPECTED=str(copy))
    print(f"PyTorch: {len(wanted)} names, LD_PRELOAD, PYTHONPATH")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--prefix", type=Path, default=ROOT / "target" / "demo-prefix", help="where anyccl is installed")
    arguments = arguments.parse_args()
    library = arguments.prefix.resolve() / "lib" / "anyccl" / "nccl" / "libnccl.so.2"
    try:
        if python := installed():
            for name, program in (("cupy", CUPY), ("nccl4py", NCCL4PY)):
                client(python, program, LD_LIBRARY_PATH=str(library.parent))
                client(python, program, LD_PRELOAD=str(library))
                print(f"{name}: LD_LIBRARY_PATH, LD_PRELOAD")
        else:
            print(f"SKIPPED: {', '.join(PACKAGES)} cannot be had from PyPI")
        if python := os.environ.get("ANYCCL_TORCH_PYTHON"):
            torch(python, library)
        else:
            print("SKIPPED: ANYCCL_TORCH_PYTHON names no Python with PyTorch")
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    main()
