"""`anyccl status` sees who keeps a group of torch waiting."""

import json
import os
import subprocess
from pathlib import Path

import torch
import torch.distributed as dist
from anyccl import get_prefix
from ranks import Sign, comes_true, run

TOOL = Path(get_prefix(), "bin", "anyccl")


def states(pid):
    """Returns the state and the last call of each rank of the job of a process, by rank."""
    said = subprocess.run([TOOL, "status", "--json", str(pid)], capture_output=True, text=True)
    if said.returncode != 0:
        return {}
    comms = [comm for job in json.loads(said.stdout)["jobs"] for comm in job["communicators"]]
    ranks = next((comm["ranks"] for comm in comms if "all_reduce" in str(comm["call"])), [])
    return {rank["rank"]: (rank["state"], rank["call_number"]) for rank in ranks}


def test_a_rank_that_computes_is_late_and_the_others_wait():
    called = Sign()

    def body(rank, size):
        dist.all_reduce(torch.ones(4))
        if rank == 1:
            called.wait(size - 1)
            expected = ["waits", "late", "waits"]
            late = comes_true(lambda: [state for _, (state, _) in sorted(states(os.getpid()).items())] == expected)
            numbers = {rank: number for rank, (_, number) in states(os.getpid()).items()}
            dist.all_reduce(torch.ones(4))
            return late, numbers[0] - numbers[1], numbers[2] - numbers[1]
        called.give()
        dist.all_reduce(torch.ones(4))

    assert run(3, body)[1] == (True, 1, 1)
