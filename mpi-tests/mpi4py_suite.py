"""Runs mpi4py's own tests, each module in a job of its own.

mpi4py's wheel uses libmpi.so.12 or libmpi.so.40. A build from source uses libmpi_abi.so.1.
"""

import json
import re
import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from setting import HERE, SECONDS, VENV, WORK, job, launch, mpi4py_on, mpi4py_tests

# Most runs of a module. After a test that hangs or ends its process, the module runs again without that test.
ATTEMPTS = 4
# Time limit of a module of OUT_OF_SCOPE. When a function is refused on one rank, the others may wait for that rank in a call.
OUT_OF_SCOPE_SECONDS = 15
# Modules about functions that anyccl refuses so far, and their subjects.
OUT_OF_SCOPE = {"test_spawn": "spawn", "test_dynproc": "spawn"}
# The error of a test in another module that calls such a function.
REFUSED = re.compile(r"MPIX_Comm_\w+: this function is not|MPI_(Comm_spawn|Comm_accept|Comm_connect|Comm_join|Open_port|Publish_name|Lookup_name|"
                     r"Register_datarep)\w*: this function is not implemented by anyccl")
# Erroneous tests: part of their name, and the reason.
KNOWN = {"testIAgree": "starts a reduction before a barrier on one rank and after it on the others, which is erroneous",
         "testContiguousBigMPI": "expects that a library at MPI 3.1, as Open MPI's ABI is, has no functions for large counts",
         "testGetFortranInfo": "fails on MPICH, too: the wheel was built for an older MPICH, and lacks some of Fortran's types"}
# This module makes thousands of datatypes, in Python.
SLOW = ["test_datatype"]
QUICK = ["test_p2p_buf", "test_cco_buf", "test_cco_nb_buf", "test_comm", "test_comm_inter", "test_datatype", "test_op",
         "test_group", "test_request", "test_attributes", "test_errhandler", "test_p2p_obj"]


@dataclass
class Outcome:
    """The results of one module."""

    module: str
    tests: int = 0
    skipped: Counter = field(default_factory=Counter)
    failed: list = field(default_factory=list)

    def is_refused(self, failure):
        """Tells whether a failure is expected, because the function is refused."""
        return self.module in OUT_OF_SCOPE or bool(REFUSED.search(failure[1]))

    @property
    def refused(self):
        return [failure for failure in self.failed if self.is_refused(failure)]

    @property
    def known(self):
        """Failures of erroneous tests."""
        return [failure for failure in self.failed if known(failure[0]) and not self.is_refused(failure)]

    @property
    def wrong(self):
        """Failures without an explanation."""
        return [failure for failure in self.failed if not known(failure[0]) and not self.is_refused(failure)]

    def refused_functions(self):
        """Returns the number of tests that failed by each refused function."""
        found = Counter()
        for _, why in self.refused:
            match = REFUSED.search(why)
            found[match[0].partition(":")[0] if match else "waits for a rank that was refused"] += 1
        return found

    def __str__(self):
        failed = len(self.known) + len(self.wrong)
        return f"{self.tests} tests, {sum(self.skipped.values())} skipped, {len(self.refused)} refused, {failed} failed"


def known(test):
    return next((why for name, why in KNOWN.items() if name in test), None)


@dataclass
class Build:
    """A build of mpi4py: the folder of its tests, its Python, and the variables with which it uses a library."""

    tests: Path
    python: Path
    variables: dict


def usual(library):
    """Returns the wheel, or for the standard ABI a build from source."""
    # With one rank, mpi4py's process pools spawn processes, and hang if that is refused. This variable leaves these tests out.
    return Build(mpi4py_tests(), VENV / "bin" / "python", mpi4py_on(library) | {"MPI4PY_TEST_SPAWN": "no"})


def modules(tests=None):
    """Returns the names of the modules in a folder of tests, which is that of the usual build unless it is given."""
    return sorted(file.stem for file in (tests or mpi4py_tests()).glob("test_*.py"))


def run(module, library, ranks, launcher, seconds=SECONDS, build=None):
    """Runs one module on `ranks` ranks, and returns its outcome. `build` is the usual one unless it is given."""
    build = build or usual(library)
    folder = WORK / "mpi4py-out" / f"{build.tests.parent.name}-{library}-{ranks}-{module}"
    if module in OUT_OF_SCOPE:
        seconds = min(seconds, OUT_OF_SCOPE_SECONDS)
    excluded, lost = [], []
    for _ in range(ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        program = [build.python, "-B", HERE / "mpi4py_module.py", build.tests, folder, module, *excluded]
        ended = job(launch(launcher, ranks, program), library, seconds, **build.variables)
        (folder / "out").write_text(ended.out)
        (folder / "err").write_text(ended.err)
        outcome = gathered(module, folder, ranks)
        if outcome is not None:
            refused = [test for test, _ in outcome.refused if "_FailedTest" not in test]
            # A test that is refused on some ranks leaves the ranks out of step, and later tests may fail for that reason. So the
            # module runs again without it.
            if refused and outcome.wrong:
                lost += outcome.refused
                excluded += sorted({test.partition(" ")[0] for test in refused})
                continue
            outcome.failed += lost
            outcome.tests += len(excluded)
            return outcome
        running = sorted({file.read_text() for file in folder.glob("now-*")})
        said = [line for line in ended.err.strip().splitlines() if line.strip()]
        how = f"did not end within {seconds} s" if ended.status is None else f"exit status {ended.status}"
        how += f", after: {said[-1].strip()[:200]}" if said and ended.status is not None else ""
        if not running:
            lost.append((module, how))
            break
        # Ranks may be in different tests. It is unknown which of them is at fault, so all are left out.
        lost.append((", ".join(running), how))
        excluded += running
    return Outcome(module, len(excluded), Counter(), lost)


def gathered(module, folder, ranks):
    """Returns the outcome from the files of all ranks, or None if a rank has written no file."""
    files = sorted(folder.glob("rank-*.json"))
    if len(files) < ranks:
        return None
    outcome = Outcome(module)
    failed = {}
    for file in files:
        result = json.loads(file.read_text())
        outcome.tests = max(outcome.tests, result["tests"])
        outcome.skipped |= Counter(result["skipped"])
        for test, why in result["failed"]:
            # If a function is refused on one rank, that is the reason to keep: others may fail as a result.
            if not REFUSED.search(failed.get(test, "")):
                failed[test] = why
    outcome.failed = list(failed.items())
    return outcome
