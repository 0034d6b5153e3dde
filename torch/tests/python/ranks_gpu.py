"""Buffers on a GPU: arrays with `__cuda_array_interface__` and with DLPack, in and out of streams. Needs a CUDA driver,
such as the double."""

import gpu_arrays
import numpy as np

import anyccl
import harness
from gpu_arrays import CudaArray, DlpackArray
from oracle import equal

REFUSED = anyccl.InvalidArgumentError
KINDS = (CudaArray, DlpackArray)
COUNT = 3000


def numbers(comm, kind="float32", count=COUNT):
    return (np.arange(count) % 50 + comm.rank).astype(kind)


def summed(comm, kind="float32", count=COUNT):
    return (comm.size * (np.arange(count) % 50) + sum(range(comm.size))).astype(kind)


def test_every_datatype_is_known_by_both_interfaces(comm):
    stream = gpu_arrays.new_stream()
    for kind in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
                 "float64", "complex64", "complex128"):
        for array in KINDS:
            result = array(numbers(comm, kind, 9), stream)
            comm.Allreduce(anyccl.IN_PLACE, result)
            equal(result.read(stream), summed(comm, kind, 9))


def test_calls_wait_for_the_streams_of_their_buffers(comm):
    for array in KINDS:
        for _ in range(20):
            ours, theirs = gpu_arrays.new_stream(), gpu_arrays.new_stream()
            send, recv = array(numbers(comm), ours), array(np.full(COUNT, -1, "float32"), theirs)
            comm.Allreduce(send, recv)
            equal(recv.read(gpu_arrays.new_stream()), summed(comm))


def test_calls_are_in_the_order_of_the_stream_of_the_communicator(comm):
    for array in KINDS:
        for _ in range(20):
            stream, other = gpu_arrays.new_stream(), gpu_arrays.new_stream()
            send, recv = array(numbers(comm), other), array(np.full(COUNT, -1, "float32"), stream)
            comm.set_stream(stream)
            comm.Allreduce(send, recv)
            comm.Allgather(recv, everybodys := array(np.zeros(comm.size * COUNT, "float32"), stream))
            comm.unset_stream()
            equal(recv.read(stream), summed(comm))
            equal(everybodys.read(stream), np.tile(summed(comm), comm.size))


def test_requests_in_a_stream_end_when_it_has_passed_them(comm):
    stream = gpu_arrays.new_stream()
    comm.set_stream(stream)
    recv = CudaArray(np.zeros(COUNT, "float32"), stream)
    request = comm.Iallreduce(CudaArray(numbers(comm), stream), recv)
    request.Wait()
    comm.unset_stream()
    equal(recv.read(gpu_arrays.new_stream()), summed(comm))


def test_every_form_of_stream_is_known(comm):
    stream = gpu_arrays.new_stream()

    class OfCupy:
        ptr = stream

    class OfTorch:
        cuda_stream = stream

    class OfCore:
        def __cuda_stream__(self):
            return 0, stream

    for form in (OfCupy(), OfTorch(), OfCore(), stream, 0):
        comm.set_stream(form)
        array = DlpackArray(numbers(comm), stream)
        comm.Allreduce(anyccl.IN_PLACE, array)
        gpu_arrays.synchronize(0)
        equal(array.read(stream), summed(comm))
    comm.unset_stream()
    harness.refused(REFUSED, lambda: comm.set_stream("a stream"), "is not a stream", "CuPy")


def test_messages(comm):
    right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    for in_stream in (False, True):
        stream = gpu_arrays.new_stream()
        if in_stream:
            comm.set_stream(stream)
        send, recv = CudaArray(numbers(comm), stream), DlpackArray(np.zeros(COUNT, "float32"), stream)
        status = comm.Sendrecv(send, right, recvbuf=recv, source=left)
        assert (status.source, status.count) == (left, COUNT)
        equal(recv.read(stream), numbers(comm) - comm.rank + left)
        requests = [comm.Isend(send, right, tag=1), comm.Irecv(recv, left, tag=1)]
        anyccl.Request.Waitall(requests)
        comm.unset_stream()


def test_blocks_and_lists(comm):
    stream = gpu_arrays.new_stream()
    counts = [rank + 1 for rank in range(comm.size)]
    expected = np.array([rank for rank in range(comm.size) for _ in range(rank + 1)], "int32")
    whole = CudaArray(np.zeros(sum(counts), "int32"), stream)
    comm.Allgatherv(DlpackArray(np.full(comm.rank + 1, comm.rank, "int32"), stream), [whole, counts])
    equal(whole.read(stream), expected)
    sends = [CudaArray(np.full(to, comm.rank, "int64"), stream) for to in range(comm.size)]
    recvs = [DlpackArray(np.zeros(comm.rank, "int64"), stream) for _ in range(comm.size)]
    comm.Alltoall_list(sends, recvs)
    for rank, recv in enumerate(recvs):
        equal(recv.read(stream), np.full(comm.rank, rank, "int64"))


def test_a_rank_may_use_memory_of_the_host(comm):
    stream = gpu_arrays.new_stream()
    mine, result = numbers(comm), np.zeros(COUNT, "float32")
    if comm.rank == 0:
        result = CudaArray(result, stream)
        comm.Allreduce(CudaArray(mine, stream), result)
        result = result.read(stream)
    else:
        comm.Allreduce(mine, result)
    equal(result, summed(comm))


def test_what_is_refused(comm):
    stream = gpu_arrays.new_stream()
    for array in KINDS:
        table = array(np.zeros((3, 4), "float32"), stream).transposed()
        dense = array(np.zeros(12, "float32"), stream)
        harness.refused(REFUSED, lambda: comm.Allreduce(table, dense), "send buffer", "not contiguous", "cupy")
        harness.refused(REFUSED, lambda: comm.Allreduce(dense, table), "receive buffer", "not contiguous")
        harness.refused(REFUSED, lambda: comm.Reduce_scatter_block(anyccl.IN_PLACE, dense), "IN_PLACE", "GPU")
        harness.refused(REFUSED, lambda: comm.Allreduce(dense, np.zeros(12)), "float32", "float64")
    fixed = CudaArray(np.zeros(3, "float32"), stream)
    fixed.is_read_only = True
    harness.refused(REFUSED, lambda: comm.Allreduce(anyccl.IN_PLACE, fixed), "may only be read")
    strange = CudaArray(np.zeros(3, "float32"), stream)
    strange.numpy_dtype = np.dtype(">f4")
    harness.refused(REFUSED, lambda: comm.Allreduce(anyccl.IN_PLACE, strange), ">f4", "accepted")


if __name__ == "__main__":
    gpu_arrays.start()
    harness.run(globals())
