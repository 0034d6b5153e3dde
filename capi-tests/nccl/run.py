#!/usr/bin/env python3
"""Tests libnccl.so.2 with programs that are built against NCCL's own header, on host memory and on that of GPUs that do not exist.

    1  gets nccl.h from PyPI into target/nccl (once), and installs this library to target/nccl/prefix
    2  compares what the library exports with what the header declares and the real library exports, name by name
    3  builds the programs of this folder and runs them with 2, 3, 4 and 8 ranks, as processes, as threads, and as both; the ranks
       of endings.c end their communicators in any way, those of orders.c in different orders; devices.c runs with the CUDA driver for tests (cuda-double). The seed
       chooses some of these spreads (../sample.py), and ANYCCL_TEST_LONG=1 takes all.
    4  runs programs that use the CUDA runtime on GPUs that do not exist (on_devices.py)
    5  runs programs that get the library by LD_LIBRARY_PATH, LD_PRELOAD and dlopen, and one under a wrapper of ncclAllReduce
    6  lets a profiler plugin of NCCL's interface see the calls of a program (profiler)
    7  builds a project that finds NCCL by CMake, in each way in which projects do (find_package.py)
    8  builds c-examples/nccl, runs them with 1 to 4 ranks, and compares their output with the expected one

The header comes from PyPI. Without it, the script says so and skips the tests.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))
import find_package  # noqa: E402
import on_devices  # noqa: E402
import profiler  # noqa: E402
import pypi  # noqa: E402
import sample  # noqa: E402
from xtask import cuda_double, xtask  # noqa: E402

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Flags for check.h with checks of NCCL's functions.
CHECKS = ["-I", HERE.parent / "common", "-DCHECK_NCCL"]
WORK = ROOT / "target" / "nccl"
# The version of NCCL whose names the library has. It was the newest one when this was written.
WHEEL = "nvidia-nccl-cu13==2.32.3"
HEADER = WORK / "header" / "nccl.h"
EXPORTS = WORK / "header" / "exports.txt"
# Names that the library has and NCCL has not: the spelling of RCCL.
OURS_ALONE = {f"{twin}ncclAllToAll{form}" for twin in ("", "p") for form in ("", "v")}
# Processes, and threads of each. The first four always run, and as many others as OTHERS says, which the seed chooses.
SPREADS = [(2, 1), (4, 1), (1, 2), (2, 2), (3, 1), (8, 1), (1, 3), (1, 4), (1, 8), (4, 2), (2, 4)]
ALWAYS, OTHERS = 4, 2
# (rounds in which each rank ends its communicator by a call of its choice, elements of a call). More elements keep a slow rank
# longer in the call.
ENDINGS = [(100, 101), (5, 1_000_000)]
SPREADS_ON_DEVICES = [(1, 1), (2, 1), (4, 1), (1, 2), (1, 4), (2, 2)]
# Time limit of one program. Most take less than a second, and devices.c takes eight.
LIMIT_S = 240


def run(*command, **options):
    """Runs a command to its end; a failure ends the script."""
    return subprocess.run([str(word) for word in command], check=True, **options)


def exported(library):
    """Returns the names that a shared library exports and that begin as those of NCCL."""
    said = run("nm", "--dynamic", "--defined-only", "--format=posix", library, text=True, capture_output=True).stdout
    names = {line.split()[0] for line in said.splitlines()}
    return {name for name in names if re.match(r"p?nccl[A-Z]", name)}


def header():
    """Gets NCCL's header, and the names that NCCL's library exports. Raises pypi.Missing."""
    home = pypi.kept(HEADER.parent, WHEEL)
    with pypi.locked(home):
        if HEADER.exists() and EXPORTS.exists():
            return
        folder = WORK / "wheel"
        shutil.rmtree(folder, ignore_errors=True)
        with zipfile.ZipFile(pypi.download(WHEEL, folder)) as wheel:
            wheel.extract("nvidia/nccl/include/nccl.h", folder)
            wheel.extract("nvidia/nccl/lib/libnccl.so.2", folder)
        home.mkdir(exist_ok=True)
        EXPORTS.write_text("\n".join(sorted(exported(folder / "nvidia/nccl/lib/libnccl.so.2"))))
        shutil.copy(folder / "nvidia/nccl/include/nccl.h", HEADER)
        # The wheel is 300 MB.
        shutil.rmtree(folder)


def declared():
    """Returns the functions that nccl.h declares."""
    return set(re.findall(r"^\s*(?:ncclResult_t|const char\*|void)\s+(p?nccl[A-Z]\w*)\s*\(", HEADER.read_text(), re.M))


def compare_names(library):
    """Checks that the library exports the names of NCCL and of RCCL's spelling, and no others."""
    ours, theirs, header_names = exported(library), set(EXPORTS.read_text().split()), declared()
    wrong = [f"declared by nccl.h, not exported: {name}" for name in sorted(header_names - ours)]
    wrong += [f"exported by NCCL, not by us: {name}" for name in sorted(theirs - ours)]
    wrong += [f"exported by us alone: {name}" for name in sorted(ours - theirs - OURS_ALONE)]
    if wrong:
        sys.exit("\n".join(wrong))
    dynamic = run("readelf", "--dynamic", library, text=True, capture_output=True).stdout
    if "[libnccl.so.2]" not in dynamic:
        sys.exit(f"{library} has not the soname libnccl.so.2")
    print(f"names: all {len(theirs)} of NCCL, {len(header_names)} of them in nccl.h, and {len(ours - theirs)} of RCCL")


def compile_c(output, *arguments):
    """Compiles C against NCCL's header."""
    output.parent.mkdir(parents=True, exist_ok=True)
    run(os.environ.get("CC", "cc"), "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-O1", "-pthread",
        "-I", HEADER.parent, "-I", HERE / "stand-in", "-o", output, *arguments)
    return output


def build(name, library):
    """Builds a program of this folder, linked with the library by its path, and returns its path."""
    shared = [HERE / "ranks.c", HERE / "values.c", HERE.parent / "common" / "sample.c"] if name != "layout" else []
    return compile_c(WORK / "programs" / name, *CHECKS, HERE / f"{name}.c", *shared, library,
                     f"-Wl,-rpath,{library.parent}", "-lm")


def spreads(cell):
    """Returns the spreads with which a program runs. The cell is its number, for the sample."""
    return SPREADS[:ALWAYS] + sample.some(SPREADS[ALWAYS:], OTHERS, cell)


def endings(library):
    """Runs endings.c: ranks that abort, destroy and finalize in any order break no call of another rank, by any transport."""
    program = build("endings", library)
    for cell, (rounds, count) in enumerate(ENDINGS):
        for processes, threads in spreads(cell):
            print(f"endings: {processes} x {threads}, {rounds} rounds of {count} elements", flush=True)
            run(program, processes, threads, rounds, count, timeout=LIMIT_S)
    for processes in (3, 4):
        print(f"endings: {processes} x 1 by tcp", flush=True)
        run(program, processes, 1, 30, 20_011, timeout=LIMIT_S,
            env=os.environ | {"NCCL_SHM_DISABLE": "1"})


def orders(library):
    """Runs orders.c: ranks that end their communicators in different orders do not wait for each other."""
    program = build("orders", library)
    for processes, threads in spreads(3):
        print(f"orders: {processes} x {threads}", flush=True)
        run(program, processes, threads, timeout=LIMIT_S)
    print("orders: 3 x 1 by tcp", flush=True)
    run(program, 3, 1, timeout=LIMIT_S, env=os.environ | {"NCCL_SHM_DISABLE": "1"})
    for transport in ("0", "1"):
        print(f"orders: an exit, NCCL_SHM_DISABLE={transport}", flush=True)
        logged = run(program, "exits", 8, timeout=LIMIT_S, stderr=subprocess.PIPE, text=True,
                     env=os.environ | {"NCCL_SHM_DISABLE": transport, "ANYCCL_LOG": "warn"}).stderr
        if logged:
            sys.exit(f"ranks took the exit of another one for a crash:\n{logged}")


def devices(library):
    """Runs devices.c: calls on memory of a GPU are part of their streams."""
    double = cuda_double()
    program = build("devices", library)
    for processes, threads in sample.some(SPREADS_ON_DEVICES, 3):
        print(f"devices: {processes} x {threads}", flush=True)
        run(program, processes, threads, timeout=LIMIT_S,
            env=os.environ | {"LD_LIBRARY_PATH": double, "CUDA_DOUBLE_OPEN_FREE": "1"})


def output_of(command, **environment):
    """Returns the output of a command."""
    words = [str(word) for word in command]
    return run(*words, env=os.environ | environment, timeout=LIMIT_S, capture_output=True, text=True).stdout


def ways_in(library):
    """Tests LD_LIBRARY_PATH, LD_PRELOAD and dlopen. Also, a profiler that wraps a function is called once per call."""
    wrapper = compile_c(WORK / "programs" / "libwrapper.so", "-shared", "-fPIC", HERE / "wrapper.c")
    opener = compile_c(WORK / "programs" / "opener", HERE / "opener.c", "-ldl")
    # This program needs libnccl.so.2 and has no run path.
    linked = compile_c(WORK / "programs" / "linked", *CHECKS, HERE / "layout.c", library)
    output_of([linked], LD_LIBRARY_PATH=str(library.parent))
    output_of([linked], LD_PRELOAD=str(library))
    output_of([opener, library])
    wrapped = output_of([WORK / "programs" / "collectives", 1, 2, 0], LD_PRELOAD=str(wrapper))
    if wrapped != "wrapped ncclAllReduce\n":
        sys.exit(f"the wrapper was to be called, and said once: {wrapped!r}")
    print("ways in: LD_LIBRARY_PATH, LD_PRELOAD, dlopen, a wrapper of ncclAllReduce")


def example_output(name, ranks):
    """Returns the lines that an example should print, sorted."""
    if name == "00-hello-world":
        return [f"Hello from rank {r} of {ranks}, device {r} (NCCL 23007)" for r in range(ranks)]
    if name == "01-broadcast":
        return [f"rank {r} has 10 20 30 40" for r in range(ranks)]
    before = [[10 * r + i for i in range(4)] for r in range(ranks)]
    after = " ".join(f"{sum(column):4d}" for column in zip(*before))
    rows = [f"{r:4d} | {' '.join(f'{x:4d}' for x in before[r])} | {after}" for r in range(ranks)]
    return sorted([f"rank | {'before':>19} | {'after':>19}", *rows])


def examples(library):
    """Builds and runs the programs of c-examples/nccl, and checks their output."""
    folder = ROOT / "c-examples" / "nccl"
    for source in sorted(folder.glob("*.c")):
        program = compile_c(WORK / "programs" / f"example-{source.stem}", "-I", folder, source, library,
                            f"-Wl,-rpath,{library.parent}")
        for ranks in (1, 2, 3, 4):
            printed = sorted(output_of([program, ranks]).splitlines())
            if printed != example_output(source.stem, ranks):
                sys.exit(f"{source.stem} with {ranks} ranks printed\n" + "\n".join(printed))
        print(f"example {source.stem}: 1 to 4 ranks")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--prefix", type=Path, help="test what is installed there, and install nothing")
    arguments.add_argument("--profile", default="release", help="cargo profile of the library (release)")
    arguments = arguments.parse_args()
    try:
        header()
    except pypi.Missing as reason:
        print(f"SKIPPED: {WHEEL} cannot be had: {reason}")
        return
    prefix = arguments.prefix or WORK / "prefix"
    try:
        if arguments.prefix is None:
            run(*xtask("install", "--prefix", prefix, "--profile", arguments.profile), cwd=ROOT)
        library = prefix.resolve() / "lib" / "anyccl" / "nccl" / "libnccl.so.2"
        compare_names(library)
        run(build("layout", library), timeout=LIMIT_S)
        # The programs have failures on purpose. Do not log them.
        os.environ["ANYCCL_LOG"] = "off"
        print(sample.told(), flush=True)
        for cell, name in enumerate(("collectives", "groups", "communicators")):
            program = build(name, library)
            for point, (processes, threads) in enumerate(spreads(cell)):
                print(f"{name}: {processes} x {threads}", flush=True)
                run(program, processes, threads, *([point] if name == "collectives" else []), timeout=LIMIT_S)
        endings(library)
        orders(library)
        devices(library)
        on_devices.check(prefix.resolve(), HEADER, WORK / "on-devices")
        ways_in(library)
        profiler.check(build("profiled", library), compile_c, WORK / "profiler", LIMIT_S)
        find_package.check(prefix.resolve(), HEADER.parent, WORK / "find-package")
        examples(library)
    except subprocess.TimeoutExpired as failure:
        sys.exit(f"still running after {LIMIT_S} s: {failure.cmd}")
    except subprocess.CalledProcessError as failure:
        sys.exit(f"failed with {failure.returncode}: {failure.cmd}")
    except (on_devices.Failed, profiler.Failed) as failure:
        sys.exit(str(failure))
    except pypi.Missing as reason:
        sys.exit(f"there is no cmake here: {reason}")
    print("the NCCL tests have passed")


if __name__ == "__main__":
    main()
