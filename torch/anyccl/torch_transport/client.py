"""Asks the peer for reads and writes, in the order of the calls, in a thread of its own."""

import queue
import threading
from array import array
from contextlib import suppress
from datetime import timedelta

import torch
from torch.distributed import Work

from .._capi.errors import Error
from .endpoint import SERVER
from .service import LEAVE, READ, REASON_BYTES, WRITE


class Transfer(Work):
    """A read or a write. It keeps its buffers until it has ended."""

    def __init__(self, what, local, remote, timeout):
        super().__init__()
        self.what, self.local, self.remote = what, local, remote
        self._timeout, self._ended, self._error = timeout, threading.Event(), None
        self._future = torch.futures.Future()

    def end(self, error=None):
        self._error, self.local = error, None
        self._ended.set()
        if error is None:
            self._future.set_result([])
        else:
            self._future.set_exception(error)

    def wait(self, timeout=timedelta(0)):
        seconds = timeout.total_seconds() or self._timeout
        if not self._ended.wait(seconds):
            raise TimeoutError(f"the transfer has not ended after {seconds} s; it goes on")
        if self._error is not None:
            raise self._error
        return True

    def is_completed(self):
        return self._ended.is_set()

    def is_success(self):
        return self.is_completed() and self._error is None

    def exception(self):
        return self._error if self.is_completed() else None

    def get_future(self):
        return self._future

    def result(self):
        self.wait()
        return []

    def synchronize(self):
        self.wait()


class Client:
    """The connection to the peer, and what is asked of it."""

    def __init__(self, messages):
        self._messages, self._asked = messages, queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="anyccl-transfers", daemon=True)
        self._thread.start()

    def start(self, transfer):
        self._asked.put(transfer)

    def is_connected(self):
        return self._messages.failure() is None

    def close(self, timeout):
        """Leaves the peer after the transfers that were started. Returns whether they ended in time."""
        self._asked.put(None)
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self):
        while transfer := self._asked.get():
            try:
                self._ask(transfer.what, transfer.remote.key, transfer.local)
            except Exception as error:
                transfer.end(error)
            else:
                transfer.end()
        # The peer may have gone before.
        with suppress(Error):
            self._messages.Send(array("q", [LEAVE, 0, 0, 0]), SERVER)
        with suppress(Error):
            self._messages.close()

    def _ask(self, what, key, local):
        messages, reason = self._messages, bytearray(REASON_BYTES)
        messages.Send(array("q", [what, key, local.size(), 0]), SERVER)
        if what == WRITE:
            messages.Send(local.bytes(), SERVER)
        messages.Recv(reason, SERVER)
        if text := bytes(reason).rstrip(b"\0").decode(errors="replace"):
            raise RuntimeError(f"the peer refuses the {'read' if what == READ else 'write'}: {text}")
        if what == READ:
            messages.Recv(local.bytes(), SERVER)
