"""Answers the reads and writes of one peer.

A request is four numbers: what, the key of the memory, the length in bytes, and zero. The bytes of a write follow at once.
The answer to a write is whether they are in place; the bytes of a read follow its answer.
"""

from array import array

import torch

from .endpoint import CLIENT

LEAVE, WRITE, READ = range(3)
REQUEST_NUMBERS = 4
# Longest text of an answer that says why not.
REASON_BYTES = 256


def serve(messages, registrations):
    """Answers until the peer leaves or is lost. registrations: {key: Registration}."""
    request = array("q", [0] * REQUEST_NUMBERS)
    while True:
        messages.Recv(request, CLIENT)
        what, key, length, _ = request
        if what == LEAVE:
            return
        registration = registrations.get(key)
        if registration is None:
            _refuse(messages, what, length, "no memory of this key is registered: it was unregistered, or the endpoint was closed")
            continue
        with registration:
            if fault := registration.fault(length):
                _refuse(messages, what, length, fault)
            elif what == WRITE:
                messages.Recv(registration.bytes[:length], CLIENT)
                _answer(messages, "")
            else:
                _answer(messages, "")
                messages.Send(registration.bytes[:length], CLIENT)


def _refuse(messages, what, length, reason):
    if what == WRITE:
        messages.Recv(torch.empty(length, dtype=torch.uint8), CLIENT)
    _answer(messages, reason)


def _answer(messages, reason):
    messages.Send(reason.encode()[:REASON_BYTES].ljust(REASON_BYTES, b"\0"), CLIENT)
