"""Compiles the extension anyccl._fast_path, which makes frequent calls without ctypes.

    python3 torch/fast_path_extension.py    compiles it in this checkout, for tests and benchmarks

It needs a C compiler (CC names another one than cc) and the header of CPython 3.11 or newer. It uses the limited API
alone, so it runs on all later versions. The package works without it.
"""

import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Only this name says that the file is for any version of CPython. Others look for different names, and ignore it.
FILE = "_fast_path.abi3.so"


def why_not():
    """Returns the reason why the extension cannot be compiled. None: it can."""
    if sys.implementation.name != "cpython" or sys.version_info < (3, 11):
        return "it is for CPython 3.11 and newer"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "a free-threaded Python has no limited API"
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return f"there is no Python.h in {sysconfig.get_path('include')}: install python3-dev or the like"
    return None


def compile_fast_path(output, include, compiler=None):
    """Compiles it. Returns None, or the reason why that is not possible. `include` has anyccl/anyccl.h."""
    if reason := why_not():
        return reason
    command = [
        *shlex.split(compiler or os.environ.get("CC", "cc")),
        *("-std=gnu11", "-O2", "-g0", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra"),
        *("-isystem", sysconfig.get_path("include"), "-I", HERE / "fast_path", "-I", include),
        *sorted((HERE / "fast_path").glob("*.c")),
        # Python's own functions are in the program that loads it.
        *("-o", output, "-Wl,-z,relro,-z,now", "-Wl,--build-id", "-Wl,--unresolved-symbols=ignore-all"),
        *shlex.split(os.environ.get("CFLAGS", "")),
    ]
    print(*command, flush=True)
    try:
        subprocess.run([str(word) for word in command], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"the compiler has failed: {error}"
    return None


if __name__ == "__main__":
    if problem := compile_fast_path(HERE / "anyccl" / FILE, HERE.parent / "include"):
        sys.exit(f"{FILE} was not compiled: {problem}")
