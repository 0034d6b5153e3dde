"""Runs modules of mpi4py's own tests in this rank, and records the result of each test.

    mpi4py_module.py TESTS OUT MODULE [EXCLUDED...]

TESTS is the folder test/ of mpi4py's sdist. MODULE is the name of a file there, without `.py`. Each rank N writes two
files to the folder OUT: rank-N.json at the end, and now-N, the name of the running test, which tells where a run hangs.

Some modules try a function when they are imported, for example to open a file. They skip their tests if mpi4py says that the
function does not exist. Here they skip them also if the library refuses the function by an error of MPI.
"""

import collections
import contextlib
import importlib.machinery
import json
import sys
import unittest
from pathlib import Path

tests, out, module, *excluded = sys.argv[1:]
tests, out = Path(tests), Path(out)
sys.path.insert(0, str(tests))

PROBE = b"\nexcept NotImplementedError:\n    unittest.disable("
READ = importlib.machinery.SourceFileLoader.get_data


def with_refusals(loader, path):
    return READ(loader, path).replace(PROBE, PROBE.replace(b"NotImplementedError", b"(NotImplementedError, MPI.Exception)"))


importlib.machinery.SourceFileLoader.get_data = with_refusals

results = {"tests": 0, "skipped": collections.Counter(), "failed": []}


def my_rank():
    from mpi4py import MPI
    return MPI.COMM_WORLD.Get_rank()


def name(test):
    # The id of a subtest includes its parameters.
    return test.id().removeprefix("test.")


def last_line(error):
    lines = [line for line in f"{error[0].__name__}: {error[1]}".splitlines() if line.strip()]
    # If a module cannot be imported, the text is a whole traceback, and its last line has the reason.
    return (lines[-1].strip() if "Failed to import" in lines[0] else lines[0])[:200]


class Result(unittest.TextTestResult):
    now = None

    def startTest(self, test):
        super().startTest(test)
        results["tests"] += 1
        Result.now = Result.now or open(out / f"now-{my_rank()}", "w")
        self.now.seek(0)
        self.now.truncate()
        self.now.write(test.id())
        self.now.flush()

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        results["skipped"][reason] += 1

    def addFailure(self, test, err):
        super().addFailure(test, err)
        results["failed"].append((name(test), last_line(err)))

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            results["failed"].append((name(subtest), last_line(err)))


def kept(suite):
    """Returns the tests of a suite that are not excluded."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from kept(test)
        elif not test.id().endswith(tuple(excluded)):
            yield test


class Runner(unittest.TextTestRunner):
    resultclass = Result

    def run(self, test):
        return super().run(unittest.TestSuite(kept(test)))


if (tests / "main.py").exists():
    import main
    words = [str(tests / "main.py"), "--quiet", "--no-builddir", "-i", rf"^{module}\.py$"]
    with contextlib.suppress(SystemExit):
        main.TestProgram(module=None, argv=words, testRunner=Runner)
else:
    # mpi4py 3 makes the runner itself.
    import runtests
    unittest.TextTestRunner = Runner
    runtests.main(["--quiet", "--no-builddir", "--include", f"^{module}$"])
(out / f"rank-{my_rank()}.json").write_text(json.dumps(results))
