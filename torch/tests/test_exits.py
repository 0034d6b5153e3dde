"""After a failed call, a process ends with its own exit status, and soon."""

import itertools
import os
import subprocess
import sys

import ending_job
import pytest
import sample

JOB = ending_job.__file__


# Each ending once, in new interpreters. The next test has all pairs.
ALONE = [("mismatch", "uncaught"), ("time-out", "caught"), ("kill", "destroyed")]
PAIRS = list(itertools.product(ending_job.FAILURES, ending_job.ENDINGS))


@pytest.mark.parametrize("failure, ending", PAIRS if sample.IS_LONG else ALONE)
def test_after_a_failure_a_process_ends_as_it_wants_and_soon(tmp_path, failure, ending):
    environment = os.environ | {"STORE": str(tmp_path / "store"), "TORCH_FR_DUMP_TEMP_FILE": str(tmp_path / "record")}
    command = [sys.executable, "-W", "ignore", JOB, "alone", failure, ending]
    pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    processes = [subprocess.Popen(command, env=environment | {"RANK": str(rank)}, **pipes) for rank in range(2)]
    try:
        for rank in ending_job.who_ends(failure):
            output, errors = processes[rank].communicate(timeout=300)
            wrong = ending_job.what_is_wrong(ending, processes[rank].returncode, output, errors)
            assert not wrong, f"{wrong}\n{errors}"
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def test_many_processes_end_as_they_want_after_a_failure(tmp_path):
    """ANYCCL_TEST_ROUNDS is the number of pairs of ranks for each failure and ending, by default 1. They are
    forked, because an import of torch takes seconds."""
    rounds = os.environ.get("ANYCCL_TEST_ROUNDS", "1")
    command = [sys.executable, "-W", "ignore", JOB, rounds]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300 * (1 + int(rounds)))
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) == len(ending_job.FAILURES) * len(ending_job.ENDINGS), done.stdout
