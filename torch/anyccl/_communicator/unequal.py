"""Collectives of buffers whose blocks differ in length."""

import ctypes
from ctypes import c_size_t, c_void_p

from .._arrays import IN_PLACE, NOTHING, Blocks, receiver, sender
from .._capi.errors import refuse
from .collectives import refuse_in_place_on_gpu
from .operator import SUM, code_of


class Unequal:
    """A buffer of several blocks is written as `_arrays/vectors.py` and docs/python.md describe."""

    def _allgatherv(self, sendbuf, recvbuf):
        recv = Blocks.received(recvbuf, self._size)
        send = self._block_to_give(sendbuf, recv)
        return self._begin("all_gather_v", send.address, recv.buffer.address, recv.sizes, recv.displs, send.datatype,
                           keeps=(send, recv))

    def _gatherv(self, sendbuf, recvbuf, root):
        if self._rank == root:
            recv = Blocks.received(recvbuf, self._size)
            send = self._block_to_give(sendbuf, recv)
            address, sizes, displs = recv.buffer.address, recv.sizes, recv.displs
        else:
            send, recv, address, sizes, displs = sender(sendbuf), NOTHING, None, None, None
        return self._begin("gather_v", send.address, address, send.count, sizes, displs, send.datatype, root,
                           keeps=(send, recv))

    def _scatterv(self, sendbuf, recvbuf, root):
        if self._rank == root:
            send = Blocks.sent(sendbuf, self._size)
            own = send.buffer.part(send.start(root), send.counts[root])
            recv = own if recvbuf is IN_PLACE else receiver(recvbuf)
            self._agree(own, recv, recv.count)
            address, sizes, displs = send.buffer.address, send.sizes, send.displs
        else:
            send, recv, address, sizes, displs = NOTHING, receiver(recvbuf), None, None, None
        return self._begin("scatter_v", address, recv.address, sizes, displs, recv.count, recv.datatype, root,
                           keeps=(send, recv))

    def _reduce_scatter(self, sendbuf, recvbuf, recvcounts, op):
        recv, (code, after) = receiver(recvbuf), code_of(op)
        whole = recv if sendbuf is IN_PLACE else sender(sendbuf)
        blocks = Blocks.sent(whole if recvcounts is None else [whole, recvcounts], self._size)
        send, each = blocks.buffer, blocks.counts[self._rank]
        if sum(blocks.counts) != send.count:
            refuse(f"recvcounts are {sum(blocks.counts)} elements together, the send buffer has "
                   f"{send.count}", self._rank)
        if sendbuf is IN_PLACE:
            refuse_in_place_on_gpu(send)
            recv, finish = send.part(blocks.start(self._rank), each), after

            # In place, the library leaves the part at its own position in the buffer.
            def after():
                ctypes.memmove(send.address, recv.address, each * send.itemsize)
                return finish and finish()
        else:
            self._agree(send.part(0, each), recv, recv.count)
        return self._begin("reduce_scatter_v", send.address, recv.address, blocks.sizes, send.datatype, code,
                           keeps=(send, recv, op), after=after)

    def _alltoallv(self, sendbuf, recvbuf):
        recv = Blocks.received(recvbuf, self._size)
        send = recv if sendbuf is IN_PLACE else Blocks.sent(sendbuf, self._size)
        self._agree(send.buffer, recv.buffer, send.buffer.count)
        return self._begin("all_to_all_v", send.buffer.address, recv.buffer.address, send.sizes, send.displs, recv.sizes,
                           recv.displs, recv.buffer.datatype, keeps=(send, recv))

    def _alltoall_list(self, sendbufs, recvbufs):
        sends, recvs = [sender(one) for one in sendbufs], [receiver(one) for one in recvbufs]
        kinds = {buffer.datatype for buffer in sends + recvs}
        if len(sends) != self._size or len(recvs) != self._size or len(kinds) != 1:
            refuse(f"{len(sends)} send and {len(recvs)} receive buffers of {len(kinds)} types; there must be "
                   f"{self._size} each, of one type", self._rank)
        return self._begin("all_to_all_list", *(_array(c_void_p, [one.address for one in side]) for side in (sends, recvs)),
                           *(_array(c_size_t, [one.count for one in side]) for side in (sends, recvs)), kinds.pop(),
                           keeps=(sends, recvs))

    def _block_to_give(self, sendbuf, recv):
        own = recv.buffer.part(recv.start(self._rank), recv.counts[self._rank])
        send = own if sendbuf is IN_PLACE else sender(sendbuf)
        self._agree(send, own, own.count)
        return send

    def Allgatherv(self, sendbuf, recvbuf):
        """Collects the elements of all ranks on every rank; ranks may have different numbers of them.

        sendbuf: array of as many elements as this rank's block has, or IN_PLACE if they are there
        recvbuf: blocks, one per rank: x, [x, counts], [x, (counts, displs)] or [x, counts, displs], in elements of the array x

        Collective. Without counts, blocks are as even as possible, and the first ones one element longer.
        """
        self._run(self._allgatherv, sendbuf, recvbuf)

    def Iallgatherv(self, sendbuf, recvbuf):
        """Starts Allgatherv and returns a Request. Until its end, no buffer may be used."""
        return self._request(self._allgatherv, sendbuf, recvbuf)

    def Gatherv(self, sendbuf, recvbuf, root=0):
        """Collects the elements of all ranks at the root; ranks may have different numbers of them.

        sendbuf: array of as many elements as this rank's block has, or IN_PLACE at the root if they are there
        recvbuf: at the root blocks, one per rank: x, [x, counts], [x, (counts, displs)] or [x, counts, displs], in elements of the array x;
                 None or anything elsewhere
        root:    rank that collects

        Collective.
        """
        self._run(self._gatherv, sendbuf, recvbuf, root)

    def Igatherv(self, sendbuf, recvbuf, root=0):
        """Starts Gatherv and returns a Request. Until its end, no buffer may be used."""
        return self._request(self._gatherv, sendbuf, recvbuf, root)

    def Scatterv(self, sendbuf, recvbuf, root=0):
        """Deals the elements of the root out to all ranks, in blocks of different lengths.

        sendbuf: at the root blocks, one per rank: x, [x, counts], [x, (counts, displs)] or [x, counts, displs], in elements of the array x;
                 None or anything elsewhere
        recvbuf: array of as many elements as this rank's block has, or IN_PLACE at the root
        root:    rank that sends

        Collective.
        """
        self._run(self._scatterv, sendbuf, recvbuf, root)

    def Iscatterv(self, sendbuf, recvbuf, root=0):
        """Starts Scatterv and returns a Request. Until its end, no buffer may be used."""
        return self._request(self._scatterv, sendbuf, recvbuf, root)

    def Reduce_scatter(self, sendbuf, recvbuf, recvcounts=None, op=SUM):
        """Combines the elements of all ranks; rank r gets a block of recvcounts[r] elements of the result.

        sendbuf:    array of sum(recvcounts) elements, or IN_PLACE if they are in recvbuf
        recvbuf:    array of recvcounts[rank] elements of the same type. In place, its first elements get the block
        recvcounts: elements of each block, one number per rank. None: as even as possible
        op:         SUM, PROD, MIN, MAX and the like, or an Op

        Collective.
        """
        self._run(self._reduce_scatter, sendbuf, recvbuf, recvcounts, op)

    def Ireduce_scatter(self, sendbuf, recvbuf, recvcounts=None, op=SUM):
        """Starts Reduce_scatter and returns a Request. Until its end, no buffer may be used."""
        return self._request(self._reduce_scatter, sendbuf, recvbuf, recvcounts, op)

    def Alltoallv(self, sendbuf, recvbuf):
        """Sends a block of any length from every rank to every rank.

        sendbuf: blocks, one per rank: x, [x, counts], [x, (counts, displs)] or [x, counts, displs], in elements of the array x.
                 IN_PLACE: they are in recvbuf
        recvbuf: blocks in the same form: block k comes from rank k

        Collective.
        """
        self._run(self._alltoallv, sendbuf, recvbuf)

    def Ialltoallv(self, sendbuf, recvbuf):
        """Starts Alltoallv and returns a Request. Until its end, no buffer may be used."""
        return self._request(self._alltoallv, sendbuf, recvbuf)

    def Alltoall_list(self, sendbufs, recvbufs):
        """Sends an array of any length from every rank to every rank.

        sendbufs: list of arrays, one per rank: array k is for rank k
        recvbufs: list of arrays, one per rank: array k comes from rank k; all of one type

        Collective.
        """
        self._run(self._alltoall_list, sendbufs, recvbufs)

    def Ialltoall_list(self, sendbufs, recvbufs):
        """Starts Alltoall_list and returns a Request. Until its end, no buffer may be used."""
        return self._request(self._alltoall_list, sendbufs, recvbufs)


def _array(kind, numbers):
    return (kind * len(numbers))(*numbers)
