#!/usr/bin/env python3
"""Tests the C API as a user meets it: installed, moved to another folder, found by CMake and by pkg-config.

    1  installs to target/capi-tests/prefix-a, or copies an installation to there, and moves that to target/capi-tests/moved
    2  builds the programs of this folder with find_package(anyccl) and runs them by CTest
    3  builds and runs one program in C and one in C++ with pkg-config
    4  asks `anyccl status` about jobs that hang, behind each interface (status/run.py)
    5  in the long tests (ANYCCL_TEST_LONG=1), and for a library of the profile release, counts the instructions of small calls by
       callgrind, and compares them with a budget
    6  runs the programs of one process again under valgrind, or with AddressSanitizer if there is no valgrind

Needs a C and a C++ compiler. Gets CMake from PyPI into target/ if there is none. Ends with 1 at the first failure.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import instructions
import pypi
import sample
from cmake_tools import cmake_tools
from xtask import cuda_double, xtask

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
WORK = ROOT / "target" / "capi-tests"
# Inlined functions are not looked up, because reading their debug information takes half of the time to start.
VALGRIND = ["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect",
            "--fair-sched=try", "--vgdb=no", "--read-inline-info=no"]


def run(*command, **options):
    """Runs a command to its end; a failure ends the script."""
    words = [str(word) for word in command]
    print("+", " ".join(words), flush=True)
    return subprocess.run(words, check=True, **options)


def installed_and_moved(profile, prefix):
    """Installs to one folder, or copies `prefix` to there, moves it to another, and returns that."""
    first, moved = WORK / "prefix-a", WORK / "moved"
    for folder in (first, moved):
        shutil.rmtree(folder, ignore_errors=True)
    if prefix is None:
        run(*xtask("install", "--prefix", first, "--profile", profile), cwd=ROOT)
    else:
        shutil.copytree(prefix, first, symlinks=True)
    first.rename(moved)
    old = str(prefix or first)
    for file in (moved / "lib").rglob("*"):
        if file.suffix in (".cmake", ".pc") and old in file.read_text():
            sys.exit(f"{file} still names the place it was installed to")
    return moved


def build_and_test(prefix, name, *, configure=(), labels=(), again=False):
    """Configures, builds and runs the CTest project in the build folder `name`. Without `again`, starts with an empty folder."""
    cmake, ctest = cmake_tools()
    build = WORK / name
    if not again:
        shutil.rmtree(build, ignore_errors=True)
    run(cmake, "-S", HERE, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Debug", *configure)
    run(cmake, "--build", build, "--parallel", os.cpu_count() or 1)
    run(ctest, "--test-dir", build, "--output-on-failure", "--no-tests=error", *labels)


def pkg_config(prefix):
    """Builds and runs one program of each language with the flags of pkg-config."""
    tool = shutil.which("pkg-config") or shutil.which("pkgconf")
    if tool is None:
        print("pkg-config is not here: its test is left out")
        return
    environment = os.environ | {"PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
    said = subprocess.run([tool, "--cflags", "--libs", "anyccl"], check=True, text=True, capture_output=True,
                          env=environment)
    for compiler, language, file in (
        (os.environ.get("CC", "cc"), "-std=c99", "header/header_c.c"),
        (os.environ.get("CXX", "c++"), "-std=c++17", "cpp/cpp_calls.cpp"),
    ):
        program = WORK / f"{Path(file).stem}_by_pkg_config"
        run(compiler, language, "-I", HERE / "common", HERE / file, "-o", program, *said.stdout.split(),
            f"-Wl,-rpath,{prefix / 'lib'}")
        run(program)


def instructions_counted():
    """Compares the instructions of small calls with their budgets, with a program of the build folder."""
    if not shutil.which("valgrind"):
        print("SKIPPED: the instructions of small calls are counted by valgrind, which is not here")
        return
    if wrong := instructions.check(WORK / "build" / "instructions", WORK):
        sys.exit("\n".join(wrong))


def memory_checked(prefix):
    """Runs the tests of one process again, and checks every memory access and every leak."""
    # The programs of other standards, and of the static library, run the same code.
    alone = ["--label-regex", "alone", "--exclude-regex", "_c11|_c17|cpp17|_20|_static"]
    if shutil.which("valgrind"):
        launcher = "-DANYCCL_TEST_LAUNCHER=" + ";".join(VALGRIND)
        build_and_test(prefix, "build", configure=[launcher], labels=alone, again=True)
    else:
        flags = "-fsanitize=address -fno-omit-frame-pointer"
        build_and_test(prefix, "build-asan", labels=alone,
                       configure=[f"-DCMAKE_C_FLAGS={flags}", f"-DCMAKE_CXX_FLAGS={flags}"])


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--profile", default="release", help="cargo profile of the library (release)")
    arguments.add_argument("--prefix", type=lambda text: Path(text).resolve(), help="copy what is installed there, and install nothing")
    arguments.add_argument("--no-memory-check", action="store_true", help="leave part 6 out")
    arguments = arguments.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    try:
        prefix = installed_and_moved(arguments.profile, arguments.prefix)
        build_and_test(prefix, "build", configure=[f"-DANYCCL_CUDA_DOUBLE={cuda_double()}"])
        pkg_config(prefix)
        run(sys.executable, HERE / "status" / "run.py", "--prefix", prefix)
        if sample.IS_LONG and arguments.profile == "release":
            instructions_counted()
        if not arguments.no_memory_check:
            memory_checked(prefix)
    except subprocess.CalledProcessError as failure:
        sys.exit(f"failed with {failure.returncode}: {' '.join(failure.cmd)}")
    except pypi.Missing as reason:
        sys.exit(f"there is no cmake here: {reason}")
    print("the C API tests have passed")


if __name__ == "__main__":
    main()
