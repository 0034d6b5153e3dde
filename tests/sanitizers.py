#!/usr/bin/env python3
"""Runs tests of libraries that are built with a sanitizer: tests/sanitizers.py address|thread [--prefix PREFIX] [ARGUMENT...]

    address   C, NCCL and MPI tests with AddressSanitizer in our libraries and in the programs. The libraries are built by the
              toolchain nightly and put into a copy of PREFIX. The programs are built by the C compiler with -fsanitize=address, and
              its runtime serves both: each library then asks the same runtime about each access. ARGUMENTs choose among
              c-api, nccl and mpi; without them, all run.
    thread    the engine's unit tests of what several threads use, with ThreadSanitizer in all of their Rust code, the standard
              library included. Each test has a process of its own. ARGUMENTs are filters of names in place of THREADED.

Under `cfg(sanitizer)`, both ends of a pair of threads share one mapping, and libraries of others are opened without RTLD_DEEPBIND.

Needs the toolchain nightly of Rust; `thread` needs its component rust-src and cargo-nextest as well. Ends with 1 if a test failed.
"""

import argparse
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import nextest
import nightly
import pypi

ROOT = Path(__file__).resolve().parent.parent
TARGET = "x86_64-unknown-linux-gnu"
# The crate of each library, the file that cargo makes, and the beginnings of its names in a prefix.
LIBRARIES = {
    "anyccl-native": ("libanyccl.so", ["libanyccl.so."]),
    "anyccl-nccl": ("libanyccl_nccl.so", ["libnccl.so."]),
    "anyccl-mpi-std": ("libanyccl_mpi_abi.so", ["libmpi_abi.so."]),
    "anyccl-mpi-mpich": ("libanyccl_mpich.so", ["libmpi.so.12", "libmpich.so."]),
    "anyccl-mpi-ompi": ("libanyccl_ompi.so", ["libmpi.so.40"]),
}
# A program that lies about the length of a buffer, in memory that only the library reads.
OVERRUN = """
#include <anyccl/anyccl.h>
#include <stdlib.h>
int main(void)
{
    float *short_one = calloc(10, sizeof *short_one), *sum = calloc(1000, sizeof *sum);
    return anyccl_init() || anyccl_all_reduce(short_one, sum, 1000, ANYCCL_FLOAT32, ANYCCL_SUM, ANYCCL_WORLD);
}
"""
MPI_PROGRAMS = ["attributes", "collectives", "errors", "groups", "info_env", "intercomm", "operators", "p2p_modes", "random_types",
                "requests", "threads", "topologies"]
# Time limit of one program.
LIMIT_S = 240
# Options of AddressSanitizer.
ASAN = {
    # Whatever is reachable at the exit is kept on purpose: tables per process, engines that linger, what a forked parent owned.
    # valgrind looks for leaks in `make test-c-api`.
    "detect_leaks": "0",
    # A program may be linked with an instrumented library and dlopen another one.
    "verify_asan_link_order": "0",
    # Each library has an engine of its own, and with it the same names of globals.
    "detect_odr_violation": "0",
    # Tests of SIGSEGV and of exits have handlers of their own.
    "allow_user_segv_handler": "1",
    "abort_on_error": "0",
    "exitcode": "66",
}
# Tests of the engine that several threads run through.
THREADED = ["comm::tests::", "progress::", "sys::per_process", "sys::shared_", "observe::", "device::", "bootstrap::id_server",
            "bootstrap::memory_store", "memory::", "transport::shm::"]


def run(*command, **options):
    """Runs a command to its end. Returns whether it succeeded."""
    words = [str(word) for word in command]
    print("+", " ".join(words), flush=True)
    try:
        if code := subprocess.run(words, cwd=ROOT, check=False, **options).returncode:
            print(f"FAILED: it ended with {code}", flush=True)
        return code == 0
    except subprocess.TimeoutExpired:
        print("FAILED: it did not end in time", flush=True)
        return False


def compilers(folder):
    """Makes compilers for C and C++ that sanitize, and returns the variables that name them."""
    folder.mkdir(parents=True, exist_ok=True)
    made = {}
    for variable, default in (("CC", "cc"), ("CXX", "c++")):
        script = folder / default
        command = shutil.which(os.environ.get(variable, default))
        script.write_text(f'#!/bin/sh\nexec {command} -fsanitize=address -fno-omit-frame-pointer -g "$@"\n')
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        made[variable] = str(script)
    return made


def sees_overrun(prefix, work, environment):
    """Whether a read beyond a buffer, by the library, ends the program."""
    source, program = work / "overrun.c", work / "overrun"
    source.write_text(OVERRUN)
    if not run(environment["CC"], "-I", prefix / "include", source, "-o", program, "-L", prefix / "lib", "-lanyccl",
               f"-Wl,-rpath,{prefix / 'lib'}"):
        return False
    ended = subprocess.run([program], env=environment, check=False, capture_output=True, text=True)
    return ended.returncode == int(ASAN["exitcode"]) and "heap-buffer-overflow" in ended.stderr


def address(options):
    """Runs the tests of the doors with AddressSanitizer. Returns whether all passed."""
    work = ROOT / "target" / "asan"
    environment = os.environ | {"RUSTFLAGS": "-Zsanitizer=address -Cforce-frame-pointers=yes --cfg sanitizer", "CARGO_TARGET_DIR": str(work)}
    packages = [word for package in LIBRARIES for word in ("-p", package)]
    if not run("cargo", "+nightly", "build", "--lib", "--target", TARGET, *packages, env=environment):
        return False
    prefix = work / "prefix"
    shutil.rmtree(prefix, ignore_errors=True)
    shutil.copytree(options.prefix, prefix, symlinks=True)
    for built, beginnings in LIBRARIES.values():
        for beginning in beginnings:
            places = [place for place in prefix.rglob(f"{beginning}*") if not place.is_symlink() and place.suffix != ".debug"]
            if not places:
                sys.exit(f"{options.prefix} has no {beginning}*: make test-asan makes such a prefix")
            for place in places:
                shutil.copy(work / TARGET / "debug" / built, place)
    environment = os.environ | compilers(work / "bin") | {
        "ASAN_OPTIONS": ":".join(f"{name}={value}" for name, value in ASAN.items()),
    }
    if not sees_overrun(prefix, work, environment):
        print("FAILED: AddressSanitizer does not see that the library reads beyond a buffer")
        return False
    parts = {"c-api": c_api, "nccl": nccl, "mpi": mpi}
    wanted = options.arguments or list(parts)
    return all([parts[name](prefix, work, environment) for name in wanted])


def c_api(prefix, _, environment):
    """Runs the C and C++ programs."""
    return run(sys.executable, "capi-tests/run.py", "--prefix", prefix, "--no-memory-check", env=environment)


def nccl(prefix, work, environment):
    """Runs programs of capi-tests/nccl as processes and as threads."""
    sys.path[:0] = [str(ROOT / "capi-tests" / "nccl"), str(ROOT / "capi-tests")]
    import run as tests
    try:
        tests.header()
    except pypi.Missing as reason:
        print(f"SKIPPED nccl: {reason}")
        return True
    os.environ["CC"] = environment["CC"]
    library, arguments = prefix / "lib/anyccl/nccl/libnccl.so.2", {"collectives": [0], "endings": [20, 101]}
    ok = True
    for name in ("collectives", "groups", "communicators", "endings"):
        program = tests.build(name, library)
        for spread in ((2, 1), (1, 2), (2, 2)):
            ok &= run(program, *spread, *arguments.get(name, []), env=environment, timeout=LIMIT_S)
    program = tests.build("devices", library)
    on_double = {"LD_LIBRARY_PATH": str(tests.cuda_double()), "CUDA_DOUBLE_OPEN_FREE": "1"}
    for spread in ((2, 1), (1, 2)):
        ok &= run(program, *spread, env=environment | on_double, timeout=LIMIT_S)
    return ok


def mpi(prefix, work, environment):
    """Runs programs of mpi-tests on 2 and 3 ranks, with the library of the standard ABI."""
    home, sources, ok = prefix / "lib/anyccl/mpi", ROOT / "mpi-tests", True
    for name in MPI_PROGRAMS:
        program = work / f"mpi-{name}"
        built = run(environment["CC"], "-I", home / "include", "-I", sources / "common", sources / f"{name}.c",
                    *sorted((sources / "common").glob("*.c")), "-o", program, "-L", home / "lib", "-lmpi_abi", "-lm", "-pthread",
                    f"-Wl,-rpath,{home / 'lib'}")
        for ranks in (2, 3):
            ok &= built and run(prefix / "bin" / "anyccl", "run", "-n", ranks, program, env=environment, timeout=LIMIT_S)
    return ok


def thread(options):
    """Runs tests of the engine with ThreadSanitizer. Returns whether all passed."""
    try:
        folder = nextest.nextest()
    except pypi.Missing as reason:
        sys.exit(f"cargo-nextest cannot be had: {reason}")
    environment = os.environ | {
        "PATH": os.pathsep.join([*([str(folder)] if folder else []), os.environ["PATH"]]),
        "RUSTFLAGS": "-Zsanitizer=thread --cfg sanitizer",
        "CARGO_TARGET_DIR": str(ROOT / "target" / "tsan"),
        # Children of fork that begin threads are tests of their own.
        "TSAN_OPTIONS": "halt_on_error=0:exitcode=66:die_after_fork=0",
        # A test is some ten times slower.
        "PROPTEST_CASES": "16",
    }
    filters = options.arguments or THREADED
    return run("cargo", "+nightly", "nextest", "run", "-Zbuild-std", "--target", TARGET, "-p", "anyccl-engine", "--lib", *filters,
               env=environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("kind", choices=["address", "thread"])
    parser.add_argument("--prefix", type=Path, default=ROOT / "target" / "test-prefix", help="an installation of the profile dev")
    parser.add_argument("arguments", nargs="*", metavar="ARGUMENT")
    options = parser.parse_intermixed_args()
    if reason := nightly.why_missing(*nightly.NEEDED[{"address": "asan", "thread": "tsan"}[options.kind]]):
        sys.exit(reason)
    sys.exit(0 if {"address": address, "thread": thread}[options.kind](options) else 1)


if __name__ == "__main__":
    main()
