"""How two endpoints meet. What bind() returns has the addresses of a socket, and a secret.

Who connects sends an id of anyccl.unique_id(). Both prove by HMAC that they know the secret, which is never sent, and
are joined in a communicator of two.
"""

import hmac
import json
import math
import os
import secrets
import socket
import threading
import time

from .._capi.errors import Error
from .._capi.header import UNIQUE_ID_BYTES
from .._communicator.starting import unique_id
from .._interfaces import interfaces
from ..communicator import Communicator

# Rank of the endpoint that asks, and of the one that answers.
CLIENT, SERVER = 0, 1
# How long one address of a host may take to answer, and a connection to say what it wants.
ADDRESS_SECONDS = 5.0
# Pause after a connection could not be accepted.
PAUSE_SECONDS = 0.1
VERSION, PROOF_BYTES = 1, 32


class Endpoint:
    """The socket by which peers come, and the thread that receives them."""

    def __init__(self, name, serve, timeout):
        """serve: called with a Communicator, in a thread of its own for each peer."""
        self._name, self._serve, self._timeout, self._secret = name, serve, timeout, secrets.token_hex(32)
        self._is_closed, self._process = False, os.getpid()
        if socket.has_dualstack_ipv6():
            self._socket = socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        else:
            self._socket = socket.create_server(("", 0))
        threading.Thread(target=self._receive, name="anyccl-bound", daemon=True).start()

    def url(self):
        """Returns the bytes by which others connect. They are a secret: who has them can connect."""
        known = sorted(interfaces(), key=lambda interface: (interface.is_loopback, interface.is_bridge))
        addresses = [address.ip for interface in known for address in interface.ips]
        port = self._socket.getsockname()[1]
        return json.dumps(
            {"anyccl": VERSION, "name": self._name, "secret": self._secret, "port": port, "addresses": addresses}).encode()

    def close(self):
        """Receives no more peers."""
        self._is_closed = True
        # A forked child has the same socket, and must not end it.
        if os.getpid() == self._process:
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _receive(self):
        while True:
            try:
                connection, _ = self._socket.accept()
                self._start(connection)
            except (OSError, RuntimeError):
                if self._is_closed:
                    return
                # No files or no threads are left. Some may be free later.
                time.sleep(PAUSE_SECONDS)

    def _start(self, connection):
        try:
            threading.Thread(target=self._meet, args=(connection,), name="anyccl-peer", daemon=True).start()
        except BaseException:
            connection.close()
            raise

    def _meet(self, connection):
        try:
            with connection:
                given = _read(connection, UNIQUE_ID_BYTES + PROOF_BYTES, ADDRESS_SECONDS)
                peers_id, proof = given[:UNIQUE_ID_BYTES], given[UNIQUE_ID_BYTES:]
                if not hmac.compare_digest(proof, _proof(self._secret, b"come", peers_id)):
                    return
                connection.sendall(_proof(self._secret, b"welcome", peers_id))
            messages = _joined(peers_id, SERVER, self._timeout)
        except (OSError, Error):
            return  # The peer has the same failure, or has gone.
        self._serve(messages)


def connect(url, timeout):
    """Meets the endpoint that a URL names. Returns (its name, Communicator)."""
    try:
        read = json.loads(bytes(url))
        version, name, secret, port, addresses = (read[key] for key in ("anyccl", "name", "secret", "port", "addresses"))
        if version != VERSION or not all(isinstance(word, str) for word in (name, secret, *addresses)):
            raise ValueError
        port = int(port)
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{url!r} is not what bind() of this version of anyccl's transport returns") from None
    end = math.inf if timeout is None else time.monotonic() + timeout
    own_id = unique_id()
    for address in addresses:
        if _is_welcome(address, port, secret, own_id, min(ADDRESS_SECONDS, end - time.monotonic())):
            return name, _joined(own_id, CLIENT, end - time.monotonic())
        if time.monotonic() > end:
            break
    raise ConnectionError(f"no endpoint answers at port {port} of {', '.join(addresses)}: is its process alive, and does no "
                          "firewall close the port?")


def _is_welcome(address, port, secret, own_id, seconds):
    """Whether the endpoint is at this address. Another host may have the address, too."""
    try:
        with socket.create_connection((address, port), max(0.001, seconds)) as connection:
            connection.sendall(own_id + _proof(secret, b"come", own_id))
            return hmac.compare_digest(_read(connection, PROOF_BYTES, seconds), _proof(secret, b"welcome", own_id))
    except OSError:
        return False


def _joined(own_id, rank, timeout):
    """Returns a communicator whose waits have no limit: the loss of the peer ends them."""
    limit = math.inf if timeout is None else max(0.001, timeout)
    joined = Communicator.from_id(own_id, 2, rank, timeout=limit, name="transport")
    try:
        return joined.dup(timeout=math.inf, name="transport")
    finally:
        joined.close()


def _proof(secret, word, about):
    return hmac.digest(secret.encode(), word + about, "sha256")


def _read(connection, length, seconds):
    read, end = b"", time.monotonic() + seconds
    while len(read) < length:
        connection.settimeout(max(0.001, end - time.monotonic()))
        more = connection.recv(length - len(read))
        if not more:
            raise ConnectionError("the connection has ended")
        read += more
    return read
