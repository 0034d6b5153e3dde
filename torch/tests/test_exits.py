"""How a process ends after a call has failed: by its own exit status, and soon."""

import os
import subprocess
import sys

import pytest

# Seconds from the failure to the end of what this package does at the end of a process. torch's record of a failure takes more
# where it has stack traces. The rest is the interpreter's, whose end takes seconds on a busy machine.
SOON = 4
OWN_STATUS = 7

SCRIPT = """
import atexit, os, sys, time
from datetime import timedelta
import torch, torch.distributed as dist

failure, ending = sys.argv[1:]
# Runs when all that was registered later has run: the backend, by its first group.
atexit.register(lambda: print(time.monotonic() - failed_at, flush=True))
store = dist.FileStore(os.environ["STORE"], 2)
rank = int(os.environ["RANK"])
dist.init_process_group("anyccl", store=store, rank=rank, world_size=2,
                        timeout=timedelta(seconds=1 if failure == "time-out" else 30))
dist.barrier()


def fail():
    if failure == "mismatch":
        dist.all_reduce(torch.ones(3 + rank))
    elif rank == 0:
        dist.all_reduce(torch.ones(3))
    elif failure == "kill":
        os.kill(os.getpid(), 9)
    else:
        # Until the other one has gone.
        sys.stdin.read()
        os._exit(OWN_STATUS)


def note_time(*_):
    global failed_at
    failed_at = time.monotonic()


if ending == "uncaught":
    sys.excepthook = note_time
    fail()
try:
    fail()
except dist.DistBackendError:
    note_time()
    if ending == "destroyed":
        dist.destroy_process_group()
    sys.exit(OWN_STATUS)
""".replace("OWN_STATUS", str(OWN_STATUS))


@pytest.mark.parametrize("failure", ["mismatch", "kill", "time-out"])
@pytest.mark.parametrize("ending", ["uncaught", "caught", "destroyed"])
def test_after_a_failure_a_process_ends_as_it_wants_and_soon(tmp_path, failure, ending):
    (tmp_path / "script.py").write_text(SCRIPT)
    environment = os.environ | {"STORE": str(tmp_path / "store"), "TORCH_FR_DUMP_TEMP_FILE": str(tmp_path / "record")}
    command = [sys.executable, "-W", "ignore", str(tmp_path / "script.py"), failure, ending]
    pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    processes = [subprocess.Popen(command, env=environment | {"RANK": str(rank)}, **pipes) for rank in range(2)]
    try:
        for process in processes[: 2 if failure == "mismatch" else 1]:
            told, errors = process.communicate(timeout=60)
            assert process.returncode == (1 if ending == "uncaught" else OWN_STATUS), errors
            assert float(told) < SOON, errors
            assert "FATAL" not in errors, errors
    finally:
        for process in processes:
            process.kill()
            process.communicate()
