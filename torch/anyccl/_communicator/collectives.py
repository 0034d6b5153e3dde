"""Collectives of buffers whose blocks have one length. Each has a form that starts with I and returns a
Request."""

import ctypes

from .._arrays import IN_PLACE, NOTHING, receiver, sender
from .._capi.errors import refuse
from .._capi.fast_path import NOT_SERVED
from .operator import SUM, code_of


def refuse_in_place_on_gpu(buffer):
    """Refuses a call after which this package would have to move elements within a buffer."""
    if buffer.is_on_gpu:
        refuse("anyccl.IN_PLACE is not possible on a GPU; give a receive buffer")


class Collectives:
    """Methods in upper case, as in mpi4py: for arrays, tensors, and anything with the buffer protocol.

    A blocking method asks the extension first. It starts the operation by itself if that does not serve the call.
    """

    def _pair(self, sendbuf, recvbuf):
        """Returns both buffers of a call whose send and receive buffers have the same number of elements."""
        recv = receiver(recvbuf)
        send = recv if sendbuf is IN_PLACE else sender(sendbuf)
        self._agree(send, recv, recv.count)
        return send, recv

    def _agree(self, send, recv, expected):
        if send.datatype != recv.datatype:
            refuse(f"the send buffer has elements of type {send.datatype.name.lower()}, the receive buffer of type "
                   f"{recv.datatype.name.lower()}", self._rank)
        if send.count != expected:
            refuse(f"the send buffer has {send.count} elements, the receive buffer {recv.count}, the communicator "
                   f"{self._size} ranks", self._rank)

    def _per_rank(self, buffer):
        each, rest = divmod(buffer.count, self._size)
        if rest:
            refuse(f"{buffer.count} elements are not {self._size} blocks of one length", self._rank)
        return each

    def _allreduce(self, sendbuf, recvbuf, op):
        send, recv = self._pair(sendbuf, recvbuf)
        code, after = code_of(op)
        return self._begin("all_reduce", send.address, recv.address, recv.count, recv.datatype, code, keeps=(send, recv, op),
                           after=after)

    def _reduce(self, sendbuf, recvbuf, op, root):
        if self._rank == root:
            send, recv = self._pair(sendbuf, recvbuf)
        else:
            send, recv = sender(sendbuf), NOTHING
        code, after = code_of(op)
        return self._begin("reduce", send.address, recv.address, send.count, send.datatype, code, root,
                           keeps=(send, recv, op), after=after)

    def _bcast(self, buf, root):
        buffer = sender(buf) if self._rank == root else receiver(buf)
        # The root's buffer is not written to: its call is in place.
        return self._begin("broadcast", buffer.address, buffer.address, buffer.count, buffer.datatype, root, keeps=buffer)

    def _allgather(self, sendbuf, recvbuf):
        recv = receiver(recvbuf)
        each = self._per_rank(recv)
        send = recv.part(self._rank * each, each) if sendbuf is IN_PLACE else sender(sendbuf)
        self._agree(send, recv, each)
        return self._begin("all_gather", send.address, recv.address, each, recv.datatype, keeps=(send, recv))

    def _gather(self, sendbuf, recvbuf, root):
        if self._rank == root:
            recv = receiver(recvbuf)
            each = self._per_rank(recv)
            send = recv.part(self._rank * each, each) if sendbuf is IN_PLACE else sender(sendbuf)
            self._agree(send, recv, each)
        else:
            send, recv = sender(sendbuf), NOTHING
        return self._begin("gather", send.address, recv.address, send.count, send.datatype, root, keeps=(send, recv))

    def _scatter(self, sendbuf, recvbuf, root):
        if self._rank == root:
            send = sender(sendbuf)
            each = self._per_rank(send)
            recv = send.part(self._rank * each, each) if recvbuf is IN_PLACE else receiver(recvbuf)
            self._agree(send, recv, self._size * recv.count)
        else:
            send, recv = NOTHING, receiver(recvbuf)
        return self._begin("scatter", send.address, recv.address, recv.count, recv.datatype, root, keeps=(send, recv))

    def _reduce_scatter_block(self, sendbuf, recvbuf, op):
        recv, (code, after) = receiver(recvbuf), code_of(op)
        if sendbuf is IN_PLACE:
            send, each = recv, self._per_rank(recv)
            refuse_in_place_on_gpu(recv)
            recv, finish = send.part(self._rank * each, each), after

            # In place, the library leaves the part at its own position in the buffer.
            def after():
                ctypes.memmove(send.address, recv.address, each * send.itemsize)
                return finish and finish()
        else:
            send, each = sender(sendbuf), recv.count
            self._agree(send, recv, self._size * each)
        return self._begin("reduce_scatter", send.address, recv.address, each, send.datatype, code, keeps=(send, recv, op),
                           after=after)

    def _alltoall(self, sendbuf, recvbuf):
        send, recv = self._pair(sendbuf, recvbuf)
        each = self._per_rank(recv)
        return self._begin("all_to_all", send.address, recv.address, each, recv.datatype, keeps=(send, recv))

    def _scan(self, sendbuf, recvbuf, op):
        send, recv = self._pair(sendbuf, recvbuf)
        code, after = code_of(op)
        return self._begin("scan", send.address, recv.address, recv.count, recv.datatype, code, keeps=(send, recv, op),
                           after=after)

    def _exscan(self, sendbuf, recvbuf, op):
        send, recv = self._pair(sendbuf, recvbuf)
        code, after = code_of(op)
        return self._begin("exscan", send.address, recv.address, recv.count, recv.datatype, code, keeps=(send, recv, op),
                           after=after)

    def _barrier(self):
        return self._begin("barrier", keeps=None)

    def Allreduce(self, sendbuf, recvbuf, op=SUM):
        """Combines the elements of all ranks; every rank gets the result.

        sendbuf: array of n elements, or IN_PLACE if they are in recvbuf
        recvbuf: array of n elements of the same type; gets the result
        op:      SUM, PROD, MIN, MAX and the like, or an Op

        Collective. The result has the same bits on every rank.
        """
        done = self._fast.all_reduce(sendbuf, recvbuf, op)
        if done is NOT_SERVED:
            self._run(self._allreduce, sendbuf, recvbuf, op)

    def Iallreduce(self, sendbuf, recvbuf, op=SUM):
        """Starts Allreduce and returns a Request. Until its end, sendbuf may not be changed, nor recvbuf read."""
        return self._request(self._allreduce, sendbuf, recvbuf, op)

    def Reduce(self, sendbuf, recvbuf, op=SUM, root=0):
        """Combines the elements of all ranks; the root gets the result.

        sendbuf: array of n elements, or IN_PLACE at the root if they are in recvbuf
        recvbuf: array of n elements of the same type at the root; None or anything elsewhere
        op:      SUM, PROD, MIN, MAX and the like, or an Op
        root:    rank that gets the result

        Collective.
        """
        done = self._fast.reduce(sendbuf, recvbuf, op, root)
        if done is NOT_SERVED:
            self._run(self._reduce, sendbuf, recvbuf, op, root)

    def Ireduce(self, sendbuf, recvbuf, op=SUM, root=0):
        """Starts Reduce and returns a Request. Until its end, sendbuf may not be changed, nor recvbuf read."""
        return self._request(self._reduce, sendbuf, recvbuf, op, root)

    def Bcast(self, buf, root=0):
        """Copies the elements of the root to every rank.

        buf:  array of n elements; read at the root, written elsewhere
        root: rank that sends

        Collective.
        """
        done = self._fast.broadcast(buf, root)
        if done is NOT_SERVED:
            self._run(self._bcast, buf, root)

    def Ibcast(self, buf, root=0):
        """Starts Bcast and returns a Request. Until its end, buf may not be used."""
        return self._request(self._bcast, buf, root)

    def Allgather(self, sendbuf, recvbuf):
        """Collects the elements of all ranks, in the order of ranks, on every rank.

        sendbuf: array of n elements, or IN_PLACE if they are block `rank` of recvbuf
        recvbuf: array of size * n elements of the same type

        Collective.
        """
        done = self._fast.all_gather(sendbuf, recvbuf)
        if done is NOT_SERVED:
            self._run(self._allgather, sendbuf, recvbuf)

    def Iallgather(self, sendbuf, recvbuf):
        """Starts Allgather and returns a Request. Until its end, sendbuf may not be changed, nor recvbuf read."""
        return self._request(self._allgather, sendbuf, recvbuf)

    def Gather(self, sendbuf, recvbuf, root=0):
        """Collects the elements of all ranks, in the order of ranks, at the root.

        sendbuf: array of n elements, or IN_PLACE at the root if they are block `root` of recvbuf
        recvbuf: array of size * n elements of the same type at the root; None or anything elsewhere
        root:    rank that collects

        Collective.
        """
        done = self._fast.gather(sendbuf, recvbuf, root)
        if done is NOT_SERVED:
            self._run(self._gather, sendbuf, recvbuf, root)

    def Igather(self, sendbuf, recvbuf, root=0):
        """Starts Gather and returns a Request. Until its end, sendbuf may not be changed, nor recvbuf read."""
        return self._request(self._gather, sendbuf, recvbuf, root)

    def Scatter(self, sendbuf, recvbuf, root=0):
        """Deals the elements of the root out to all ranks: rank r gets block r.

        sendbuf: array of size * n elements at the root; None or anything elsewhere
        recvbuf: array of n elements of the same type, or IN_PLACE at the root: its block stays where it is
        root:    rank that sends

        Collective.
        """
        done = self._fast.scatter(sendbuf, recvbuf, root)
        if done is NOT_SERVED:
            self._run(self._scatter, sendbuf, recvbuf, root)

    def Iscatter(self, sendbuf, recvbuf, root=0):
        """Starts Scatter and returns a Request. Until its end, sendbuf may not be changed, nor recvbuf read."""
        return self._request(self._scatter, sendbuf, recvbuf, root)

    def Reduce_scatter_block(self, sendbuf, recvbuf, op=SUM):
        """Combines the elements of all ranks; rank r gets block r of the result.

        sendbuf: array of size * n elements, or IN_PLACE if they are in recvbuf
        recvbuf: array of n elements of the same type. In place it has size * n, and its first n get the block
        op:      SUM, PROD, MIN, MAX and the like, or an Op

        Collective.
        """
        done = self._fast.reduce_scatter_block(sendbuf, recvbuf, op)
        if done is NOT_SERVED:
            self._run(self._reduce_scatter_block, sendbuf, recvbuf, op)

    def Ireduce_scatter_block(self, sendbuf, recvbuf, op=SUM):
        """Starts Reduce_scatter_block and returns a Request. Until its end, sendbuf may not be changed, nor recvbuf read."""
        return self._request(self._reduce_scatter_block, sendbuf, recvbuf, op)

    def Alltoall(self, sendbuf, recvbuf):
        """Sends block k of every rank to rank k.

        sendbuf: array of size * n elements: block k is for rank k. IN_PLACE: they are in recvbuf
        recvbuf: array of size * n elements of the same type: block k comes from rank k

        Collective.
        """
        done = self._fast.all_to_all(sendbuf, recvbuf)
        if done is NOT_SERVED:
            self._run(self._alltoall, sendbuf, recvbuf)

    def Ialltoall(self, sendbuf, recvbuf):
        """Starts Alltoall and returns a Request. Until its end, sendbuf may not be changed, nor recvbuf read."""
        return self._request(self._alltoall, sendbuf, recvbuf)

    def Scan(self, sendbuf, recvbuf, op=SUM):
        """Combines the elements of ranks 0 to r on every rank r.

        sendbuf: array of n elements, or IN_PLACE if they are in recvbuf
        recvbuf: array of n elements of the same type; gets the result
        op:      SUM, PROD, MIN, MAX and the like, or an Op

        Collective.
        """
        done = self._fast.scan(sendbuf, recvbuf, op)
        if done is NOT_SERVED:
            self._run(self._scan, sendbuf, recvbuf, op)

    def Iscan(self, sendbuf, recvbuf, op=SUM):
        """Starts Scan and returns a Request. Until its end, sendbuf may not be changed, nor recvbuf read."""
        return self._request(self._scan, sendbuf, recvbuf, op)

    def Exscan(self, sendbuf, recvbuf, op=SUM):
        """Combines the elements of ranks 0 to r - 1 on every rank r.

        sendbuf: array of n elements, or IN_PLACE if they are in recvbuf
        recvbuf: array of n elements of the same type; gets the result, and is unchanged on rank 0
        op:      SUM, PROD, MIN, MAX and the like, or an Op

        Collective.
        """
        done = self._fast.exscan(sendbuf, recvbuf, op)
        if done is NOT_SERVED:
            self._run(self._exscan, sendbuf, recvbuf, op)

    def Iexscan(self, sendbuf, recvbuf, op=SUM):
        """Starts Exscan and returns a Request. Until its end, sendbuf may not be changed, nor recvbuf read."""
        return self._request(self._exscan, sendbuf, recvbuf, op)

    def Barrier(self):
        """Waits until every rank has come here. Collective."""
        done = self._fast.barrier()
        if done is NOT_SERVED:
            self._run(self._barrier)

    def barrier(self):
        """Waits until every rank has come here: Barrier() under its other name in mpi4py. Collective."""
        self.Barrier()

    def Ibarrier(self):
        """Starts Barrier and returns a Request. It ends when all ranks have come."""
        return self._request(self._barrier)
