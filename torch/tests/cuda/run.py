#!/usr/bin/env python3
"""Tests tensors on a GPU: runs the tests of this folder with PyTorch, on the driver double or on a real GPU.

    run.py [--real] [ARGUMENT OF PYTEST...]

PyTorch must be one with CUDA, in target/torch-venv. Its own code for devices, streams, events and memory runs on
cuda-double's `libcuda.so.1` and `libcudart.so.13`, which are loaded before PyTorch and so take the place of CUDA's. No
kernel of PyTorch runs, so the tests copy tensors to and from the device, and compute on the CPU.

With ANYCCL_ROOT, the prefix of a `make install`, PyTorch's backend "nccl" is tested, too, on anyccl's `libnccl.so.2`.

With --real, the tests use the GPUs of this machine, and the Python that runs this program.
"""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import install  # noqa: E402

ROOT = HERE.parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
RUNTIME = "libcudart.so.13"


def run_pytest(python, loaded_first, arguments):
    """Becomes pytest. The libraries are loaded before PyTorch."""
    if "ANYCCL_ROOT" in os.environ:
        loaded_first = [*loaded_first, Path(os.environ["ANYCCL_ROOT"], "lib/anyccl/nccl/libnccl.so.2")]
    os.environ.update(LD_PRELOAD=":".join(map(str, loaded_first)), PYTHONDONTWRITEBYTECODE="1")
    pytest = [python, "-W", "ignore", "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider"]
    os.chdir(HERE)
    os.execv(python, [str(word) for word in (*pytest, *(arguments or ["."]))])


def main():
    if "--real" in sys.argv:
        run_pytest(sys.executable, [], [word for word in sys.argv[1:] if word != "--real"])
    torch = install.torch_folder()
    if torch is None or not (torch / "lib" / "libc10_cuda.so").exists():
        print("torch/tests/cuda: PyTorch has no CUDA, so there is nothing to test")
        return
    xtask = os.environ.get("XTASK", "cargo xtask").split()
    subprocess.run([*xtask, "cuda-double"], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    double = TARGET / "cuda-double"
    os.environ.update(
        ANYCCL_TEST_DOUBLE=str(double),
        LD_LIBRARY_PATH=str(double),
        # PyTorch for CUDA 13 asks for a driver of that version.
        CUDA_DOUBLE_VERSION="13020",
        CUDA_DOUBLE_DEVICES="2",
    )
    run_pytest(install.PYTHON, [double / "libcuda.so.1", double / RUNTIME], sys.argv[1:])


if __name__ == "__main__":
    main()
