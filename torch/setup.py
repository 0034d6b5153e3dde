"""Builds the package: the Python files, libanyccl, and the extension for the installed torch.

    pip install ./torch

libanyccl comes from ANYCCL_ROOT, the prefix of a `make install`, if that is set. Else cargo builds it from
this repository, if both are there. Else pkg-config names it. The library is copied into the package, which
needs nothing else at run time.

torch is looked for where the package will be installed. pip's isolated build environment hides it from
`import`, but only its headers, libraries and version are needed. Without torch, the package is built without
the extension. A compiler for C++20 suffices; CXX names another one than g++. The extension contains no CUDA.
"""

import os
import re
import shlex
import shutil
import site
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, find_packages, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent
SONAME = "libanyccl.so.0"
EXTENSION = "anyccl._C"


def version():
    text = (REPOSITORY / "include" / "anyccl" / "base.h").read_text()
    number = lambda part: re.search(rf"ANYCCL_VERSION_{part} (\d+)", text).group(1)
    return ".".join(map(number, ["MAJOR", "MINOR", "PATCH"]))


def find_library():
    """Returns the folder that has anyccl/anyccl.h, and the file of the library."""
    if root := os.environ.get("ANYCCL_ROOT"):
        return check_library(Path(root) / "include", Path(root) / "lib" / SONAME, "ANYCCL_ROOT")
    if (REPOSITORY / "Cargo.toml").exists() and shutil.which("cargo"):
        subprocess.run(["cargo", "build", "--release", "-p", "anyccl-native"], cwd=REPOSITORY, check=True)
        target = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
        return check_library(REPOSITORY / "include", target / "release" / "libanyccl.so", "cargo build")
    try:
        ask = lambda variable: subprocess.check_output(["pkg-config", f"--variable={variable}", "anyccl"], text=True).strip()
        return check_library(Path(ask("includedir")), Path(ask("libdir")) / SONAME, "pkg-config")
    except (OSError, subprocess.CalledProcessError):
        sys.exit("libanyccl was not found: set ANYCCL_ROOT to the prefix of `make install`, or install cargo")


def check_library(include, library, source):
    for path in (include / "anyccl" / "anyccl.h", library):
        if not path.exists():
            sys.exit(f"{source} leads to {path}, which does not exist")
    return include, library


def find_torch():
    """Returns the folder of the torch package, without importing it. None: there is none."""
    places = [*sys.path, sysconfig.get_path("platlib"), sysconfig.get_path("purelib"), site.getusersitepackages()]
    for place in places:
        torch = Path(place or ".") / "torch"
        if (torch / "include" / "torch" / "csrc" / "distributed" / "c10d" / "Backend.hpp").exists():
            return torch
    return None


def torch_version(torch):
    return re.search(r"__version__ = '([^']+)'", (torch / "version.py").read_text()).group(1)


def uses_new_strings(torch):
    """Returns whether the libraries of torch use std::__cxx11::basic_string, as those of all releases from
    2.7 on do."""
    # The constructor of c10::Error from a string tells. Other symbols of libc10 are of both kinds in any
    # case.
    return b"_ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx11" in (torch / "lib" / "libc10.so").read_bytes()


def pybind11_abi(torch):
    """Returns the macro by which pybind11 shares its table of classes with torch. Up to torch 2.8 the table
    has the ABI version of torch's compiler in its name."""
    found = re.search(rb"__pybind11_internals_v\d+\w*(_cxxabi\d+)__", (torch / "lib" / "libtorch_python.so").read_bytes())
    return [f'-DPYBIND11_BUILD_ABI="{found.group(1).decode()}"'] if found else []


class BuildExtension(build_ext):
    """Compiles all sources in one run, because reading torch's headers takes longer than compiling the
    sources."""

    def run(self):
        super().run()
        include, library = find_library()
        package = Path(self.get_ext_fullpath(EXTENSION)).parent
        (package / "lib").mkdir(parents=True, exist_ok=True)
        shutil.copy2(library, package / "lib" / SONAME)
        # Headers for extensions that call the C API: anyccl.get_include().
        shutil.copytree(include / "anyccl", package / "include" / "anyccl", dirs_exist_ok=True)
        torch = find_torch()
        if torch is None:
            print("torch is not installed: anyccl is built without its backend for torch.distributed")
            return
        self.compile(include, package / "lib", torch)
        (package / "_torch_version.py").write_text(f'BUILT_FOR = "{torch_version(torch)}"\n')

    def build_extension(self, extension):
        """Does nothing: run() compiles the extension."""

    def get_outputs(self):
        package = Path(self.get_ext_fullpath(EXTENSION)).parent
        made = [self.get_ext_fullpath(EXTENSION), package / "lib" / SONAME, package / "_torch_version.py"]
        made += [file for file in (package / "include").rglob("*.h*")]
        return [str(file) for file in made if Path(file).exists()]

    def compile(self, include, lib, torch):
        Path(self.build_temp).mkdir(parents=True, exist_ok=True)
        whole = Path(self.build_temp) / "anyccl_torch.cpp"
        whole.write_text("".join(f'#include "{source}"\n' for source in sorted((HERE / "csrc").glob("*.cpp"))))
        system = [torch / "include", torch / "include" / "torch" / "csrc" / "api" / "include", sysconfig.get_path("include")]
        command = [
            *shlex.split(os.environ.get("CXX", "g++")),
            *("-std=c++20", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra"),
            f"-DTORCH_EXTENSION_NAME={EXTENSION.rpartition('.')[2]}",
            f"-D_GLIBCXX_USE_CXX11_ABI={int(uses_new_strings(torch))}",
            *pybind11_abi(torch),
            *(word for folder in system for word in ("-isystem", folder)),
            *("-I", HERE / "csrc", "-I", include, whole, "-o", self.get_ext_fullpath(EXTENSION)),
            *("-L", lib, f"-l:{SONAME}", "-Wl,-rpath,$ORIGIN/lib"),
            # torch is loaded before the extension, so its libraries need no run-time path.
            *("-L", torch / "lib", "-lc10", "-ltorch_cpu", "-ltorch_python"),
            *shlex.split(os.environ.get("CXXFLAGS", "")),
        ]
        print(*command, flush=True)
        subprocess.run([str(word) for word in command], check=True)


setup(
    version=version(),
    packages=find_packages(include=["anyccl", "anyccl.*"]),
    ext_modules=[Extension(EXTENSION, sources=[])],
    cmdclass={"build_ext": BuildExtension},
)
