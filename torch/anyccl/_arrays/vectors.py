"""Buffers of calls whose blocks differ in length: Allgatherv, Gatherv, Scatterv, Alltoallv.

    x                            blocks as even as possible, the first ones one element longer
    [x, counts]                  blocks of these lengths, one after the other
    [x, (counts, displs)]        blocks of these lengths that begin at these elements
    [x, counts, displs]          the same

Counts and displacements are in elements of x, one per rank, as in mpi4py.
"""

import ctypes

from .._capi.errors import integer, refuse
from .buffer import receiver, sender


class Blocks:
    """One buffer with a block per rank."""

    __slots__ = ("buffer", "counts", "displs", "sizes")

    def __init__(self, buffer, counts, displs):
        self.buffer, self.counts = buffer, counts
        self.sizes = _numbers(counts)
        self.displs = None if displs is None else _numbers(displs)

    @classmethod
    def sent(cls, spec, ranks):
        """Returns blocks to read from."""
        return cls._of(spec, ranks, sender, "send buffer")

    @classmethod
    def received(cls, spec, ranks):
        """Returns blocks to write to."""
        return cls._of(spec, ranks, receiver, "receive buffer")

    @classmethod
    def _of(cls, spec, ranks, look, role):
        thing, counts, displs = _taken_apart(spec, role)
        buffer = look(thing)
        if counts is None:
            each, longer = divmod(buffer.count, ranks)
            counts = [each + (rank < longer) for rank in range(ranks)]
        counts = _checked(counts, ranks, role, "counts")
        displs = displs if displs is None else _checked(displs, ranks, role, "displacements")
        ends = [start + count for start, count in zip(displs, counts) if count] if displs else [sum(counts)]
        if max(ends, default=0) > buffer.count:
            refuse(f"the blocks of the {role} end at element {max(ends)}, but it has {buffer.count}")
        return cls(buffer, counts, displs)

    def start(self, rank):
        """Returns the index of the first element of a block."""
        return self.displs[rank] if self.displs is not None else sum(self.counts[:rank])


def _taken_apart(spec, role):
    if not isinstance(spec, (list, tuple)):
        return spec, None, None
    if len(spec) == 2 and isinstance(spec[1], tuple) and len(spec[1]) == 2 and not _is_number(spec[1][0]):
        return spec[0], *spec[1]
    if len(spec) == 2:
        return *spec, None
    if len(spec) == 3:
        return tuple(spec)
    return refuse(f"the {role} is a list of {len(spec)}; accepted: x, [x, counts], [x, (counts, displs)], "
                  "[x, counts, displs]")


def _is_number(thing):
    return hasattr(thing, "__index__") and not getattr(thing, "shape", ())


def _checked(numbers, ranks, role, what):
    numbers = list(numbers)
    if len(numbers) != ranks or min(numbers, default=0) < 0:
        refuse(f"the {what} of the {role} are {numbers}; there must be {ranks}, none below 0")
    return [integer(number, f"the {what} of the {role}:", 0, 2**64 - 1) for number in numbers]


def _numbers(numbers):
    return (ctypes.c_size_t * len(numbers))(*numbers)
