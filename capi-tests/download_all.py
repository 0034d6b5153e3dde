"""Downloads what parts of `make test` need from PyPI, while other parts run: download_all.py PART...

The script keeps what is already installed. It names each part that it cannot get, and so does the test that needs it.
"""

import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Both nccl and nccl_shaped have a run.py. That of nccl stands first, because clients.py imports it.
sys.path[:0] = [str(HERE / "nccl"), str(HERE / "nccl_shaped"), str(HERE.parent / "torch" / "tests"), str(HERE)]

import clients  # noqa: E402
import cmake_tools  # noqa: E402
import install as torch  # noqa: E402
import launchers  # noqa: E402
import libraries  # noqa: E402
import pypi  # noqa: E402
import run as nccl  # noqa: E402
from named_tests import Skipped  # noqa: E402

# (what to download, the parts of `make test` that need it, the function that downloads it), in the order in which the parts run.
DOWNLOADS = (
    ("CMake", {"c-api", "nccl"}, cmake_tools.cmake_tools),
    ("nccl.h", {"nccl"}, nccl.header),
    ("cupy, nccl4py", {"nccl"}, clients.installed),
    ("NumPy", {"python"}, torch.numpy_environment),
    ("PyTorch", {"torch"}, torch.make_environment),
    *((name, {"launchers", "backends"}, lambda name=name: launchers.installed(name)) for name in launchers.WHEELS),
    ("oneCCL", {"backends"}, libraries.oneccl),
    ("NCCL", {"backends"}, libraries.nccl),
)


def main():
    for name, parts, download in DOWNLOADS:
        if parts.intersection(sys.argv[1:]):
            begun = time.monotonic()
            try:
                download()
            except (pypi.Missing, Skipped, subprocess.CalledProcessError) as reason:
                print(f"{name}: {reason}", flush=True)
            else:
                print(f"{name}: {time.monotonic() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
