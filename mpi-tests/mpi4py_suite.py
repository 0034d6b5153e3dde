"""mpi4py's own tests: the wheel through libmpi.so.12, a build from source through libmpi_abi.so.1. A process start per module."""

import json
import re
import shutil
from collections import Counter
from dataclasses import dataclass, field

from setting import HERE, VENV, WORK, job, launch, mpi4py_on, mpi4py_tests

SECONDS = 60
# Tests that hang or end their process are left out, and the module is run again, so many times.
ATTEMPTS = 4
# The least limit of modules that take long: this one makes thousands of datatypes, in Python.
LONG = {"test_util_dtlib": 240}
# Limit of a module of OUT_OF_SCOPE: a rank that is refused leaves the others in a call that waits for it.
OUT_OF_SCOPE_SECONDS = 15
# What these modules are about is refused by anyccl so far.
OUT_OF_SCOPE = {"test_win": "windows", "test_rma": "windows", "test_rma_nb": "windows", "test_file": "files",
                "test_io": "files", "test_session": "sessions", "test_spawn": "spawn", "test_dynproc": "spawn",
                "test_p2p_buf_part": "partitioned messages"}
# So are these tests of other modules: what they report names a function of that kind.
REFUSED = re.compile(r"MPI_(Win_|File_|Session_|Comm_spawn|Comm_accept|Comm_connect|Comm_join|Open_port|Publish_name|Lookup_name|"
                     r"P(send|recv)_init|Register_datarep|Comm_create_from_group|Intercomm_create_from_groups|T_)\w*: this "
                     r"function is not implemented by anyccl")
# Tests that are not right themselves: part of their name, and why.
KNOWN = {"testIAgree": "starts a reduction before a barrier on one rank and after it on the others, which is erroneous"}
QUICK = ["test_p2p_buf", "test_cco_buf", "test_cco_nb_buf", "test_comm", "test_comm_inter", "test_datatype", "test_op",
         "test_group", "test_request", "test_attributes", "test_errhandler", "test_p2p_obj"]


@dataclass
class Outcome:
    """What became of one module."""

    module: str
    tests: int = 0
    skipped: Counter = field(default_factory=Counter)
    failed: list = field(default_factory=list)

    def is_refused(self, failure):
        """Whether a failure is what was asked for: the function is refused."""
        return self.module in OUT_OF_SCOPE or bool(REFUSED.search(failure[1]))

    @property
    def refused(self):
        return [failure for failure in self.failed if self.is_refused(failure)]

    @property
    def known(self):
        """Failures of tests that are not right themselves."""
        return [failure for failure in self.failed if known(failure[0]) and not self.is_refused(failure)]

    @property
    def wrong(self):
        """Failures that nothing explains."""
        return [failure for failure in self.failed if not known(failure[0]) and not self.is_refused(failure)]

    def refused_functions(self):
        """How many tests met each function that is refused."""
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


def modules():
    return sorted(file.stem for file in mpi4py_tests().glob("test_*.py"))


def run(module, library, ranks, launcher, seconds=SECONDS):
    """Runs one module on `ranks` ranks."""
    tests = mpi4py_tests()
    folder = WORK / "mpi4py-out" / f"{library}-{ranks}-{module}"
    # At one rank its process pools spawn processes, and do not end where that is refused: it can leave them out.
    words = mpi4py_on(library) | {"MPI4PY_TEST_SPAWN": "no"}
    seconds = max(seconds, LONG.get(module, 0))
    if module in OUT_OF_SCOPE:
        seconds = min(seconds, OUT_OF_SCOPE_SECONDS)
    excluded, lost = [], []
    for _ in range(ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        program = [VENV / "bin" / "python", "-B", HERE / "mpi4py_module.py", tests, folder, rf"^{module}\.py$", *excluded]
        ended = job(launch(launcher, ranks, program), library, seconds, **words)
        (folder / "out").write_text(ended.out)
        (folder / "err").write_text(ended.err)
        outcome = gathered(module, folder, ranks)
        if outcome is not None:
            refused = [test for test, _ in outcome.refused if "_FailedTest" not in test]
            # A test that is refused on some ranks leaves them out of step with the others: what fails then says nothing.
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
        # The tests of ranks that are ahead of the others are not to blame, but which those are nobody knows.
        lost.append((", ".join(running), how))
        excluded += running
    return Outcome(module, len(excluded), Counter(), lost)


def gathered(module, folder, ranks):
    """What all ranks have written; None when one did not come to that."""
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
            # Where one rank is refused, others may fail for that reason.
            if not REFUSED.search(failed.get(test, "")):
                failed[test] = why
    outcome.failed = list(failed.items())
    return outcome
