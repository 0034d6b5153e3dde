"""Ports for programs that want to be told one before they listen at it."""

import random
import socket
from pathlib import Path

FIRST = 15000


def free_port():
    """Returns a port at which nobody listens. The system gives it to no socket that asks for any port: a program may
    listen there seconds later."""
    end = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for port in random.sample(range(min(FIRST, end - 1000), end), 100):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("", port))
            except OSError:
                continue
            return port
    raise RuntimeError("100 ports below the ephemeral ones are in use")
