"""Collectives of buffers whose blocks differ in length."""

import ctypes
from ctypes import c_size_t, c_void_p

from .._arrays import IN_PLACE, NOTHING, Blocks, receiver, sender
from .._capi.errors import refuse
from .collectives import Collectives, blocking, nonblocking, refuse_in_place_on_gpu
from .operator import SUM, code_of


class Unequal(Collectives):
    """A buffer of several blocks is written as `_arrays/vectors.py` and docs/python.md describe."""

    def _allgatherv(self, sendbuf, recvbuf):
        """Collects the elements of all ranks on every rank; ranks may have different numbers of them."""
        recv = Blocks.received(recvbuf, self._size)
        send = self._block_to_give(sendbuf, recv, "Allgatherv")
        return self._begin("all_gather_v", send.address, recv.buffer.address, recv.sizes, recv.displs, send.datatype,
                           keeps=(send, recv))

    def _gatherv(self, sendbuf, recvbuf, root=0):
        """Collects the elements of all ranks at the root. recvbuf may be None elsewhere."""
        if self._rank == root:
            recv = Blocks.received(recvbuf, self._size)
            send = self._block_to_give(sendbuf, recv, "Gatherv")
            address, sizes, displs = recv.buffer.address, recv.sizes, recv.displs
        else:
            send, recv, address, sizes, displs = sender(sendbuf), NOTHING, None, None, None
        return self._begin("gather_v", send.address, address, send.count, sizes, displs, send.datatype, root,
                           keeps=(send, recv))

    def _scatterv(self, sendbuf, recvbuf, root=0):
        """Sends parts of the root's elements, of different lengths, to all ranks. sendbuf may be None
        elsewhere."""
        if self._rank == root:
            send = Blocks.sent(sendbuf, self._size)
            own = send.buffer.part(send.start(root), send.counts[root])
            recv = own if recvbuf is IN_PLACE else receiver(recvbuf)
            self._agree(own, recv, "Scatterv", recv.count)
            address, sizes, displs = send.buffer.address, send.sizes, send.displs
        else:
            send, recv, address, sizes, displs = NOTHING, receiver(recvbuf), None, None, None
        return self._begin("scatter_v", address, recv.address, sizes, displs, recv.count, recv.datatype, root,
                           keeps=(send, recv))

    def _reduce_scatter(self, sendbuf, recvbuf, recvcounts=None, op=SUM):
        """Combines the elements of all ranks; rank r gets a part of recvcounts[r] elements."""
        recv, (code, after) = receiver(recvbuf), code_of(op)
        whole = recv if sendbuf is IN_PLACE else sender(sendbuf)
        blocks = Blocks.sent(whole if recvcounts is None else [whole, recvcounts], self._size)
        send, each = blocks.buffer, blocks.counts[self._rank]
        if sum(blocks.counts) != send.count:
            refuse(f"Reduce_scatter: recvcounts are {sum(blocks.counts)} elements together, the send buffer has "
                   f"{send.count}", self._rank)
        if sendbuf is IN_PLACE:
            refuse_in_place_on_gpu(send, "Reduce_scatter")
            recv, finish = send.part(blocks.start(self._rank), each), after

            # In place, the library leaves the part at its own position in the buffer.
            def after():
                ctypes.memmove(send.address, recv.address, each * send.itemsize)
                return finish and finish()
        else:
            self._agree(send.part(0, each), recv, "Reduce_scatter", recv.count)
        return self._begin("reduce_scatter_v", send.address, recv.address, blocks.sizes, send.datatype, code,
                           keeps=(send, recv, op), after=after)

    def _alltoallv(self, sendbuf, recvbuf):
        """Sends a part of any length from every rank to every rank."""
        recv = Blocks.received(recvbuf, self._size)
        send = recv if sendbuf is IN_PLACE else Blocks.sent(sendbuf, self._size)
        self._agree(send.buffer, recv.buffer, "Alltoallv", send.buffer.count)
        return self._begin("all_to_all_v", send.buffer.address, recv.buffer.address, send.sizes, send.displs, recv.sizes,
                           recv.displs, recv.buffer.datatype, keeps=(send, recv))

    def _alltoall_list(self, sendbufs, recvbufs):
        """Sends an array of any length from every rank to every rank. Both lists have one array per rank."""
        sends, recvs = [sender(one) for one in sendbufs], [receiver(one) for one in recvbufs]
        kinds = {buffer.datatype for buffer in sends + recvs}
        if len(sends) != self._size or len(recvs) != self._size or len(kinds) != 1:
            refuse(f"Alltoall_list: {len(sends)} send and {len(recvs)} receive buffers of {len(kinds)} types; there must be "
                   f"{self._size} each, of one type", self._rank)
        return self._begin("all_to_all_list", *(_array(c_void_p, [one.address for one in side]) for side in (sends, recvs)),
                           *(_array(c_size_t, [one.count for one in side]) for side in (sends, recvs)), kinds.pop(),
                           keeps=(sends, recvs))

    def _block_to_give(self, sendbuf, recv, call):
        own = recv.buffer.part(recv.start(self._rank), recv.counts[self._rank])
        send = own if sendbuf is IN_PLACE else sender(sendbuf)
        self._agree(send, own, call, own.count)
        return send

    Allgatherv, Iallgatherv = blocking(_allgatherv), nonblocking(_allgatherv)
    Gatherv, Igatherv = blocking(_gatherv), nonblocking(_gatherv)
    Scatterv, Iscatterv = blocking(_scatterv), nonblocking(_scatterv)
    Reduce_scatter, Ireduce_scatter = blocking(_reduce_scatter), nonblocking(_reduce_scatter)
    Alltoallv, Ialltoallv = blocking(_alltoallv), nonblocking(_alltoallv)
    Alltoall_list, Ialltoall_list = blocking(_alltoall_list), nonblocking(_alltoall_list)


def _array(kind, numbers):
    return (kind * len(numbers))(*numbers)
