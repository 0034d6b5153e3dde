"""Receives of objects, whose length is not known before the message has come.

A receive of an object matches a message only when the program makes a call that looks for one. The receive
then asks for the oldest message that it accepts, takes that message out, and receives it into memory of its
length.

The receives of one communicator are looked at in the order in which they were started. None takes a message
that an earlier one accepts. So they match messages in the order that MPI demands.
"""

import pickle
import threading
from ctypes import byref, c_void_p
from time import perf_counter, sleep

from .._arrays import receiver
from .._capi import Datatype
from .._capi.errors import briefly, rank_or_tag
from .._capi.fast_path import refuse_array
from .._capi.header import ANY_SOURCE, ANY_TAG, MessageStatus
from .waiting import Pending


class Arrivals:
    """The receives of objects on one communicator that have not matched a message yet."""

    def __init__(self, communicator):
        self.communicator = communicator
        self._waiting = []
        self._lock = threading.Lock()

    def expect(self, source, tag):
        """Starts a receive and returns it."""
        source, tag = rank_or_tag(source, "source"), rank_or_tag(tag, "tag")
        receive = ObjectReceive(self, source, tag)
        with self._lock:
            self._waiting.append(receive)
        return receive

    def look(self, method=None):
        """Matches messages that have come with the receives that wait. `method` has started the receive that the program
        waits for; None: it is the one that the program has called."""
        with self._lock:
            passed = []
            for receive in self._waiting:
                if not receive.has_met and not receive.meet(passed, method):
                    passed.append(receive)
            self._waiting = passed

    def are_none(self):
        """Whether no receive waits, so that another one may take the oldest message that it accepts."""
        return not self._waiting

    def dropped(self):
        """Returns the receives that the program has dropped."""
        with self._lock:
            return [receive for receive in self._waiting if receive.is_dropped]

    def withdraw(self, receive):
        """Ends a receive that has not matched a message. Returns whether it was ended."""
        with self._lock:
            if receive not in self._waiting:
                return False
            self._waiting.remove(receive)
            return True


class ObjectReceive:
    """A receive of an object, with the methods of a Pending. A step that Ctrl-C has interrupted is continued
    at the next call."""

    def __init__(self, arrivals, source, tag):
        self._arrivals, self._source, self._tag = arrivals, source, tag
        # The message that was taken out of the queue, and its status.
        self._taken, self._found = c_void_p(), MessageStatus()
        # Memory for the message; its receive before it is started, and after.
        self._room = self._prepared = self._pending = None
        self._is_cancelled = False
        # As those of a Pending.
        self.method = self.owner = None

    @property
    def is_dropped(self):
        return self.owner is not None and self.owner() is None

    @property
    def has_met(self):
        """Whether its message is being received."""
        return self._pending is not None

    @property
    def message(self):
        return MessageStatus(cancelled=1) if self._is_cancelled else self._pending and self._pending.message

    @property
    def result(self):
        return self._pending and self._pending.result

    def accepts(self, message):
        return self._source in (ANY_SOURCE, message.source) and self._tag in (ANY_TAG, message.tag)

    def meet(self, earlier, method):
        """Takes the oldest message that this receive accepts, unless an earlier receive accepts it too.
        Returns whether it has a message."""
        communicator = self._arrivals.communicator
        if self._prepared is None:
            if not self._taken.value and not self._take(communicator, earlier, method):
                return False
            self._prepared = self._prepare(communicator)
            self._prepared.owner, self._prepared.method = self.owner, self.method
        if not self._prepared.is_open:
            room, found, library = self._room, self._found, communicator._library
            communicator._check(library.anyccl_imrecv(receiver(room).address, found.count, found.datatype,
                                                      byref(self._taken), self._prepared.place), method)
        self._pending = communicator._keep(self._prepared)
        return True

    def _take(self, communicator, earlier, method):
        message = communicator._iprobe(self._source, self._tag, method)
        if message is None or any(other.accepts(message) for other in earlier):
            return False
        communicator._check(communicator._library.anyccl_improbe(
            message.source, message.tag, communicator._handle, byref(self._taken), byref(self._found)), method)
        return bool(self._taken.value)

    def _prepare(self, communicator):
        found, rank = self._found, communicator._rank
        room = self._room = bytearray(found.bytes)

        def unpickle():
            if found.datatype != Datatype.BYTE:
                refuse_array(found.source, found.tag, found.datatype, rank, self.method)
            return pickle.loads(room)

        return Pending(communicator._library, rank, communicator._handle, (room, receiver(room)), unpickle)

    @briefly
    def wait(self, timeout_ms=None):
        return self.settle(timeout_ms) and (self._is_cancelled or self._pending.wait())

    def settle(self, timeout_ms=None):
        """Waits for the message and then for its content, at most for timeout_ms. Returns whether both are
        there."""
        begun = perf_counter()
        while self._pending is None and not self._is_cancelled:
            self._arrivals.look(self.method)
            if self._pending is not None:
                break
            if timeout_ms is None:
                # Only waits: the message that it finds may be for an earlier receive.
                self._arrivals.communicator._wait_for_message(self._source, self._tag, self.method)
            elif 1000 * (perf_counter() - begun) >= timeout_ms:
                return False
            else:
                sleep(0.0005)
        return self._is_cancelled or self._pending.settle(timeout_ms)

    def cancel(self):
        self._is_cancelled = self._is_cancelled or self._arrivals.withdraw(self)
