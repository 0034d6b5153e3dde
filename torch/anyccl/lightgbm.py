"""Trains with LightGBM over a communicator, in place of LightGBM's own sockets.

    with anyccl.Communicator.world() as comm, anyccl.lightgbm.network(comm) as parameters:
        booster = lightgbm.train({"tree_learner": "data", **parameters}, lightgbm.Dataset(rows, labels))

LightGBM takes two functions: one reduces blocks and gives each rank its own, one collects blocks. The first is made of an
exchange of blocks: each rank gets its block of all ranks, and reduces them by the function that LightGBM passes. The
order is that of LightGBM's sockets, so the trees have the same bits. The exception is a number of ranks that is no power of
two with more than 10 MiB per call: there the sockets reduce around a ring, and the last digits of sums may differ.
"""

import contextlib
import ctypes
import os
import sys
from ctypes import POINTER, c_int, c_int32, c_ubyte, c_void_p

from ._arrays import IN_PLACE

# The types of LightGBM/meta.h. A reference to a function is the address of its pointer.
_Reducer = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_int, c_int32)
_ReduceScatter = ctypes.CFUNCTYPE(None, c_void_p, c_int32, c_int, POINTER(c_int32), POINTER(c_int32), c_int, c_void_p, c_int32,
                                  POINTER(_Reducer))
_Allgather = ctypes.CFUNCTYPE(None, c_void_p, c_int32, POINTER(c_int32), POINTER(c_int32), c_int, c_void_p, c_int32)


@contextlib.contextmanager
def network(comm):
    """Lets LightGBM use a communicator, in a `with` block. Gives the parameters that `lightgbm.train` needs.

    LightGBM keeps this per thread: the thread that enters the block makes the data sets and trains. The communicator
    stays open. LightGBM has no way to take a failure of these functions. So a failure aborts the communicator, writes
    its reason to stderr, and ends the process.
    """
    import lightgbm.basic

    library, check, functions = lightgbm.basic._LIB, lightgbm.basic._safe_call, Functions(comm)
    check(library.LGBM_NetworkInitWithFunctions(comm.size, comm.rank, functions.reduce_scatter, functions.allgather))
    try:
        yield {"num_machines": comm.size}
    finally:
        check(library.LGBM_NetworkFree())


class Functions:
    """The two functions, as LightGBM takes them. To be kept as long as LightGBM may call them."""

    def __init__(self, comm):
        self._comm = comm
        self._received = bytearray()
        self.reduce_scatter = _ReduceScatter(self._guarded(self._reduce_scatter))
        self.allgather = _Allgather(self._guarded(self._allgather))

    def _reduce_scatter(self, send, send_bytes, type_bytes, starts, lengths, blocks, output, _output_bytes, reducer):
        comm, starts, lengths = self._comm, starts[:blocks], lengths[:blocks]
        own = lengths[comm.rank]
        if len(self._received) < own * comm.size:
            self._received = bytearray(own * comm.size)
        first = ctypes.addressof((c_ubyte * len(self._received)).from_buffer(self._received))
        sent, received = _memory(send, send_bytes), _memory(first, own * comm.size)
        if _are_even(starts, lengths):
            comm.Alltoall(sent, received)
        else:
            comm.Alltoallv([sent, lengths, starts], [received, [own] * comm.size])
        if own == 0:
            return
        for target, source in reductions(comm.size):
            reducer[0](first + own * source, first + own * target, type_bytes, own)
        ctypes.memmove(output, first, own)

    def _allgather(self, send, send_bytes, starts, lengths, blocks, output, output_bytes):
        # LightGBM also passes the beginning of the output as what is sent.
        starts, lengths, whole = starts[:blocks], lengths[:blocks], _memory(output, output_bytes)
        ctypes.memmove(output + starts[self._comm.rank], send, send_bytes)
        if _are_even(starts, lengths):
            self._comm.Allgather(IN_PLACE, whole)
        else:
            self._comm.Allgatherv(IN_PLACE, [whole, lengths, starts])

    def _guarded(self, function):
        """Makes a function that does not return after a failure: LightGBM would go on with wrong data."""

        def call(*arguments):
            try:
                function(*arguments)
            except BaseException as failure:
                self._end(failure)

        return call

    def _end(self, failure):
        reason = f"{type(failure).__name__}: {failure}"
        try:
            print(f"anyccl.lightgbm: rank {self._comm.rank} ends, because LightGBM takes no error from its network: {reason}",
                  file=sys.stderr, flush=True)
            sys.stdout.flush()
            self._comm.abort(f"LightGBM's network has failed by {reason}")
        finally:
            os._exit(130 if isinstance(failure, KeyboardInterrupt) else 1)


def reductions(ranks):
    """Yields (target, source) of each reduction of one block, in the order of LightGBM's recursive halving: first the
    last ranks in pairs, until a power of two is left, and then halves. The result is at 0."""
    left = list(range(ranks))
    power = 1 << (ranks.bit_length() - 1)
    for source in range(ranks - 1, 2 * power - ranks, -2):
        yield source - 1, source
        left.remove(source)
    while len(left) > 1:
        half = len(left) // 2
        yield from zip(left[:half], left[half:])
        left = left[:half]


def _are_even(starts, lengths):
    """Returns whether frequent calls, which take blocks of one length, can serve these. Most calls are such."""
    return lengths.count(lengths[0]) == len(lengths) and starts == [lengths[0] * rank for rank in range(len(lengths))]


def _memory(address, bytes_):
    return (c_ubyte * bytes_).from_address(address)
