"""The class that torch finds as the transport "anyccl"."""

import asyncio
import math
import secrets
import threading
from contextlib import suppress

from torch.distributed._transport import Transport

from .._capi.errors import Error
from .._communicator.starting import seconds_of, settings
from . import client, endpoint, service
from .memory import Memory, MutableView, Registration, RemoteBuffer, View


class AnycclTransport(Transport):
    """One-sided transfers of tensors through anyccl.

    timeout: seconds that a call waits unless it says otherwise; None: the default of ANYCCL_TIMEOUT_MS. The memory of a
    transport stays registered until close() or unregister_memory(), even if the program drops the transport.
    """

    def __init__(self, device=None, *, timeout=None):
        super().__init__(device)
        self._default_timeout = seconds_of(settings()) if timeout is None else _checked(timeout)
        self._lock = threading.Lock()
        self._registrations, self._served = {}, set()
        self._name, self._endpoint, self._client, self._peer = secrets.token_hex(16), None, None, None
        self._is_closed = False

    @staticmethod
    def supported():
        return True

    def bind(self, *, timeout=None):
        self._check_open()
        with self._lock:
            if self._endpoint is None:
                self._endpoint = endpoint.Endpoint(self._name, self._serve, self._default_timeout)
        return self._endpoint.url()

    def connect(self, peer_url, *, timeout=None):
        self._check_open()
        if self._client is not None:
            raise RuntimeError("the transport has a peer already: each transport has one")
        self._peer, messages = endpoint.connect(peer_url, self._seconds(timeout))
        self._client = client.Client(messages)
        return 0

    def connected(self):
        return self._client is not None and not self._is_closed and self._client.is_connected()

    def register_memory(self, tensor, *, timeout=None):
        self._check_open()
        self._check_device(tensor.device)
        registration = Registration(tensor)
        self._registrations[registration.key] = registration
        return Memory(self, registration)

    def unregister_memory(self, memory, *, timeout=None):
        self._check_open()
        self._check_owner(memory)
        _withdraw(memory.registration, self._seconds(timeout))
        self._registrations.pop(memory.registration.key, None)

    def remote_buffer(self, registration):
        """Returns what names memory of this endpoint."""
        self._check_open()
        if fault := registration.fault(0):
            raise RuntimeError(fault)
        return RemoteBuffer(self._name, registration.key, registration.length)

    def write(self, local_buffer, remote_buffer, *, async_op=False, timeout=None):
        return self._transfer(service.WRITE, local_buffer, remote_buffer, async_op, timeout)

    def read(self, local_buffer, remote_buffer, *, async_op=False, timeout=None):
        return self._transfer(service.READ, local_buffer, remote_buffer, async_op, timeout)

    def close(self, *, timeout=None):
        """Waits for the transfers that were started, and leaves the peer and those that are connected to this endpoint.
        Their transfers fail from then on."""
        self._close_cuda_streams()
        if self._endpoint is not None and not self._is_closed:
            self._endpoint.close()
        self._is_closed = True
        if self._client is not None and not self._client.close(self._seconds(timeout)):
            raise TimeoutError("transfers have not ended; they go on, and close() may be called again")
        with self._lock:
            for messages in self._served:
                _abort(messages)
        for registration in list(self._registrations.values()):
            _withdraw(registration, self._seconds(timeout))
        self._registrations.clear()

    async def close_async(self, *, timeout=None):
        await asyncio.to_thread(self.close, timeout=timeout)

    def _serve(self, messages):
        with self._lock:
            self._served.add(messages)
            if self._is_closed:
                _abort(messages)
        try:
            service.serve(messages, self._registrations)
        except Exception as error:
            # The peer is lost, or this endpoint was closed, or there was no memory for the request.
            _abort(messages, f"the peer cannot serve: {error}")
        with self._lock:
            self._served.discard(messages)
        with suppress(Error):
            messages.close()

    def _transfer(self, what, local, remote, async_op, timeout):
        self._check_transfer(local, remote, mutable=what == service.READ)
        transfer = client.Transfer(what, local, remote, self._seconds(timeout))
        if local.size() == 0:
            transfer.end()
        else:
            self._client.start(transfer)
        return transfer if async_op else 0 if transfer.wait() else 1

    def _check_transfer(self, local_buffer, remote_buffer, *, mutable):
        self._check_open()
        if not isinstance(local_buffer, MutableView if mutable else View):
            wanted = "to_mutable_view()" if mutable else "to_view()"
            raise TypeError(f"local_buffer is a {type(local_buffer).__name__}; give {wanted} of memory of register_memory()")
        if not isinstance(remote_buffer, RemoteBuffer):
            raise TypeError(f"remote_buffer is a {type(remote_buffer).__name__}; give a RemoteBuffer of the peer")
        self._check_owner(local_buffer.memory)
        if self._client is None:
            raise RuntimeError("the transport has no peer yet: call connect()")
        if remote_buffer.endpoint != self._peer:
            raise ValueError("the remote buffer belongs to another endpoint than the peer")
        if local_buffer.size() > remote_buffer.length:
            raise ValueError(f"{local_buffer.size()} bytes do not fit into a remote buffer of {remote_buffer.length} bytes")
        if fault := local_buffer.memory.registration.fault(0):
            raise RuntimeError(fault)

    def _check_owner(self, memory):
        if not isinstance(memory, Memory) or memory.transport is not self:
            raise ValueError("the memory is not registered with this transport")

    def _check_open(self):
        if self._is_closed:
            raise RuntimeError("the transport is closed")

    def _seconds(self, timeout):
        """Returns the limit of a wait; None: there is none."""
        return self._default_timeout if timeout is None else _checked(timeout)


def _checked(timeout):
    if not math.isfinite(timeout) or timeout < 0:
        raise ValueError(f"timeout {timeout}; accepted: seconds, 0 or more")
    return timeout


def _withdraw(registration, seconds):
    """Takes memory from the peers, after the transfers of them that are under way."""
    if not registration.withdraw(seconds):
        raise TimeoutError(f"a peer has used the memory for {seconds} s, and still does")


def _abort(messages, reason="the peer has closed its transport"):
    """Fails the transfers of a peer, if it has not failed already."""
    with suppress(Error):
        messages.abort(reason)
