"""`anyccl status` sees who, or which link, keeps a group of torch waiting."""

import ctypes
import json
import os
import socket
import struct
import subprocess
from pathlib import Path

import torch
import torch.distributed as dist
from anyccl import get_prefix
from ranks import Sign, comes_true, run

TOOL = Path(get_prefix(), "bin", "anyccl")


def communicators(pid):
    """Returns the communicators of the job of a process."""
    said = subprocess.run([TOOL, "status", "--json", str(pid)], capture_output=True, text=True)
    return [comm for job in json.loads(said.stdout)["jobs"] for comm in job["communicators"]] if said.returncode == 0 else []


def in_call(pid, name):
    """Returns the first of them in whose call of that name ranks wait."""
    return next((comm for comm in communicators(pid) if name in str(comm["call"])), None)


def states(pid, name="all_reduce"):
    """Returns the state and the number of the last call of each rank, by rank."""
    comm = in_call(pid, name) or {"ranks": []}
    return {rank["rank"]: (rank["state"], rank["call_number"]) for rank in comm["ranks"]}


def names(pid, name):
    return [state for _, (state, _) in sorted(states(pid, name).items())]


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


def test_who_has_not_ended_the_group_is_late_for_those_that_have():
    def body(rank, size):
        dist.all_reduce(torch.ones(4))
        if rank == 1:
            return comes_true(lambda: names(os.getpid(), "finalize") == ["waits", "late", "waits"])
        # Returns when rank 1 ends the group, too.
        dist.destroy_process_group()
        return None

    assert run(3, body)[1]


def swallow(connections):
    """Lets what comes over TCP connections vanish, given by their numbers. The kernel tells nobody."""
    nothing = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))
    for number in connections:
        with socket.socket(fileno=os.dup(number)) as connection:
            connection.setsockopt(socket.SOL_SOCKET, 26, struct.pack("HL", 1, ctypes.addressof(nothing)))  # SO_ATTACH_FILTER


def silent_links(pid):
    comm = in_call(pid, "all_reduce") or {"silent_links": []}
    return [(link["from"], link["to"], link["transport"]) for link in comm["silent_links"]]


def tcp_connections():
    """Returns the TCP connections of this process: the number of each, and the ports of its ends."""
    found = {}
    for name in os.listdir("/proc/self/fd"):
        try:
            with socket.socket(fileno=os.dup(int(name))) as connection:
                if connection.family in (socket.AF_INET, socket.AF_INET6) and connection.type == socket.SOCK_STREAM:
                    found[int(name)] = (connection.getsockname()[1], connection.getpeername()[1])
        except OSError:
            pass
    return found


def test_a_link_that_swallows_everything_is_named(monkeypatch):
    monkeypatch.setenv("ANYCCL_TRANSPORT", "tcp")
    swallowed, seen = Sign(), Sign()

    def body(rank, size):
        dist.all_reduce(torch.ones(4))
        ports = [None] * size
        dist.all_gather_object(ports, list(tcp_connections().values()))
        dist.barrier()
        if rank == 1:
            theirs = {(there, here) for here, there in ports[0]}
            swallow(number for number, ends in tcp_connections().items() if ends in theirs)
            swallowed.give()
        else:
            swallowed.wait()
            swallowed.give()
        dist.all_reduce(torch.ones(1 << 20), async_op=True)
        if rank == 1:
            is_named = comes_true(lambda: (0, 1, "tcp") in silent_links(os.getpid()))
            seen.give()
            seen.give()
            return is_named
        seen.wait()
        return None

    # Nobody can part in good order.
    assert run(3, body, clean=False)[1]
