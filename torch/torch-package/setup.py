"""Builds the package anyccl-torch: the extension for the torch that is installed.

    pip install torch
    pip install anyccl[torch]

The header and the library are those of the package anyccl. In the repository, the sources of the extension
are in the folder above; a source distribution contains them (`make wheels`).
"""

import os
import sys
from pathlib import Path

import setuptools
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

OLDEST_SETUPTOOLS = 77
if int(setuptools.__version__.partition(".")[0]) < OLDEST_SETUPTOOLS:
    sys.exit(f"anyccl-torch is built by setuptools {OLDEST_SETUPTOOLS} or newer, and this is {setuptools.__version__}: "
             f"pip install 'setuptools>={OLDEST_SETUPTOOLS}', or do without --no-build-isolation")

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from torch_extension import compile_extension, find_torch, torch_version  # noqa: E402

VERSION = "0.1.0"
EXTENSION = "anyccl_torch._C"
torch = find_torch()
# A source distribution is made without torch. A wheel is for one release of it, which its version names where
# several are offered side by side.
release = ".".join(torch_version(torch).split(".")[:2]) if torch else None
suffix = f"+torch{release}" if release and os.environ.get("ANYCCL_NAME_TORCH") else ""


class BuildExtension(build_ext):
    def run(self):
        if torch is None:
            sys.exit("anyccl-torch is compiled for the torch that is installed, and none is: pip install torch, then again")
        import anyccl

        super().run()
        output = Path(self.get_ext_fullpath(EXTENSION))
        output.parent.mkdir(parents=True, exist_ok=True)
        include, lib = Path(anyccl.get_include()), Path(anyccl.get_library_dir())
        compile_extension(output, include, lib, torch, Path(self.build_temp).resolve(), "../anyccl/lib")

    def build_extension(self, extension):
        """Does nothing: run() compiles the extension."""

    def get_outputs(self):
        output = Path(self.get_ext_fullpath(EXTENSION))
        return [str(output), str(output.parent / "_torch_version.py")]


setup(
    version=VERSION + suffix,
    install_requires=[f"anyccl=={VERSION}", f"torch=={release}.*" if release else "torch>=2.6"],
    ext_modules=[Extension(EXTENSION, sources=[])],
    cmdclass={"build_ext": BuildExtension},
)
