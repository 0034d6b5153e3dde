"""Methods in lower case: for any object that can be pickled.

A pickle travels as elements of the type BYTE.

    messages     one message. Of the extension, a pickle of fewer than 1024 bytes has zeros behind it, up to 1024 bytes.
                 A receive that expects this length takes the shortest way, and pickle ignores the zeros.
    collectives  first HEAD bytes per rank: the length of its pickle, in LENGTH_BYTES, and the pickle if that fits.
                 If one does not fit, a second collective carries the pickles of all.

Each rank may use the extension (fast_path/objects.c) or not: they understand each other.
"""

import functools
import itertools
import pickle
from array import array
from ctypes import c_size_t

from .._arrays import NOTHING, Buffer, receiver, sender
from .._capi import Datatype
from .._capi.errors import briefly, rank_or_tag, refuse
from .._capi.fast_path import NOT_SERVED
from .._capi.header import ANY_SOURCE, ANY_TAG
from .operator import SUM, function_of
from .request import Request
from .status import fill_status

HEAD, LENGTH_BYTES = 256, 8


def _as_bytes(buffer):
    return Buffer(buffer.address, buffer.count, Datatype.BYTE, buffer)


def _dumped(thing):
    return pickle.dumps(thing, pickle.HIGHEST_PROTOCOL)


def _head(content):
    """Returns the first message of a collective, for a pickle."""
    head = len(content).to_bytes(LENGTH_BYTES, "little")
    return (head + content if is_small(len(content)) else head).ljust(HEAD, b"\0")


def _length_in(head):
    return int.from_bytes(head[:LENGTH_BYTES], "little")


def is_small(length):
    return length <= HEAD - LENGTH_BYTES


class Objects:
    """Messages and collectives of objects, with the names of mpi4py."""

    def send(self, obj, dest, tag=0):
        """Sends an object to one rank. Returns when obj may be changed, perhaps before a receive has matched.

        obj:  anything that pickle takes
        dest: rank that receives
        tag:  number of the message, 0 or more
        """
        done = self._fast.send_object(obj, dest, tag)
        if done is NOT_SERVED:
            self._complete(self._send_object(obj, dest, tag))

    def ssend(self, obj, dest, tag=0):
        """Sends an object to one rank, like send. Returns when a receive there has matched the message."""
        self._complete(self._send_object(obj, dest, tag, "ssend"))

    def isend(self, obj, dest, tag=0):
        """Starts send and returns a Request. obj may be changed at once."""
        return Request(self._keep(self._send_object(obj, dest, tag)))

    def issend(self, obj, dest, tag=0):
        """Starts ssend and returns a Request. obj may be changed at once."""
        return Request(self._keep(self._send_object(obj, dest, tag, "ssend")))

    def recv(self, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        """Receives an object of any size from one rank, or from any, and returns it.

        source: rank that sends, or ANY_SOURCE
        tag:    its tag, or ANY_TAG
        status: Status to fill

        Never receive objects from ranks that you do not trust: an unpickled object can run any code.
        """
        if self._arrivals.are_none():
            received = self._fast.recv_object(source, tag, status)
            if received is not NOT_SERVED:
                return received
        receive = self._arrivals.expect(source, tag)
        try:
            receive.wait()
        except BaseException:
            receive.cancel()
            raise
        fill_status(status, receive.message)
        return receive.result

    def irecv(self, source=ANY_SOURCE, tag=ANY_TAG):
        """Starts recv and returns a Request, whose wait returns the object. The size of the object is not limited."""
        return Request(self._arrivals.expect(source, tag))

    def sendrecv(self, sendobj, dest, sendtag=0, source=ANY_SOURCE, recvtag=ANY_TAG, status=None):
        """Sends an object to one rank and receives one at the same time. Returns the object that was received.

        sendobj, dest, sendtag: as for send
        source, recvtag, status: as for recv
        """
        sending = None
        if self._arrivals.are_none():
            received = self._fast.sendrecv_object(sendobj, dest, sendtag, source, recvtag, status)
            if type(received) is tuple and received[:1] == (NOT_SERVED,):
                # The object was sent, and nothing has come yet.
                sending = self._adopt(*received[1:])
            elif received is not NOT_SERVED:
                return received
        if sending is None:
            # Nothing is sent if nothing can be received.
            dest, sendtag = rank_or_tag(dest, "dest"), rank_or_tag(sendtag, "sendtag")
            source, recvtag = rank_or_tag(source, "source"), rank_or_tag(recvtag, "recvtag")
            sending = self._send_object(sendobj, dest, sendtag)
        self._keep(sending)
        received = self.recv(source, recvtag, status)
        sending.wait()
        return received

    def bcast(self, obj=None, root=0):
        """Sends the object of the root to every rank, and returns it.

        obj:  anything that pickle takes, at the root; ignored elsewhere
        root: rank that sends

        Collective.
        """
        received = self._fast.bcast_object(obj, root)
        if received is NOT_SERVED:
            received = self._bcast_object(obj, root)
        return received

    @briefly
    def _bcast_object(self, obj, root):
        is_root = self._rank == root
        content = _dumped(obj) if is_root else b""
        head = bytearray(_head(content))
        self._broadcast_bytes(head, root)
        if not is_small(_length_in(head)):
            content = content if is_root else bytearray(_length_in(head))
            self._broadcast_bytes(content, root)
        if is_root:
            return obj
        return pickle.loads(content or memoryview(head)[LENGTH_BYTES:])

    def _broadcast_bytes(self, room, root):
        buffer = _as_bytes(sender(room))
        self._complete(self._begin("broadcast", buffer.address, buffer.address, buffer.count, Datatype.BYTE, root,
                                   keeps=(buffer, room)))

    def gather(self, obj, root=0):
        """Returns a list of the objects of all ranks at the root; None on the others.

        obj:  anything that pickle takes
        root: rank that collects

        Collective.
        """
        content, is_root = _dumped(obj), self._rank == root
        lengths = array("q", bytes(8 * self._size)) if is_root else None
        self.Gather(array("q", [len(content)]), lengths, root)
        room = bytearray(sum(lengths)) if is_root else None
        recv = _as_bytes(receiver(room)) if is_root else NOTHING
        send, sizes = _as_bytes(sender(content)), _sizes(lengths)
        self._complete(self._begin("gather_v", send.address, recv.address, send.count, sizes, None, Datatype.BYTE, root,
                                   keeps=(send, recv, sizes)))
        return _loaded(room, lengths) if is_root else None

    def allgather(self, obj):
        """Returns a list of the objects of all ranks, in the order of ranks, on every rank.

        obj: anything that pickle takes

        Collective.
        """
        received = self._fast.allgather_object(obj)
        if received is NOT_SERVED:
            received = self._allgather_object(obj)
        return received

    @briefly
    def _allgather_object(self, obj):
        content = _dumped(obj)
        heads = bytearray(self._size * HEAD)
        send, recv = _as_bytes(sender(_head(content))), _as_bytes(receiver(heads))
        self._complete(self._begin("all_gather", send.address, recv.address, HEAD, Datatype.BYTE, keeps=(send, recv)))
        views = [memoryview(heads)[at : at + HEAD] for at in range(0, len(heads), HEAD)]
        lengths = [_length_in(view) for view in views]
        if all(map(is_small, lengths)):
            return [pickle.loads(view[LENGTH_BYTES:]) for view in views]
        room = bytearray(sum(lengths))
        send, recv, sizes = _as_bytes(sender(content)), _as_bytes(receiver(room)), _sizes(lengths)
        self._complete(self._begin("all_gather_v", send.address, recv.address, sizes, None, Datatype.BYTE,
                                   keeps=(send, recv, sizes)))
        return _loaded(room, lengths)

    def scatter(self, sendobj=None, root=0):
        """Sends each rank one object of the root's list, and returns it.

        sendobj: list of objects, one per rank, at the root; ignored elsewhere
        root:    rank that sends

        Collective.
        """
        is_root = self._rank == root
        contents = self._dumped_list(sendobj) if is_root else []
        lengths = array("q", map(len, contents)) if is_root else None
        length = array("q", [0])
        self.Scatter(lengths, length, root)
        room, whole = bytearray(length[0]), b"".join(contents)
        send, recv, sizes = _as_bytes(sender(whole)) if is_root else NOTHING, _as_bytes(receiver(room)), _sizes(lengths)
        self._complete(self._begin("scatter_v", send.address, recv.address, sizes, None, recv.count, Datatype.BYTE, root,
                                   keeps=(send, recv, sizes)))
        return pickle.loads(room)

    def alltoall(self, sendobj):
        """Sends object k of every rank's list to rank k. Returns the list of the objects that were received.

        sendobj: list of objects, one per rank

        Collective.
        """
        contents = self._dumped_list(sendobj)
        sent, got = array("q", map(len, contents)), array("q", bytes(8 * self._size))
        self.Alltoall(sent, got)
        room = bytearray(sum(got))
        send, recv = _as_bytes(sender(b"".join(contents))), _as_bytes(receiver(room))
        counts = _sizes(sent), _sizes(got)
        self._complete(self._begin("all_to_all_v", send.address, recv.address, counts[0], None, counts[1], None,
                                   Datatype.BYTE, keeps=(send, recv, counts)))
        return _loaded(room, got)

    def reduce(self, sendobj, op=SUM, root=0):
        """Combines the objects of all ranks, in the order of ranks. Returns the result at the root; None on the others.

        sendobj: anything that pickle takes
        op:      function of two objects, or SUM, PROD, MIN, MAX and the like
        root:    rank that gets the result

        Collective.
        """
        function = function_of(op)
        things = self.gather(sendobj, root)
        return functools.reduce(function, things) if things is not None else None

    def allreduce(self, sendobj, op=SUM):
        """Combines the objects of all ranks, in the order of ranks. Returns the result on every rank.

        sendobj: anything that pickle takes
        op:      function of two objects, or SUM, PROD, MIN, MAX and the like

        Collective.
        """
        return functools.reduce(function_of(op), self.allgather(sendobj))

    def scan(self, sendobj, op=SUM):
        """Returns the objects of ranks 0 to r, combined in this order, on every rank r. Arguments as for allreduce.
        Collective."""
        function = function_of(op)
        return functools.reduce(function, self.allgather(sendobj)[: self._rank + 1])

    def exscan(self, sendobj, op=SUM):
        """Returns the objects of ranks 0 to r - 1, combined in this order, on every rank r; None on rank 0. Arguments as
        for allreduce. Collective."""
        function = function_of(op)
        before = self.allgather(sendobj)[: self._rank]
        return functools.reduce(function, before) if before else None

    @briefly
    def _send_object(self, obj, dest, tag, call="send"):
        content = _as_bytes(sender(_dumped(obj)))
        return self._begin(call, content.address, content.count, Datatype.BYTE, dest, tag, keeps=content)

    @briefly
    def _dumped_list(self, things):
        things = list(things)
        if len(things) != self._size:
            refuse(f"a list of {len(things)} objects for {self._size} ranks", self._rank)
        return [_dumped(thing) for thing in things]


def _sizes(lengths):
    return None if lengths is None else (c_size_t * len(lengths))(*lengths)


def _loaded(room, lengths):
    view, ends = memoryview(room), itertools.accumulate(lengths)
    return [pickle.loads(view[end - length : end]) for length, end in zip(lengths, ends)]
