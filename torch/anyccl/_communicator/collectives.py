"""Collectives of buffers whose blocks have one length. Each has a form that starts with I and returns a
Request."""

import ctypes

from .._arrays import IN_PLACE, NOTHING, receiver, sender
from .._capi.errors import refuse
from .core import Core
from .operator import SUM, code_of
from .request import Request


def blocking(start):
    """Makes the blocking form of a method that starts an operation."""

    def call(self, *arguments, **named):
        self._return_from(self._started(start, *arguments, **named))

    call.__doc__ = start.__doc__
    return call


def nonblocking(start):
    """Makes the form that returns a Request."""

    def call(self, *arguments, **named):
        return Request(self._keep(self._started(start, *arguments, **named)))

    call.__doc__ = f"{start.__doc__} Starts the operation and returns a Request."
    return call


def refuse_in_place_on_gpu(buffer, call):
    """Refuses a call after which this package would have to move elements within a buffer."""
    if buffer.is_on_gpu:
        refuse(f"{call}: anyccl.IN_PLACE is not possible on a GPU; give a receive buffer")


class Collectives(Core):
    """Methods in upper case, as in mpi4py: for arrays, tensors, and anything with the buffer protocol."""

    def _pair(self, sendbuf, recvbuf, call):
        """Returns both buffers of a call whose send and receive buffers have the same number of elements."""
        recv = receiver(recvbuf)
        send = recv if sendbuf is IN_PLACE else sender(sendbuf)
        self._agree(send, recv, call, recv.count)
        return send, recv

    def _agree(self, send, recv, call, expected):
        if send.datatype != recv.datatype:
            refuse(f"{call}: the send buffer has elements of type {send.datatype.name.lower()}, the receive buffer of type "
                   f"{recv.datatype.name.lower()}", self._rank)
        if send.count != expected:
            refuse(f"{call}: the send buffer has {send.count} elements, the receive buffer {recv.count}, the communicator "
                   f"{self._size} ranks", self._rank)

    def _per_rank(self, buffer, call):
        each, rest = divmod(buffer.count, self._size)
        if rest:
            refuse(f"{call}: {buffer.count} elements are not {self._size} blocks of one length", self._rank)
        return each

    def _allreduce(self, sendbuf, recvbuf, op=SUM):
        """Combines the elements of all ranks; every rank gets the result."""
        send, recv = self._pair(sendbuf, recvbuf, "Allreduce")
        code, after = code_of(op)
        return self._begin("all_reduce", send.address, recv.address, recv.count, recv.datatype, code, keeps=(send, recv, op),
                           after=after)

    def _reduce(self, sendbuf, recvbuf, op=SUM, root=0):
        """Combines the elements of all ranks; the root gets the result. recvbuf may be None elsewhere."""
        if self._rank == root:
            send, recv = self._pair(sendbuf, recvbuf, "Reduce")
        else:
            send, recv = sender(sendbuf), NOTHING
        code, after = code_of(op)
        return self._begin("reduce", send.address, recv.address, send.count, send.datatype, code, root,
                           keeps=(send, recv, op), after=after)

    def _bcast(self, buf, root=0):
        """Copies the elements of the root to every rank."""
        buffer = sender(buf) if self._rank == root else receiver(buf)
        # The root's buffer is not written to: its call is in place.
        return self._begin("broadcast", buffer.address, buffer.address, buffer.count, buffer.datatype, root, keeps=buffer)

    def _allgather(self, sendbuf, recvbuf):
        """Collects the elements of all ranks, in the order of ranks, on every rank."""
        recv = receiver(recvbuf)
        each = self._per_rank(recv, "Allgather")
        send = recv.part(self._rank * each, each) if sendbuf is IN_PLACE else sender(sendbuf)
        self._agree(send, recv, "Allgather", each)
        return self._begin("all_gather", send.address, recv.address, each, recv.datatype, keeps=(send, recv))

    def _gather(self, sendbuf, recvbuf, root=0):
        """Collects the elements of all ranks at the root. recvbuf may be None elsewhere."""
        if self._rank == root:
            recv = receiver(recvbuf)
            each = self._per_rank(recv, "Gather")
            send = recv.part(self._rank * each, each) if sendbuf is IN_PLACE else sender(sendbuf)
            self._agree(send, recv, "Gather", each)
        else:
            send, recv = sender(sendbuf), NOTHING
        return self._begin("gather", send.address, recv.address, send.count, send.datatype, root, keeps=(send, recv))

    def _scatter(self, sendbuf, recvbuf, root=0):
        """Deals the elements of the root out to all ranks. sendbuf may be None elsewhere."""
        if self._rank == root:
            send = sender(sendbuf)
            each = self._per_rank(send, "Scatter")
            recv = send.part(self._rank * each, each) if recvbuf is IN_PLACE else receiver(recvbuf)
            self._agree(send, recv, "Scatter", self._size * recv.count)
        else:
            send, recv = NOTHING, receiver(recvbuf)
        return self._begin("scatter", send.address, recv.address, recv.count, recv.datatype, root, keeps=(send, recv))

    def _reduce_scatter_block(self, sendbuf, recvbuf, op=SUM):
        """Combines the elements of all ranks; every rank gets its part. In place, the part is put at the
        start of recvbuf."""
        recv, (code, after) = receiver(recvbuf), code_of(op)
        if sendbuf is IN_PLACE:
            send, each = recv, self._per_rank(recv, "Reduce_scatter_block")
            refuse_in_place_on_gpu(recv, "Reduce_scatter_block")
            recv, finish = send.part(self._rank * each, each), after

            # In place, the library leaves the part at its own position in the buffer.
            def after():
                ctypes.memmove(send.address, recv.address, each * send.itemsize)
                return finish and finish()
        else:
            send, each = sender(sendbuf), recv.count
            self._agree(send, recv, "Reduce_scatter_block", self._size * each)
        return self._begin("reduce_scatter", send.address, recv.address, each, send.datatype, code, keeps=(send, recv, op),
                           after=after)

    def _alltoall(self, sendbuf, recvbuf):
        """Sends part k of every rank to rank k."""
        send, recv = self._pair(sendbuf, recvbuf, "Alltoall")
        each = self._per_rank(recv, "Alltoall")
        return self._begin("all_to_all", send.address, recv.address, each, recv.datatype, keeps=(send, recv))

    def _scan(self, sendbuf, recvbuf, op=SUM):
        """Combines the elements of ranks 0 to r on every rank r."""
        send, recv = self._pair(sendbuf, recvbuf, "Scan")
        code, after = code_of(op)
        return self._begin("scan", send.address, recv.address, recv.count, recv.datatype, code, keeps=(send, recv, op),
                           after=after)

    def _exscan(self, sendbuf, recvbuf, op=SUM):
        """Combines the elements of ranks 0 to r-1 on every rank r; leaves recvbuf of rank 0 alone."""
        send, recv = self._pair(sendbuf, recvbuf, "Exscan")
        code, after = code_of(op)
        return self._begin("exscan", send.address, recv.address, recv.count, recv.datatype, code, keeps=(send, recv, op),
                           after=after)

    def _barrier(self):
        """Waits until every rank has come here."""
        return self._begin("barrier", keeps=None)

    Allreduce, Iallreduce = blocking(_allreduce), nonblocking(_allreduce)
    Reduce, Ireduce = blocking(_reduce), nonblocking(_reduce)
    Bcast, Ibcast = blocking(_bcast), nonblocking(_bcast)
    Allgather, Iallgather = blocking(_allgather), nonblocking(_allgather)
    Gather, Igather = blocking(_gather), nonblocking(_gather)
    Scatter, Iscatter = blocking(_scatter), nonblocking(_scatter)
    Reduce_scatter_block, Ireduce_scatter_block = blocking(_reduce_scatter_block), nonblocking(_reduce_scatter_block)
    Alltoall, Ialltoall = blocking(_alltoall), nonblocking(_alltoall)
    Scan, Iscan = blocking(_scan), nonblocking(_scan)
    Exscan, Iexscan = blocking(_exscan), nonblocking(_exscan)
    Barrier, Ibarrier = blocking(_barrier), nonblocking(_barrier)
    barrier = Barrier
