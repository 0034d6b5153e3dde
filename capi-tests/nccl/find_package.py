"""Tests that CMake projects find libnccl.so.2 of anyccl, in each way in which they look for NCCL."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from cmake_tools import cmake_tools  # noqa: E402

LIMIT_S = 120


def check(prefix, header, work):
    """Builds and runs the project find_package/ in each way."""
    cmake, _ = cmake_tools()
    ours = prefix / "lib" / "anyccl" / "nccl"
    found = f"-DNCCL_INCLUDE_DIR={header}"
    ways = {
        "NCCL_ROOT": (["-DHOW=module", f"-DNCCL_ROOT={ours}", found], {}),
        "NCCL_LIB_DIR": (["-DHOW=module", f"-DNCCL_LIB_DIR={ours}", found], {}),
        "environment": (["-DHOW=module"], {"NCCL_LIB_DIR": str(ours), "NCCL_INCLUDE_DIR": str(header)}),
        "config by NCCL_ROOT": (["-DHOW=config", f"-DNCCL_ROOT={ours}", found], {}),
        "config by CMAKE_PREFIX_PATH": (["-DHOW=config", f"-DCMAKE_PREFIX_PATH={ours}"], {"NCCL_INCLUDE_DIR": str(header)}),
        "anyccl::nccl": (["-DHOW=anyccl", f"-DCMAKE_PREFIX_PATH={prefix}", found], {}),
    }
    for name, (options, environment) in ways.items():
        build = work / name.replace(" ", "-").replace(":", "")
        shutil.rmtree(build, ignore_errors=True)
        configure = configured(cmake, build, options, environment)
        if configure.returncode != 0:
            sys.exit(f"find_package by {name}:\n{configure.stdout}{configure.stderr}")
        subprocess.run([cmake, "--build", build], check=True, stdout=subprocess.DEVNULL, timeout=LIMIT_S)
        subprocess.run([build / "uses_nccl"], check=True, timeout=LIMIT_S)
        needs_ours(build / "uses_nccl", ours)
    without = work / "without-header"
    shutil.rmtree(without, ignore_errors=True)
    configure = configured(cmake, without, ["-DHOW=config", f"-DNCCL_ROOT={ours}"], {})
    if "NCCL_INCLUDE_DIR:PATH=/" in (without / "CMakeCache.txt").read_text():
        print("SKIPPED: find_package(NCCL) without nccl.h: it is installed here")
    elif configure.returncode == 0 or "nccl.h is not part of anyccl" not in " ".join(configure.stderr.split()):
        sys.exit(f"without nccl.h, NCCL was to be missing, with the reason:\n{configure.stderr}")
    print(f"find_package(NCCL): {', '.join(ways)}")


def configured(cmake, build, options, environment):
    """Configures the project, and returns the ended process."""
    words = [cmake, "-S", HERE / "find_package", "-B", build, f"-DCUDA_INCLUDE_DIR={HERE / 'stand-in'}", *options]
    return subprocess.run([str(word) for word in words], env=os.environ | environment, capture_output=True, text=True,
                          timeout=LIMIT_S)


def needs_ours(program, folder):
    """Checks that the loader finds libnccl.so.2 in anyccl's folder, by the run path that CMake has put into the program."""
    said = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    line = next((line for line in said.splitlines() if "libnccl.so.2" in line), "libnccl.so.2 is not needed")
    if str(folder) not in line:
        sys.exit(f"{program}: {line.strip()}")
