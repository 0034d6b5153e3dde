"""Builds the package: the Python files, what `make install` installs, and the extension for the installed torch.

    pip install ./torch

What is installed comes from ANYCCL_ROOT, the prefix of a `make install`, if that is set. Else cargo builds it
from this repository, if both are there. Else pkg-config names the library. All is copied into the package,
which needs nothing else at run time.

Without torch, the package is built without the extension for torch. It is the same for every Python then, and its name
says so: the extension of fast_path is found by those versions that can use it, and the others do without.
fast_path_extension.py and torch_extension.py say when the extensions are built. FAST_PATH_CC names a C compiler
for the first, without which the build fails then.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import setuptools
from setuptools import Extension, find_packages, setup

OLDEST_SETUPTOOLS = 77
if int(setuptools.__version__.partition(".")[0]) < OLDEST_SETUPTOOLS:
    sys.exit(f"anyccl is built by setuptools {OLDEST_SETUPTOOLS} or newer, and this is {setuptools.__version__}: "
             f"pip install 'setuptools>={OLDEST_SETUPTOOLS}', or do without --no-build-isolation")

from setuptools.command.bdist_wheel import bdist_wheel  # noqa: E402
from setuptools.command.build import build  # noqa: E402
from setuptools.command.build_ext import build_ext  # noqa: E402

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from copy_prefix import copy_prefix, licences, shared_files  # noqa: E402
from fast_path_extension import FILE, compile_fast_path  # noqa: E402
from torch_extension import SONAME, compile_extension, find_torch  # noqa: E402

REPOSITORY = HERE.parent
EXTENSION = "anyccl._C"


def version():
    text = (REPOSITORY / "include" / "anyccl" / "base.h").read_text()
    number = lambda part: re.search(rf"ANYCCL_VERSION_{part} (\d+)", text).group(1)
    return ".".join(map(number, ["MAJOR", "MINOR", "PATCH"]))


def find_prefix(work):
    """Returns the prefix of an installation. `work` is a folder for one that cargo builds."""
    if root := os.environ.get("ANYCCL_ROOT"):
        return check_prefix(Path(root), "ANYCCL_ROOT")
    if (REPOSITORY / "Cargo.toml").exists() and shutil.which("cargo"):
        subprocess.run(["cargo", "xtask", "install", "--prefix", work], cwd=REPOSITORY, check=True)
        return check_prefix(work, "cargo xtask install")
    try:
        prefix = subprocess.check_output(["pkg-config", "--variable=prefix", "anyccl"], text=True).strip()
        return check_prefix(Path(prefix), "pkg-config")
    except (OSError, subprocess.CalledProcessError):
        sys.exit("libanyccl was not found: set ANYCCL_ROOT to the prefix of `make install`, or install cargo")


def check_prefix(prefix, source):
    for path in (prefix / "include" / "anyccl" / "anyccl.h", prefix / "lib" / SONAME):
        if not path.exists():
            sys.exit(f"{source} leads to {path}, which does not exist")
    return prefix


class Build(build):
    def run(self):
        # What an earlier build has left there, of another prefix perhaps, would be packed, too.
        shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


class BuildExtension(build_ext):
    # Set by run().
    prefix = None

    def run(self):
        super().run()
        work = Path(self.build_temp).resolve()
        package = Path(self.get_ext_fullpath(EXTENSION)).parent
        prefix = self.prefix = find_prefix(work / "prefix")
        copy_prefix(prefix, package)
        self.distribution.data_files = shared_files(prefix)
        compiler = os.environ.get("FAST_PATH_CC")
        if problem := compile_fast_path(package / FILE, package / "include", compiler):
            print(f"anyccl is built without its extension for frequent calls, so small calls take longer: {problem}")
            if compiler:
                sys.exit(1)
        torch = find_torch()
        if torch is None:
            print("torch is not installed: anyccl is built without its backend for torch.distributed")
            return
        extension = Path(self.get_ext_fullpath(EXTENSION))
        compile_extension(extension, package / "include", package / "lib", torch, work, "lib")

    def build_extension(self, extension):
        """Does nothing: run() compiles the extension."""

    def get_outputs(self):
        package = Path(self.get_ext_fullpath(EXTENSION)).parent
        made = [self.get_ext_fullpath(EXTENSION), package / "_torch_version.py", package / FILE]
        for folder in ("bin", "include", "lib"):
            made += [file for file in (package / folder).rglob("*") if file.is_file()]
        return [str(file) for file in made if Path(file).exists()]


class Wheel(bdist_wheel):
    def get_tag(self):
        python, abi, platform = super().get_tag()
        return (python, abi, platform) if find_torch() else ("py3", "none", platform)

    def write_wheelfile(self, wheelfile_base, *args, **named):
        """Adds the licences to the metadata, which exists by now."""
        super().write_wheelfile(wheelfile_base, *args, **named)
        prefix = self.get_finalized_command("build_ext").prefix
        if prefix is None:
            return
        folder = Path(wheelfile_base)
        head, end, text = (folder / "METADATA").read_text(encoding="utf-8").partition("\n\n")
        for licence in licences(prefix):
            target = folder / "licenses" / licence.name
            if not target.exists():
                target.parent.mkdir(exist_ok=True)
                shutil.copyfile(licence, target)
                head += f"\nLicense-File: {licence.name}"
        (folder / "METADATA").write_text(head + end + text, encoding="utf-8")


setup(
    version=version(),
    packages=find_packages(include=["anyccl", "anyccl.*"]),
    ext_modules=[Extension(EXTENSION, sources=[])],
    cmdclass={"build": Build, "build_ext": BuildExtension, "bdist_wheel": Wheel},
)
