"""Methods in lower case: for any object that can be pickled.

They are slower than those in upper case, but lengths need not be known. Collectives exchange the lengths of
the pickles first, then the pickles.
"""

import functools
import itertools
import pickle
from array import array
from ctypes import c_size_t

from .._arrays import NOTHING, Buffer, receiver, sender
from .._capi import Datatype
from .._capi.errors import refuse
from .._capi.header import ANY_SOURCE, ANY_TAG
from .arrivals import Arrivals
from .messages import Messages
from .operator import SUM, function_of
from .request import Request
from .status import fill_status


def _as_bytes(buffer):
    return Buffer(buffer.address, buffer.count, Datatype.BYTE, buffer)


def _dumped(thing):
    return pickle.dumps(thing, pickle.HIGHEST_PROTOCOL)


class Objects(Messages):
    """Messages and collectives of objects, with the names of mpi4py."""

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self._arrivals = Arrivals(self)

    def send(self, obj, dest, tag=0):
        """Sends an object to one rank."""
        self._complete(self._send_object(obj, dest, tag))

    def ssend(self, obj, dest, tag=0):
        """Sends an object to one rank. Returns when a receive there has matched the message."""
        self._complete(self._send_object(obj, dest, tag, "ssend"))

    def isend(self, obj, dest, tag=0):
        """Starts a send and returns a Request."""
        return Request(self._keep(self._send_object(obj, dest, tag)))

    def issend(self, obj, dest, tag=0):
        """Starts an ssend and returns a Request."""
        return Request(self._keep(self._send_object(obj, dest, tag, "ssend")))

    def recv(self, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        """Receives an object from one rank, or from any, and returns it."""
        receive = self._arrivals.expect(source, tag)
        try:
            receive.wait()
        except BaseException:
            receive.cancel()
            raise
        fill_status(status, receive.message)
        return receive.result

    def irecv(self, source=ANY_SOURCE, tag=ANY_TAG):
        """Starts a recv and returns a Request, whose wait returns the object. The size of the object is not
        limited."""
        return Request(self._arrivals.expect(source, tag))

    def sendrecv(self, sendobj, dest, sendtag=0, source=ANY_SOURCE, recvtag=ANY_TAG, status=None):
        """Sends an object to one rank and receives one at the same time. Returns the object that was
        received."""
        sending = self.isend(sendobj, dest, sendtag)
        received = self.recv(source, recvtag, status)
        sending.Wait()
        return received

    def bcast(self, obj=None, root=0):
        """Sends the object of the root to every rank, and returns it."""
        content = _dumped(obj) if self._rank == root else b""
        length = array("q", [len(content)])
        self.Bcast(length, root)
        room = content if self._rank == root else bytearray(length[0])
        buffer = _as_bytes(sender(room))
        self._complete(self._begin("broadcast", buffer.address, buffer.address, buffer.count, Datatype.BYTE, root,
                                   keeps=(buffer, room)))
        return obj if self._rank == root else pickle.loads(room)

    def gather(self, obj, root=0):
        """Returns a list of the objects of all ranks at the root; None on the others."""
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
        """Returns a list of the objects of all ranks on every rank."""
        content, lengths = _dumped(obj), array("q", bytes(8 * self._size))
        self.Allgather(array("q", [len(content)]), lengths)
        room = bytearray(sum(lengths))
        send, recv, sizes = _as_bytes(sender(content)), _as_bytes(receiver(room)), _sizes(lengths)
        self._complete(self._begin("all_gather_v", send.address, recv.address, sizes, None, Datatype.BYTE,
                                   keeps=(send, recv, sizes)))
        return _loaded(room, lengths)

    def scatter(self, sendobj=None, root=0):
        """Sends each rank one object of the root's list, and returns it."""
        is_root = self._rank == root
        contents = self._dumped_list(sendobj, "scatter") if is_root else []
        lengths = array("q", map(len, contents)) if is_root else None
        length = array("q", [0])
        self.Scatter(lengths, length, root)
        room, whole = bytearray(length[0]), b"".join(contents)
        send, recv, sizes = _as_bytes(sender(whole)) if is_root else NOTHING, _as_bytes(receiver(room)), _sizes(lengths)
        self._complete(self._begin("scatter_v", send.address, recv.address, sizes, None, recv.count, Datatype.BYTE, root,
                                   keeps=(send, recv, sizes)))
        return pickle.loads(room)

    def alltoall(self, sendobj):
        """Sends object k of every rank's list to rank k. Returns the list of the objects that were received."""
        contents = self._dumped_list(sendobj, "alltoall")
        sent, got = array("q", map(len, contents)), array("q", bytes(8 * self._size))
        self.Alltoall(sent, got)
        room = bytearray(sum(got))
        send, recv = _as_bytes(sender(b"".join(contents))), _as_bytes(receiver(room))
        counts = _sizes(sent), _sizes(got)
        self._complete(self._begin("all_to_all_v", send.address, recv.address, counts[0], None, counts[1], None,
                                   Datatype.BYTE, keeps=(send, recv, counts)))
        return _loaded(room, got)

    def reduce(self, sendobj, op=SUM, root=0):
        """Combines the objects of all ranks, in the order of ranks. Returns the result at the root; None on
        the others."""
        function = function_of(op)
        things = self.gather(sendobj, root)
        return functools.reduce(function, things) if things is not None else None

    def allreduce(self, sendobj, op=SUM):
        """Combines the objects of all ranks, in the order of ranks. Returns the result on every rank."""
        return functools.reduce(function_of(op), self.allgather(sendobj))

    def scan(self, sendobj, op=SUM):
        """Combines the objects of ranks 0 to r on every rank r."""
        function = function_of(op)
        return functools.reduce(function, self.allgather(sendobj)[: self._rank + 1])

    def exscan(self, sendobj, op=SUM):
        """Combines the objects of ranks 0 to r-1 on every rank r; None on rank 0."""
        function = function_of(op)
        before = self.allgather(sendobj)[: self._rank]
        return functools.reduce(function, before) if before else None

    def _send_object(self, obj, dest, tag, call="send"):
        content = _as_bytes(sender(_dumped(obj)))
        return self._begin(call, content.address, content.count, Datatype.BYTE, dest, tag, keeps=content)

    def _dumped_list(self, things, call):
        things = list(things)
        if len(things) != self._size:
            refuse(f"{call}: a list of {len(things)} objects for {self._size} ranks", self._rank)
        return [_dumped(thing) for thing in things]


def _sizes(lengths):
    return None if lengths is None else (c_size_t * len(lengths))(*lengths)


def _loaded(room, lengths):
    view, ends = memoryview(room), itertools.accumulate(lengths)
    return [pickle.loads(view[end - length : end]) for length, end in zip(lengths, ends)]
