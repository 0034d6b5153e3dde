"""Ranks for a test: forked processes that form a group, do what the test says, and report.

    def body(rank, size):
        tensor = torch.full((3,), rank)
        dist.all_reduce(tensor)
        return tensor.tolist()

    results = run(2, body)                    # results[r] is what rank r returned, or the exception that it raised
    assert results == [[1, 1, 1]] * 2

A fork takes milliseconds, while a new interpreter takes seconds to import torch. The process that forks has
no group itself.
"""

import os
import pickle
import select
import signal
import tempfile
import threading
import time
import traceback
from datetime import timedelta
from pathlib import Path

import torch

# The first functional collective, DDP or profile would import it, in each rank, which takes a second.
import torch._dynamo  # noqa: F401
import torch.distributed as dist
from waiting import Stopwatch, interrupted  # noqa: F401

# Time-out of a group whose test names no other. Only a test that fails waits for it.
PATIENCE = timedelta(seconds=60)
# Most seconds for things that need not wait for a time-out, without those for which ranks waited for a processor.
SOON = 10


class Sign:
    """A signal from rank to rank that does not use the group. It is made before the ranks are forked."""

    def __init__(self):
        self.reader, self.writer = os.pipe()

    def give(self):
        os.write(self.writer, b"!")

    def wait(self, times=1):
        """Waits until the sign was given `times` times. Each giving ends the wait of one rank only."""
        for _ in range(times):
            assert select.select([self.reader], [], [], PATIENCE.total_seconds())[0], "nobody gave the sign"
            os.read(self.reader, 1)


def comes_true(condition):
    """Waits until a condition is true, at most for PATIENCE. Returns whether it is."""
    end = time.monotonic() + PATIENCE.total_seconds()
    while not condition() and time.monotonic() < end:
        os.sched_yield()
    return condition()


class Failed:
    """An exception that a rank raised."""

    def __init__(self, error):
        self.type, self.text, self.trace = type(error).__name__, str(error), traceback.format_exc()

    def __repr__(self):
        return f"{self.type}: {self.text}\n{self.trace}"


class Ended:
    """A rank that ended without an answer: killed, or by os._exit."""

    def __init__(self, status):
        self.status = status

    def __repr__(self):
        return f"ended with status {self.status}"


def run(size, body, *args, backend="anyccl", timeout=PATIENCE, form_group=True, clean=True, within=120):
    """Returns what `body(rank, size, *args)` has returned on each rank. Fails if a rank has not ended within
    `within` seconds."""
    with tempfile.TemporaryDirectory() as folder:
        children = [
            _fork(rank, size, body, args, folder, backend, timeout, form_group, clean) for rank in range(size)
        ]
        statuses = _wait(children, within)
        return [_answer(folder, rank, status) for rank, status in enumerate(statuses)]


def values(size, body, *args, **options):
    """Like run(), but no rank may fail."""
    results = run(size, body, *args, **options)
    for rank, result in enumerate(results):
        assert not isinstance(result, (Failed, Ended)), f"rank {rank}: {result}"
    return results


def same(size, body, *args, **options):
    """Like values(), but all ranks must return the same value, which is returned once."""
    results = values(size, body, *args, **options)
    assert all(result == results[0] for result in results), results
    return results[0]


def form(rank, size, folder, backend="anyccl", timeout=PATIENCE):
    store = dist.FileStore(os.path.join(folder, "store"), size)
    dist.init_process_group(backend, store=store, rank=rank, world_size=size, timeout=timeout)


def form_with_a_served_store(rank, size, folder, through=lambda port: port):
    """Forms the group with a store as torchrun and init_process_group make it, and returns the store. The
    other ranks reach the store of rank 0 at the port `through(port)`."""
    note = Path(folder, "port")
    if rank == 0:
        store = dist.TCPStore("127.0.0.1", 0, size, is_master=True, wait_for_workers=False)
        Path(folder, "new").write_text(str(store.port))
        Path(folder, "new").rename(note)
    else:
        assert comes_true(note.exists)
        store = dist.TCPStore("127.0.0.1", through(int(note.read_text())), size, is_master=False, wait_for_workers=False)
    dist.init_process_group("anyccl", store=store, rank=rank, world_size=size, timeout=PATIENCE)
    return store


def _fork(rank, size, body, args, folder, backend, timeout, form_group, clean):
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        torch.set_num_threads(1)
        try:
            if form_group:
                form(rank, size, folder, backend, timeout)
            result = body(rank, size, *args)
            if clean and dist.is_initialized():
                dist.destroy_process_group()
                _let_ranks_part()
        except BaseException as error:
            result = Failed(error)
        with open(os.path.join(folder, f"answer.{rank}"), "wb") as answer:
            pickle.dump(result, answer)
        status = 0
    finally:
        os._exit(status)


def _let_ranks_part():
    """Does what the end of an interpreter does, because os._exit skips it."""
    from anyccl import torch_backend

    if torch_backend._extension is not None:
        torch_backend._extension.at_exit()


def _wait(children, within):
    statuses, killed = {}, []

    def kill_all():
        for child in children:
            if child not in statuses:
                killed.append(child)
                _kill(child)

    late = threading.Timer(within, kill_all)
    late.start()
    for child in children:
        statuses[child] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    late.cancel()
    assert not killed, f"a rank has not ended within {within} s"
    return [statuses[child] for child in children]


def _kill(child):
    try:
        os.kill(child, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _answer(folder, rank, status):
    try:
        with open(os.path.join(folder, f"answer.{rank}"), "rb") as answer:
            return pickle.load(answer)
    except FileNotFoundError:
        return Ended(status)
