"""Ports for programs that want to be told one before they listen at it."""

import contextlib
import random
import socket

_held = []


def free_port():
    """Returns a port that this process holds until it ends: no other process gets it from the system. A program that
    sets SO_REUSEADDR, as servers do, may listen there, because the socket that holds the port does not listen."""
    holder = socket.socket()
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind(("", 0))
    _held.append(holder)
    return holder.getsockname()[1]


def unheld_port():
    """Returns a port for a program that does not set SO_REUSEADDR, so nobody can hold it. The system gives such a port
    to no program that does not ask for it by number."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        end = int(file.read().split()[0])
    while True:
        port = random.randrange(10_000, end)
        with contextlib.suppress(OSError), socket.socket() as tried:
            tried.bind(("", port))
            return port
