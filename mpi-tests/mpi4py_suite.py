"""mpi4py's own tests: the wheel through libmpi.so.12, a build from source through libmpi_abi.so.1. A process start per module."""

import json
import shutil
from collections import Counter
from dataclasses import dataclass, field

from setting import HERE, VENV, WORK, job, launch, mpi4py_for_standard_abi, mpi4py_tests

SECONDS = 60
# Tests that hang or end their process are left out, and the module is run again, so many times.
ATTEMPTS = 4
# What these modules are about is refused by anyccl so far.
OUT_OF_SCOPE = {"test_win": "windows", "test_rma": "windows", "test_rma_nb": "windows", "test_file": "files",
                "test_io": "files", "test_session": "sessions", "test_spawn": "spawn", "test_dynproc": "spawn",
                "test_p2p_buf_part": "partitioned communication"}
QUICK = ["test_p2p_buf", "test_cco_buf", "test_cco_nb_buf", "test_comm", "test_comm_inter", "test_datatype", "test_op",
         "test_group", "test_request", "test_attributes", "test_errhandler", "test_p2p_obj"]


@dataclass
class Outcome:
    """What became of one module."""

    module: str
    tests: int = 0
    skipped: Counter = field(default_factory=Counter)
    failed: list = field(default_factory=list)

    def __str__(self):
        return f"{self.tests} tests, {sum(self.skipped.values())} skipped, {len(self.failed)} failed"


def modules():
    return sorted(file.stem for file in mpi4py_tests().glob("test_*.py"))


def run(module, library, ranks, launcher, seconds=SECONDS):
    """Runs one module on `ranks` ranks."""
    tests = mpi4py_tests()
    folder = WORK / "mpi4py-out" / f"{library}-{ranks}-{module}"
    words = {"MPI4PY_MPIABI": "mpich", "MPI4PY_LIBMPI": str(library.folder)}
    if library.abi == "std":
        words = {"PYTHONPATH": str(mpi4py_for_standard_abi()), "MPI4PY_LIBMPI": str(library.folder / "libmpi_abi.so.1")}
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
            outcome.failed += lost
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
    return Outcome(module, 0, Counter(), lost)


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
        failed.update(dict(map(tuple, result["failed"])))
    outcome.failed = list(failed.items())
    return outcome


def page(columns):
    """Markdown: a table of modules by way in, then each failure, and reasons of skips. `columns`: {title: {module: outcome}}."""
    titles = list(columns)
    rows = sorted({module for outcomes in columns.values() for module in outcomes})
    lines = ["Tests, of which skipped, and failed, of one rank.", "", "| module | " + " | ".join(titles) + " |",
             "| --- |" + " --- |" * len(titles)]
    for module in rows:
        cells = []
        for title in titles:
            outcome = columns[title].get(module)
            cells.append("" if outcome is None else
                         f"{outcome.tests}, {sum(outcome.skipped.values())}, {len(outcome.failed)}")
        note = f" ({OUT_OF_SCOPE[module]})" if module in OUT_OF_SCOPE else ""
        lines.append(f"| {module.removeprefix('test_')}{note} | " + " | ".join(cells) + " |")
    lines += ["", "Failures:", ""]
    failures, reasons = {}, Counter()
    for title, outcomes in columns.items():
        for outcome in outcomes.values():
            reasons |= outcome.skipped
            for test, why in outcome.failed:
                failures.setdefault((test, why), []).append(title)
    lines += [f"- {test}: {why} ({', '.join(where)})" for (test, why), where in sorted(failures.items())] or ["- none"]
    lines += ["", "Reasons of skips, and the most tests that one module skips for it:", ""]
    lines += [f"- {reason}: {count}" for reason, count in sorted(reasons.items())] or ["- none"]
    return "\n".join(lines) + "\n"
