"""Ports for programs that want to be told one before they listen at it."""

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
