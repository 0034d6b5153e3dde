"""A program of two ranks: one of their calls fails, and they end in one of several ways.

    ending_job.py ROUNDS [FAILURE ENDING]

One process imports torch once, and forks two ranks for each round. A rank has no group yet. It returns from
the fork to the top level of this file, so that its interpreter ends like any other: by sys.exit, or by an
exception that nobody catches. Without FAILURE and ENDING, all pairs of them are run. Each line of the output
is one pair. The exit status is 1 if a rank has ended in another way than it should; standard error says how.

    RANK=0 STORE=FILE ending_job.py alone FAILURE ENDING

This form is one rank, in an interpreter of its own.
"""

import atexit
import gc
import os
import select
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist

sys.path.append(str(Path(__file__).parent / "python"))
from waiting import Stopwatch  # noqa: E402

FAILURES = ["mismatch", "kill", "time-out"]
ENDINGS = ["uncaught", "caught", "destroyed", "destroyed, uncaught"]
# Exit status that a rank passes to sys.exit.
OWN_STATUS = 7
# Longest time in seconds from the failure to the end of what this package does at exit, without the time that ranks
# waited for a processor. torch's record of a failure takes longer where it has stack traces. The rest of the end is
# the interpreter's.
SOON = 4
# Seconds after which a rank that has not ended is killed.
PATIENCE = 120


def expected_status(ending):
    return 1 if "uncaught" in ending else OWN_STATUS


def who_ends(failure):
    """The ranks that learn of the failure; the other one causes it."""
    return [0, 1] if failure == "mismatch" else [0]


def what_is_wrong(ending, status, output, errors):
    """Returns what a rank has done wrong; empty if nothing."""
    if status != expected_status(ending):
        return f"status {status}, not {expected_status(ending)}"
    if "FATAL" in errors:
        return "a FATAL message"
    if not output:
        return "it has not said how long its end took"
    took, _ = end_of(output)
    return f"its end took {took:.1f} s" if took >= SOON else ""


def end_of(output):
    """Returns the seconds from the failure to the end of what this package does, and the time of the failure."""
    took, failed_at = map(float, output.split())
    return took, failed_at


class Rank:
    """A forked rank, as its parent sees it."""

    def __init__(self, pid, folder, rank):
        self.pid, self.folder, self.rank = pid, folder, rank
        self.status, self.gone_at = None, None

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def is_gone(self):
        if self.status is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                self.status, self.gone_at = os.waitstatus_to_exitcode(status), time.monotonic()
        return self.status is not None

    def said(self, where):
        return Path(self.folder, f"{where}.{self.rank}").read_text()


def fork_rank(rank, folder):
    """Forks a rank. Returns None in the child, whose output goes to files."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        return Rank(child, folder, rank)
    os.environ |= {"RANK": str(rank), "STORE": f"{folder}/store", "TORCH_FR_DUMP_TEMP_FILE": f"{folder}/record"}
    for descriptor, where in [(1, "output"), (2, "errors")]:
        file = os.open(f"{folder}/{where}.{rank}", os.O_WRONLY | os.O_CREAT)
        os.dup2(file, descriptor)
        os.close(file)
    return None


def wait_for(ranks):
    """Waits until all ranks have ended. Kills those that take too long."""
    end = time.monotonic() + PATIENCE
    running = {os.pidfd_open(rank.pid): rank for rank in ranks}
    while running and time.monotonic() < end:
        ended, _, _ = select.select(list(running), [], [], max(0, end - time.monotonic()))
        for process in ended:
            running.pop(process).is_gone()
            os.close(process)
    for process in running:
        os.close(process)
    for rank in ranks:
        if not rank.is_gone():
            rank.kill()
            rank.status, rank.gone_at = "none: it had to be killed", time.monotonic()


class Tally:
    """What the ranks of many rounds have done."""

    def __init__(self, failure, ending):
        self.failure, self.ending = failure, ending
        self.faults, self.statuses, self.ours, self.whole = 0, Counter(), 0.0, 0.0

    def add(self, round_, rank):
        output, errors = rank.said("output"), rank.said("errors")
        self.statuses[rank.status] += 1
        wrong = what_is_wrong(self.ending, rank.status, output, errors)
        if wrong:
            self.faults += 1
            print(f"{self.failure}; {self.ending}: round {round_}, rank {rank.rank}: {wrong}\n{errors}", file=sys.stderr)
        if output:
            took, failed_at = end_of(output)
            self.ours, self.whole = max(self.ours, took), max(self.whole, rank.gone_at - failed_at)

    def __str__(self):
        counts = ", ".join(f"{count} of status {status}" for status, count in self.statuses.items())
        return (
            f"{self.failure}; {self.ending}: {counts}; the longest end took {self.ours:.2f} s of this package's, "
            f"{self.whole:.2f} s in all"
        )


def run_pairs(rounds, tally):
    """Runs pairs of ranks. Returns True in the parent, when all have ended, and False in each rank, at once."""
    for round_ in range(rounds):
        # Not a TemporaryDirectory: the children would remove it, too.
        folder = tempfile.mkdtemp()
        ranks = []
        for rank in range(2):
            ranks.append(fork_rank(rank, folder))
            if ranks[-1] is None:
                return False
        enders = [ranks[rank] for rank in who_ends(tally.failure)]
        wait_for(enders)
        for rank in ranks:
            if rank in enders:
                tally.add(round_, rank)
            else:
                rank.kill()
        shutil.rmtree(folder)
    return True


def fork_all(rounds, pairs):
    """Forks all ranks. Returns the failure and the ending in a rank. The parent ends here."""
    faults = 0
    # The end of a rank need not look through torch's objects once more. Those of the rank itself are not meant.
    gc.freeze()
    for failure, ending in pairs:
        tally = Tally(failure, ending)
        if not run_pairs(rounds, tally):
            return failure, ending
        print(tally, flush=True)
        faults += tally.faults
    sys.exit(1 if faults else 0)


def cause(failure, rank):
    """Makes the call that fails."""
    if failure == "mismatch":
        dist.all_reduce(torch.ones(3 + rank))
    elif rank == 0:
        dist.all_reduce(torch.ones(3))
    elif failure == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    else:
        # The parent kills this rank. If the parent itself has ended, this rank ends, too.
        select.select([os.pidfd_open(os.getppid())], [], [], 2 * PATIENCE)


if __name__ == "__main__":
    torch.set_num_threads(1)
    if sys.argv[1] == "alone":
        failure, ending = sys.argv[2:]
    else:
        chosen = [tuple(sys.argv[2:])] if len(sys.argv) > 2 else [(f, e) for f in FAILURES for e in ENDINGS]
        failure, ending = fork_all(int(sys.argv[1]), chosen)
    # Runs after all functions that are registered later; the first group registers that of the backend.
    atexit.register(lambda: print(watch.own_seconds(), failed_at, flush=True))
    rank = int(os.environ["RANK"])
    dist.init_process_group(
        "anyccl", store=dist.FileStore(os.environ["STORE"], 2), rank=rank, world_size=2, timeout=timedelta(seconds=30)
    )
    dist.barrier()
    if failure == "time-out":
        dist.distributed_c10d._set_pg_timeout(timedelta(milliseconds=300))
    try:
        cause(failure, rank)
    except dist.DistBackendError:
        failed_at, watch = time.monotonic(), Stopwatch()
        if "destroyed" in ending:
            dist.destroy_process_group()
        if "uncaught" in ending:
            raise
        sys.exit(OWN_STATUS)
    sys.exit("the call has not failed")
