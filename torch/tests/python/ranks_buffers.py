"""Which objects are buffers, and with which message others are refused. After a refusal the communicator
still works."""

import array
import ctypes

import numpy as np

import anyccl
import harness
from oracle import equal

REFUSED = anyccl.InvalidArgumentError


class OnlyDlpack:
    """An array that offers DLPack and nothing else, as JAX does."""

    def __init__(self, inner, device=(1, 0)):
        self.inner, self.device = inner, device

    def __dlpack__(self, **options):
        return self.inner.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device


def summed(comm, send, recv):
    comm.Allreduce(send, recv)
    return recv


def test_objects_of_the_standard_library(comm):
    assert bytes(summed(comm, bytes([1, 2]), bytearray(2))) == bytes([comm.size, 2 * comm.size])
    assert summed(comm, array.array("d", [0.5]), array.array("d", [0])) == array.array("d", [comm.size / 2])
    assert list(summed(comm, memoryview(array.array("i", [3])), (ctypes.c_int * 1)())) == [3 * comm.size]
    assert summed(comm, array.array("Q", [2**40]), array.array("Q", [0]))[0] == comm.size * 2**40


def test_dlpack(comm):
    got = np.zeros(4, "float32")
    comm.Allreduce(OnlyDlpack(np.arange(4, dtype="float32")), OnlyDlpack(got))
    equal(got, comm.size * np.arange(4, dtype="float32"))
    # A part of an array begins in the middle of its memory.
    whole = np.arange(10, dtype="int32")
    comm.Bcast(OnlyDlpack(whole[3:7]))
    equal(whole, np.arange(10, dtype="int32"))


def test_what_is_sent_need_not_be_contiguous(comm):
    table = np.arange(12.0).reshape(3, 4)
    for view in (table.T, table[:, ::2], table[::-1], np.asfortranarray(table), OnlyDlpack(table[:, 1:3]),
                 memoryview(np.arange(8, dtype="int32"))[::2]):
        dense = np.ascontiguousarray(view.inner if isinstance(view, OnlyDlpack) else view)
        equal(summed(comm, view, np.empty_like(dense)), comm.size * dense)


def test_what_receives_must_be_contiguous_and_writable(comm):
    table = np.zeros((3, 4))
    for view in (table.T, OnlyDlpack(table.T)):
        harness.refused(REFUSED, lambda: comm.Allreduce(np.zeros((4, 3)), view), "receive buffer", "not contiguous",
                        "ascontiguousarray")
    harness.refused(REFUSED, lambda: comm.Allreduce(bytes(2), bytes(2)), "may only be read", "bytes")
    table.setflags(write=False)
    harness.refused(REFUSED, lambda: comm.Allreduce(np.zeros((3, 4)), table), "may only be read", "shape (3, 4)")


def test_memory_of_devices_without_a_driver(comm):
    there = OnlyDlpack(np.zeros(2), device=(14, 1))
    harness.refused(REFUSED, lambda: comm.Allreduce(np.zeros(2), there), "receive buffer", "device 1", "Copy it")
    there = OnlyDlpack(np.zeros(2), device=(2, 1))
    harness.refused(REFUSED, lambda: comm.Allreduce(np.zeros(2), there), "receive buffer", "before", "CUDA driver")

    class Cupy:
        __cuda_array_interface__ = {"shape": (2,), "data": (0, False)}

    harness.refused(REFUSED, lambda: comm.Allreduce(Cupy(), np.zeros(2)), "send buffer", "GPU", "before", "CUDA driver")


def test_what_has_no_elements_that_the_library_knows(comm):
    for thing, words in (
        ([1, 2], ("list", "offers no memory", "lower case")),
        (np.array(["a"]), ("<U1", "accepted", "float32")),
        (np.array([object()]), ("object", "accepted")),
        (np.zeros(1, ">f8"), (">f8", "accepted")),
        (np.zeros(1, "longdouble"), ("float128", "view")),
        (memoryview(bytearray(2)).cast("c"), ()),
    ):
        if words:
            harness.refused(REFUSED, lambda: comm.Bcast(thing), *words)
        else:
            comm.Bcast(thing)  # Elements of format "c" are moved as bytes.


def test_numbers_of_elements_that_do_not_fit(comm):
    ones, size = np.ones, comm.size
    for call, words in (
        (lambda: comm.Allreduce(ones(2), ones(3)), ("2 elements", "3")),
        (lambda: comm.Allreduce(ones(2), ones(2, "float32")), ("float64", "float32")),
        (lambda: comm.Allgather(ones(2), ones(2 * size + size)), ("Allgather", "2 elements")),
        (lambda: comm.Alltoall(ones(size + 1), ones(size)), ("Alltoall",)),
        (lambda: comm.Allgatherv(ones(1), [ones(size), [2] * size]), (f"element {2 * size}", f"has {size}")),
        (lambda: comm.Allgatherv(ones(1), [ones(size), [1] * (size + 1)]), ("counts", "must be")),
        (lambda: comm.Alltoallv([ones(size), [-1] * size], ones(size)), ("none below 0",)),
        (lambda: comm.Allgatherv(ones(1), [ones(1), 1, 2, 3]), ("accepted", "[x, counts]")),
        (lambda: comm.Bcast(ones(1), size), ("root",)),
        (lambda: comm.Allreduce(ones(1), ones(1), "sum"), ("'sum'", "anyccl.SUM")),
        (lambda: comm.Allreduce(ones(1), ones(1), anyccl.BAND), ("band", "float64")),
        (lambda: comm.Send(ones(1), size), ()),
    ):
        error = harness.refused(REFUSED, call, *words)
        assert error.code == 1 and isinstance(error, ValueError)
    if size > 1:
        harness.refused(REFUSED, lambda: comm.Alltoall(ones(size + 1), ones(size + 1)), "not", f"{size} blocks")
        harness.refused(REFUSED, lambda: comm.scatter([1] * (size + 1), comm.rank), f"{size + 1} objects")


if __name__ == "__main__":
    harness.run(globals())
