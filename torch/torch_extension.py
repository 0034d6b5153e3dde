"""Compiles the extension for torch.distributed. The packages anyccl and anyccl-torch both do so.

torch is looked for where the package will be installed. pip's isolated build environment hides it from
`import`, but only its headers, libraries and version are needed. A compiler for C++20 suffices; CXX names
another one than g++. The extension contains no CUDA.
"""

import os
import re
import shlex
import site
import subprocess
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent
SONAME = "libanyccl.so.0"


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


def compile_extension(output, include, lib, torch, work, run_path):
    """Compiles all sources in one run, because reading torch's headers takes longer than compiling the
    sources. `run_path` is where the extension finds libanyccl, relative to itself."""
    work.mkdir(parents=True, exist_ok=True)
    whole = work / "anyccl_torch.cpp"
    whole.write_text("".join(f'#include "{source}"\n' for source in sorted((HERE / "csrc").glob("*.cpp"))))
    system = [torch / "include", torch / "include" / "torch" / "csrc" / "api" / "include", sysconfig.get_path("include")]
    command = [
        *shlex.split(os.environ.get("CXX", "g++")),
        *("-std=c++20", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra"),
        "-DTORCH_EXTENSION_NAME=_C",
        f"-D_GLIBCXX_USE_CXX11_ABI={int(uses_new_strings(torch))}",
        *pybind11_abi(torch),
        *(word for folder in system for word in ("-isystem", folder)),
        *("-I", HERE / "csrc", "-I", include, whole, "-o", output),
        *("-L", lib, f"-l:{SONAME}", f"-Wl,-rpath,$ORIGIN/{run_path}"),
        # torch is loaded before the extension, so its libraries need no run-time path.
        *("-L", torch / "lib", "-lc10", "-ltorch_cpu", "-ltorch_python"),
        *shlex.split(os.environ.get("CXXFLAGS", "")),
    ]
    print(*command, flush=True)
    subprocess.run([str(word) for word in command], check=True)
    (output.parent / "_torch_version.py").write_text(f'BUILT_FOR = "{torch_version(torch)}"\n')
