"""The two functions for LightGBM, called as LightGBM calls them, but without LightGBM. Any number of ranks."""

import ctypes
import subprocess
import sys

import numpy

import harness
from anyccl import lightgbm

# Longest time of a program whose process ends.
SECONDS = 60
# Elements of the blocks of ranks: unequal, one of them empty; and equal.
LENGTHS = [[3, 0, 70_001, 1], [50, 50, 50, 50]]


def for_lengths(test):
    """Makes a test of one that takes lengths of blocks, one for each rank."""

    def call(comm):
        for lengths in LENGTHS:
            test(comm, lengths[:comm.size])

    return call


def numbers(values):
    return (ctypes.c_int32 * len(values))(*values)


def reduce_scatter(comm, values, lengths, type_bytes, reduce):
    """Calls the function with blocks of these lengths in elements. Returns this rank's block, as bytes."""
    lengths = [type_bytes * length for length in lengths]
    starts = [sum(lengths[:rank]) for rank in range(comm.size)]
    output = ctypes.create_string_buffer(max(lengths) + 1)
    reducer = lightgbm._Reducer(reduce)
    lightgbm.Functions(comm).reduce_scatter(
        values.ctypes.data, values.nbytes, type_bytes, numbers(starts), numbers(lengths), comm.size, ctypes.addressof(output),
        len(output), ctypes.byref(reducer))
    own = lengths[comm.rank]
    assert output.raw[own:] == bytes(len(output) - own), "written behind the block"
    return output.raw[:own]


def array(address, bytes_, dtype):
    return numpy.frombuffer((ctypes.c_ubyte * bytes_).from_address(address), dtype)


def add(source, target, type_bytes, bytes_):
    assert type_bytes == 8
    total = array(target, bytes_, "float64")
    total += array(source, bytes_, "float64")


def shares(comm, dtype, lengths):
    """Returns what each rank gives, in the order of ranks."""
    return [numpy.random.default_rng(rank).normal(size=sum(lengths)).astype(dtype) for rank in range(comm.size)]


def by_halving(parts):
    """Returns the sum in the order of LightGBM's recursive halving, for a power of two."""
    while len(parts) > 1:
        half = len(parts) // 2
        parts = [one + other for one, other in zip(parts[:half], parts[half:])]
    return parts[0]


@for_lengths
def test_blocks_are_summed_in_the_order_of_lightgbms_sockets(comm, lengths):
    start = sum(lengths[:comm.rank])
    parts = shares(comm, "float64", lengths)
    own = numpy.frombuffer(reduce_scatter(comm, parts[comm.rank], lengths, 8, add), "float64")
    assert (own == by_halving(parts)[start : start + lengths[comm.rank]]).all()


@for_lengths
def test_elements_of_any_size_reach_the_reducer_whole(comm, lengths):
    kind = numpy.dtype([("gain", "<f8"), ("feature", "<i4")])
    parts = [numpy.zeros(sum(lengths), kind) for _ in range(comm.size)]
    for rank, (part, gain) in enumerate(zip(parts, shares(comm, "float64", lengths))):
        part["gain"], part["feature"] = gain, rank

    def best(source, target, type_bytes, bytes_):
        assert type_bytes == kind.itemsize
        theirs, ours = array(source, bytes_, kind), array(target, bytes_, kind)
        better = theirs["gain"] > ours["gain"]
        ours[better] = theirs[better]

    own = numpy.frombuffer(reduce_scatter(comm, parts[comm.rank], lengths, kind.itemsize, best), kind)
    start = sum(lengths[:comm.rank])
    mine = slice(start, start + lengths[comm.rank])
    gains = numpy.array([part["gain"][mine] for part in parts])
    assert (own["feature"] == gains.argmax(axis=0)).all() and (own["gain"] == gains.max(axis=0)).all()


@for_lengths
def test_blocks_are_collected(comm, lengths):
    starts = numbers([sum(lengths[:rank]) for rank in range(comm.size)])
    whole = numpy.concatenate([numpy.full(length, rank + 1, "uint8") for rank, length in enumerate(lengths)])
    own = numpy.full(lengths[comm.rank], comm.rank + 1, "uint8")
    output = numpy.zeros(sum(lengths), "uint8")
    call = lightgbm.Functions(comm).allgather
    call(own.ctypes.data, own.nbytes, starts, numbers(lengths), comm.size, output.ctypes.data, output.nbytes)
    assert (output == whole).all()
    # As after a reduce_scatter: what is sent is at the beginning of the output.
    output[:] = 0
    output[: own.size] = own
    call(output.ctypes.data, own.nbytes, starts, numbers(lengths), comm.size, output.ctypes.data, output.nbytes)
    assert (output == whole).all()


FAILING = """
import ctypes, anyccl, anyccl.lightgbm
comm = anyccl.Communicator.from_id(anyccl.unique_id(), 1, 0)
comm.abort("the reason of the test")
byte, zero, one = ctypes.c_ubyte(), ctypes.c_int32(0), ctypes.c_int32(1)
at = ctypes.addressof(byte)
anyccl.lightgbm.Functions(comm).allgather(at, 1, zero, one, 1, at, 1)
print("went on")
"""


def test_a_failure_ends_the_process_and_gives_the_reason(comm):
    if comm.rank == 0:
        done = subprocess.run([sys.executable, "-c", FAILING], text=True, capture_output=True, timeout=SECONDS)
        assert done.returncode == 1 and "went on" not in done.stdout, done
        assert "rank 0 ends" in done.stderr and "the reason of the test" in done.stderr, done.stderr


if __name__ == "__main__":
    harness.run(globals())
