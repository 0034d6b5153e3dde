"""Tensors that peers may read and write, and what names them."""

import operator
import secrets
import struct
import threading
from dataclasses import dataclass

import torch

_LAYOUT = struct.Struct("<8s16sQQ")
_MARK = b"anyccl\x00\x01"


class Registration:
    """The bytes of a tensor, and the number of peers that use them now."""

    def __init__(self, tensor):
        if tensor.layout != torch.strided or not tensor.is_contiguous() or tensor.is_conj() or tensor.is_neg():
            raise ValueError("only dense, contiguous tensors can be registered: give tensor.contiguous()")
        self.tensor, self.key = tensor, secrets.randbits(63)
        self._users, self._changed = 0, threading.Condition()
        self.length, self.is_active = tensor.numel() * tensor.element_size(), True
        storage, start = tensor.untyped_storage(), tensor.storage_offset() * tensor.element_size()
        self.bytes = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage, start, (self.length,), (1,))
        self._address = tensor.data_ptr()

    def __enter__(self):
        with self._changed:
            self._users += 1
        return self

    def __exit__(self, *_error):
        with self._changed:
            self._users -= 1
            self._changed.notify_all()

    def withdraw(self, seconds):
        """Lets no peer begin to use it, and waits for those that do. Returns whether they have ended in time."""
        with self._changed:
            self.is_active = False
            return self._changed.wait_for(lambda: self._users == 0, seconds)

    def fault(self, length):
        """Why `length` bytes of it cannot be used; None if they can."""
        if not self.is_active:
            return "the memory has been unregistered"
        if self.tensor.data_ptr() != self._address or self.tensor.numel() * self.tensor.element_size() != self.length:
            return "the registered tensor was resized, or has other storage now"
        return None if 0 <= length <= self.length else f"{length} bytes do not fit into memory of {self.length} bytes"


@dataclass(frozen=True)
class RemoteBuffer:
    """Names registered memory of an endpoint. Who has it can read and write that memory."""

    endpoint: str
    key: int
    length: int

    def serialize(self):
        return _LAYOUT.pack(_MARK, bytes.fromhex(self.endpoint), self.key, self.length)

    @classmethod
    def deserialize(cls, data):
        if not isinstance(data, bytes):
            raise TypeError(f"a serialized RemoteBuffer is bytes, not {type(data).__name__}")
        if len(data) != _LAYOUT.size or not data.startswith(_MARK):
            raise ValueError("these bytes are no RemoteBuffer of this version of anyccl")
        _, endpoint, key, length = _LAYOUT.unpack(data)
        if max(key, length) >= 2**63:
            raise ValueError("the RemoteBuffer has numbers that anyccl has not written")
        return cls(endpoint.hex(), key, length)


class View:
    """A range of registered memory."""

    def __init__(self, memory, offset, length):
        self.memory, self.offset, self._length = memory, offset, length

    def size(self):
        return self._length

    def bytes(self):
        """The range as a tensor."""
        return self.memory.registration.bytes[self.offset : self.offset + self._length]


class MutableView(View):
    """A range that may be written."""

    writable = True


class Memory:
    """A registered tensor."""

    def __init__(self, transport, registration):
        self.transport, self.registration = transport, registration

    def to_view(self, offset=None, length=None):
        return View(self, *self._range(offset, length))

    def to_mutable_view(self, offset=None, length=None):
        return MutableView(self, *self._range(offset, length))

    def to_remote_buffer(self, *, timeout=None):
        return self.transport.remote_buffer(self.registration)

    def _range(self, offset, length):
        if not self.registration.is_active:
            raise RuntimeError("the memory has been unregistered")
        whole = self.registration.length
        offset = 0 if offset is None else operator.index(offset)
        length = whole - offset if length is None else operator.index(length)
        if offset < 0 or length < 0 or offset + length > whole:
            raise ValueError(f"bytes {offset} to {offset + length} are not within memory of {whole} bytes")
        return offset, length
