"""Runs the tests of the programs named ranks_*.py on every rank of a job.

A test is a function whose name begins with test_ and that takes the communicator of all ranks. The first
failure ends the job, with a trace of the rank that saw it.
"""

import shutil
import sys
import tempfile
import time
import traceback

import anyccl

# Long enough for a busy machine. A test that hangs fails after this time.
PATIENCE_SECONDS = 60


class Skipped(Exception):
    """Raised by a test that cannot be run here; has the reason."""


_folders = []


def own_folder():
    """Makes a folder that exists until all tests have run."""
    _folders.append(tempfile.mkdtemp(prefix="anyccl-python-"))
    return _folders[-1]


def shared_folder(comm):
    """Makes a folder that all ranks share and that exists until all tests have run."""
    return comm.bcast(own_folder() if comm.rank == 0 else None)


def refused(kind, call, *words):
    """Makes a call that must raise an exception of a kind, with these words in its message. Returns the
    exception."""
    try:
        call()
    except kind as error:
        text = str(error)
        missing = [word for word in words if word not in text]
        assert not missing, f"{missing} not in {text!r}"
        return error
    raise AssertionError(f"not refused with {kind.__name__}")


def run(names):
    """Runs the tests among `names`, which are the globals of a program."""
    with anyccl.Communicator.world(timeout=PATIENCE_SECONDS) as comm:
        run_on(comm, names)


def run_on(comm, names):
    """Runs the tests on a communicator that stays open."""
    for name, test in list(names.items()):
        if not name.startswith("test_"):
            continue
        begun = time.perf_counter()
        try:
            test(comm)
            comm.Barrier()
        except Skipped as reason:
            if comm.rank == 0:
                print(f"skipped {name}: {reason}", flush=True)
            continue
        except BaseException:
            print(f"FAILED  {name} on rank {comm.rank} of {comm.size}", file=sys.stderr)
            traceback.print_exc()
            sys.stderr.flush()
            sys.exit(1)
        if comm.rank == 0:
            print(f"ok      {name} ({time.perf_counter() - begun:.2f} s)", flush=True)
    for folder in _folders:
        # A thread that was interrupted may still write there.
        shutil.rmtree(folder, ignore_errors=True)
