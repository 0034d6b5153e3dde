"""Collectives of buffers, compared with NumPy."""

import numpy as np

import anyccl
import harness
from oracle import COMPLEX, FLOATS, INTEGERS, combined, equal, given, operators

COUNT = 37


def all_given(comm, count=COUNT, dtype="int64", seed=0):
    return [given(rank, count, dtype, seed) for rank in range(comm.size)]


def test_allreduce_of_every_type_with_every_operator(comm):
    for dtype in (*INTEGERS, *FLOATS, *COMPLEX, "bool"):
        for op in operators(dtype):
            parts = all_given(comm, dtype=dtype)
            got = np.empty(COUNT, dtype)
            comm.Allreduce(parts[comm.rank], got, op)
            equal(got, combined(parts, op))


def test_allreduce_of_ml_dtypes(comm):
    try:
        import ml_dtypes
    except ImportError:
        raise harness.Skipped("ml_dtypes is not installed")
    for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
        parts = [given(rank, COUNT).astype(dtype) for rank in range(comm.size)]
        got = np.empty(COUNT, dtype)
        comm.Allreduce(parts[comm.rank], got)
        exact = sum(part.astype("float64") for part in parts).astype(dtype)
        equal(got.astype("float32"), exact.astype("float32"))
    # A type with the same bits and other values must be refused.
    other = np.zeros(1, ml_dtypes.float8_e4m3fnuz)
    harness.refused(anyccl.InvalidArgumentError, lambda: comm.Allreduce(other, other.copy()), "float8_e4m3fnuz", "accepted")


def test_allreduce_of_shapes_and_of_nothing(comm):
    for shape in ((), (0,), (3, 0, 2), (2, 3, 4)):
        parts = [np.full(shape, rank + 1.0) for rank in range(comm.size)]
        got = np.empty(shape)
        comm.Allreduce(parts[comm.rank], got)
        equal(got, combined(parts, anyccl.SUM) if shape else np.array(sum(parts)))


def test_reduce_to_every_root(comm):
    parts = all_given(comm)
    for root in range(comm.size):
        got = np.full(COUNT, -1)
        comm.Reduce(parts[comm.rank], got if comm.rank == root else None, anyccl.MAX, root)
        equal(got, combined(parts, anyccl.MAX) if comm.rank == root else np.full(COUNT, -1))


def test_bcast_from_every_root(comm):
    for root in range(comm.size):
        buffer = given(comm.rank, COUNT)
        # The buffer of the root may be read-only.
        buffer.setflags(write=comm.rank != root)
        comm.Bcast(buffer, root)
        equal(buffer, given(root, COUNT))


def test_allgather(comm):
    got = np.empty((comm.size, COUNT), "int64")
    comm.Allgather(given(comm.rank, COUNT), got)
    equal(got, np.array(all_given(comm)))


def test_gather_and_scatter_with_every_root(comm):
    whole = np.array(all_given(comm))
    for root in range(comm.size):
        is_root = comm.rank == root
        got = np.zeros_like(whole)
        comm.Gather(given(comm.rank, COUNT), got if is_root else None, root)
        equal(got, whole if is_root else np.zeros_like(whole))
        part = np.empty(COUNT, "int64")
        comm.Scatter(whole if is_root else None, part, root)
        equal(part, whole[comm.rank])


def test_reduce_scatter_block(comm):
    parts = all_given(comm, comm.size * COUNT, "float32")
    got = np.empty(COUNT, "float32")
    comm.Reduce_scatter_block(parts[comm.rank], got)
    equal(got, combined(parts, anyccl.SUM).reshape(comm.size, COUNT)[comm.rank])


def test_alltoall(comm):
    parts = np.array(all_given(comm, comm.size * COUNT)).reshape(comm.size, comm.size, COUNT)
    got = np.empty((comm.size, COUNT), "int64")
    comm.Alltoall(parts[comm.rank], got)
    equal(got, parts[:, comm.rank])


def test_scan_and_exscan(comm):
    parts = all_given(comm)
    got = np.full(COUNT, -1)
    comm.Scan(parts[comm.rank], got)
    equal(got, combined(parts[: comm.rank + 1], anyccl.SUM))
    got = np.full(COUNT, -1)
    comm.Exscan(parts[comm.rank], got)
    equal(got, combined(parts[: comm.rank], anyccl.SUM) if comm.rank else np.full(COUNT, -1))


def test_in_place(comm):
    parts, rank = all_given(comm, comm.size * COUNT), comm.rank
    whole, cut = combined(parts, anyccl.SUM), [part.reshape(comm.size, COUNT) for part in parts]
    for call, expected in (
        (lambda buffer: comm.Allreduce(anyccl.IN_PLACE, buffer), whole),
        (lambda buffer: comm.Scan(anyccl.IN_PLACE, buffer), combined(parts[: rank + 1], anyccl.SUM)),
        (lambda buffer: comm.Alltoall(anyccl.IN_PLACE, buffer), np.concatenate([part[rank] for part in cut])),
        (lambda buffer: comm.Allgather(anyccl.IN_PLACE, buffer), np.concatenate([part[r] for r, part in enumerate(cut)])),
        (lambda buffer: comm.Reduce(anyccl.IN_PLACE if rank == 0 else buffer, buffer if rank == 0 else None),
         whole if rank == 0 else parts[rank]),
    ):
        buffer = parts[rank].copy()
        call(buffer)
        equal(buffer, expected)
    for call in (comm.Reduce_scatter_block, comm.Reduce_scatter):
        buffer = parts[rank].copy()
        call(anyccl.IN_PLACE, buffer)
        equal(buffer[:COUNT], whole.reshape(comm.size, COUNT)[rank])
    gathered = np.array([part[r] for r, part in enumerate(cut)])
    buffer = cut[rank].copy()
    comm.Gather(anyccl.IN_PLACE if rank == 0 else cut[rank][rank], buffer if rank == 0 else None)
    equal(buffer, gathered if rank == 0 else cut[rank])
    part = np.empty(COUNT, "int64")
    comm.Scatter(cut[0] if rank == 0 else None, anyccl.IN_PLACE if rank == 0 else part)
    equal(cut[0][0] if rank == 0 else part, cut[0][rank])


def counts_of(comm, salt=0):
    """Returns a length per rank; some are 0."""
    return [(3 * rank + salt) % 5 for rank in range(comm.size)]


def placed(counts):
    """Returns displacements with a gap of 2 before each block, and the total length."""
    displs, at = [], 0
    for count in counts:
        displs.append(at + 2)
        at += count + 2
    return displs, at


def test_allgatherv_and_gatherv(comm):
    counts = counts_of(comm, 1)
    displs, length = placed(counts)
    expected = np.full(length, -1)
    for rank, (count, start) in enumerate(zip(counts, displs)):
        expected[start : start + count] = given(rank, count)
    mine = given(comm.rank, counts[comm.rank])
    for form in ([(counts, displs)], [counts, displs]):
        got = np.full(length, -1)
        comm.Allgatherv(mine, [got, *form])
        equal(got, expected)
    dense = np.empty(sum(counts), "int64")
    comm.Allgatherv(mine, [dense, counts])
    equal(dense, np.concatenate([given(rank, count) for rank, count in enumerate(counts)]))
    for root in range(comm.size):
        got = np.full(length, -1)
        comm.Gatherv(mine, [got, (counts, displs)] if comm.rank == root else None, root)
        equal(got, expected if comm.rank == root else np.full(length, -1))


def test_scatterv(comm):
    counts = counts_of(comm, 2)
    displs, length = placed(counts)
    whole = given(99, length)
    for root in range(comm.size):
        got = np.empty(counts[comm.rank], "int64")
        comm.Scatterv([whole, (counts, displs)] if comm.rank == root else None, got, root)
        equal(got, whole[displs[comm.rank] : displs[comm.rank] + counts[comm.rank]])


def test_vectors_without_counts_are_as_even_as_possible(comm):
    length = 2 * comm.size + 1
    whole = given(7, length)
    parts = np.array_split(whole, comm.size)
    got = np.empty(len(parts[comm.rank]), "int64")
    comm.Scatterv(whole if comm.rank == 0 else None, got)
    equal(got, parts[comm.rank])
    back = np.empty(length, "int64")
    comm.Allgatherv(got, back)
    equal(back, whole)


def test_reduce_scatter_of_unequal_parts(comm):
    counts = counts_of(comm, 3)
    parts = all_given(comm, sum(counts))
    got = np.empty(counts[comm.rank], "int64")
    comm.Reduce_scatter(parts[comm.rank], got, counts)
    equal(got, np.split(combined(parts, anyccl.SUM), np.cumsum(counts)[:-1])[comm.rank])


def test_alltoallv_with_gaps_and_nothing(comm):
    lengths = [[(sender + 2 * taker) % 4 for taker in range(comm.size)] for sender in range(comm.size)]
    blocks = [[given(10 * sender + taker, lengths[sender][taker]) for taker in range(comm.size)] for sender in range(comm.size)]
    sent, got = lengths[comm.rank], [lengths[sender][comm.rank] for sender in range(comm.size)]
    displs, length = placed(sent)
    send = np.full(length, 77)
    for block, start in zip(blocks[comm.rank], displs):
        send[start : start + len(block)] = block
    recv = np.empty(sum(got), "int64")
    comm.Alltoallv([send, (sent, displs)], [recv, got])
    equal(recv, np.concatenate([blocks[sender][comm.rank] for sender in range(comm.size)]))
    # Exchanges these blocks as lists, too.
    recvs = [np.empty(count, "int64") for count in got]
    comm.Alltoall_list(blocks[comm.rank], recvs)
    for sender, array in enumerate(recvs):
        equal(array, blocks[sender][comm.rank])


def test_many_at_once_waited_for_in_any_order(comm):
    parts = [all_given(comm, seed=seed) for seed in range(20)]
    got = [np.empty(COUNT, "int64") for _ in parts]
    requests = [comm.Iallreduce(one[comm.rank], into) for one, into in zip(parts, got)]
    requests[-1].Wait()
    assert anyccl.Request.Waitany(requests[:1]) == 0
    anyccl.Request.Waitall(requests)
    assert anyccl.Request.Testall(requests)
    for one, into in zip(parts, got):
        equal(into, combined(one, anyccl.SUM))


def test_a_request_that_is_dropped_goes_on(comm):
    got = np.zeros(100_000)
    for _ in range(3):
        # Only the library has these buffers.
        comm.Iallreduce(np.full(100_000, 1.0), np.empty(100_000))
    comm.Iallreduce(np.full(100_000, 2.0), got)
    comm.Barrier()
    # Any call lets the operation progress.
    while (got != 2.0 * comm.size).any():
        comm.Iprobe(tag=1)


def test_memory_that_ranks_of_a_host_read_where_it_is(comm):
    send = np.frombuffer(anyccl.mem_alloc(8 * 10_000), "int64")
    send[:] = comm.rank + np.arange(10_000)
    got = np.empty(10_000, "int64")
    comm.Allreduce(send, got)
    equal(got, sum(rank + np.arange(10_000) for rank in range(comm.size)))
    assert len(anyccl.mem_alloc(0)) == 0
    harness.refused((anyccl.SystemCallError, anyccl.InvalidArgumentError), lambda: anyccl.mem_alloc(1 << 60), "mem_alloc")


def test_operators_of_the_program(comm):
    calls = []

    def matrices(left, right, datatype):
        """A product that is not commutative."""
        calls.append(datatype)
        a, b = (np.frombuffer(side, "float64").reshape(-1, 2, 2) for side in (left, right))
        b[:] = a @ b

    operator = anyccl.Op.Create(matrices)
    parts = [np.array([[1.0, rank + 1], [0, 1 + rank % 2]]) for rank in range(comm.size)]
    got = np.empty((2, 2))
    comm.Allreduce(parts[comm.rank], got, operator)
    expected = parts[0]
    for part in parts[1:]:
        expected = expected @ part
    equal(got, expected)
    operator.Free()
    weighted = anyccl.Op.premul_sum(np.array([comm.rank + 1.0]))
    got = np.empty(3)
    comm.Allreduce(np.full(3, 2.0), got, weighted)
    equal(got, np.full(3, sum(2.0 * (rank + 1) for rank in range(comm.size))))


def test_an_exception_of_an_operator_is_raised_by_the_call(comm):
    def fails(_left, _right, _datatype):
        raise ArithmeticError("as intended")

    operator = anyccl.Op.Create(fails)
    try:
        comm.Scan(np.ones(1), np.empty(1), operator)
        failed = False
    except ArithmeticError as error:
        failed = "as intended" in str(error)
    # Some rank has combined elements, if there was more than one rank.
    assert comm.allreduce(failed, anyccl.LOR) == (comm.size > 1)


def test_any_number_of_requests_may_be_under_way(comm):
    last, calls = comm.size - 1, 1000
    # The last rank makes its first call when rank 0 has started all.
    if comm.rank == last > 0:
        comm.recv(0)
    mine = [np.array([10 * call + comm.rank]) for call in range(calls)]
    sums = [np.empty_like(one) for one in mine]
    requests = [comm.Iallreduce(*pair) for pair in zip(mine, sums)]
    if comm.rank == 0 < last:
        comm.send("all are started", last)
    anyccl.Request.Waitall(requests[::-1])
    for call, got in enumerate(sums):
        assert got == comm.size * 10 * call + comm.size * last // 2, call


if __name__ == "__main__":
    harness.run(globals())
