"""Collectives with shapes, layouts and lists that backends often get wrong, on 2 and 4 ranks."""

import pytest
import ranks
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional

sizes = pytest.mark.parametrize("size", [2, 4])


def strided(rows, columns, start):
    """Returns a matrix that is stored column by column."""
    return (torch.arange(rows * columns, dtype=torch.float32) + start).reshape(columns, rows).t()


@sizes
def test_all_to_all_takes_entries_of_any_length_and_shape(size):
    def body(rank, size):
        send = [torch.full((rank + 1, 2, to), float(10 * rank + to)) for to in range(size)]
        recv = [torch.empty(from_ + 1, 2, rank) for from_ in range(size)]
        dist.all_to_all(recv, send)
        return all(bool((part == 10 * from_ + rank).all()) for from_, part in enumerate(recv))

    assert ranks.same(size, body)


@sizes
def test_splits_may_be_left_out_by_a_rank_whose_rows_are_even(size):
    def body(rank, size):
        # Rank 0 gets 2 rows from each rank, and sends 2 to each. The last rank keeps 5 rows to itself, and
        # gives splits.
        rows = [2] * size
        rows[rank] = 5 if rank == size - 1 else 2
        splits = [] if rank == 0 else [rows, rows]
        send = torch.cat([torch.full((number, 3), 10.0 * rank + to) for to, number in enumerate(rows)])
        recv = torch.empty_like(send)
        dist.all_to_all_single(recv, send, *splits)
        expected = torch.cat([torch.full((number, 3), 10.0 * from_ + rank) for from_, number in enumerate(rows)])
        return torch.equal(recv, expected)

    assert ranks.same(size, body)


@sizes
def test_all_gather_takes_tensors_of_different_shapes(size):
    def body(rank, size):
        parts = [torch.empty(other, 3, dtype=torch.int16) for other in range(size)]
        dist.all_gather(parts, torch.full((rank, 3), rank, dtype=torch.int16))
        return [part.tolist() for part in parts]

    assert ranks.same(size, body) == [[[other] * 3] * other for other in range(size)]


@sizes
def test_gather_and_scatter_take_tensors_of_different_sizes(size):
    def body(rank, size):
        parts = [torch.empty(other + 1) for other in range(size)] if rank == 1 else None
        dist.gather(torch.full((rank + 1,), float(rank)), parts, 1)
        if parts is not None:
            parts = [part * 2 for part in parts]
        mine = torch.empty(rank + 1)
        dist.scatter(mine, parts, 1)
        return mine.tolist() == [2.0 * rank] * (rank + 1)

    assert ranks.same(size, body)


@sizes
def test_reduce_scatter_takes_parts_of_different_sizes(size):
    def body(rank, size):
        result = torch.empty(rank + 1)
        parts = [torch.full((other + 1,), float(other)) for other in range(size)]
        dist.reduce_scatter(result, parts)
        half = torch.empty(rank + 1)
        dist.reduce_scatter(half, parts, dist._make_nccl_premul_sum(0.5))
        expected = [float(rank * size)] * (rank + 1)
        return result.tolist() == expected and (2 * half).tolist() == expected

    assert ranks.same(size, body)


CALLS_ON_ONE = {
    "all_reduce": lambda t, rank, size: dist.all_reduce(t),
    "broadcast": lambda t, rank, size: dist.broadcast(t, 0),
    "reduce": lambda t, rank, size: dist.reduce(t, 0),
    "all_reduce async": lambda t, rank, size: dist.all_reduce(t, async_op=True).wait(),
    "all_reduce_coalesced": lambda t, rank, size: dist.all_reduce_coalesced([t]),
    "scatter": lambda t, rank, size: dist.scatter(t, [strided(4, 6, 0)] * size if rank == 0 else None, 0),
}


@pytest.mark.parametrize("name", CALLS_ON_ONE)
@pytest.mark.parametrize("layout", ["columns", "every other", "narrowed"])
def test_tensors_that_are_not_contiguous_get_what_contiguous_ones_get(name, layout):
    def body(rank, size):
        whole = torch.arange(48, dtype=torch.float32).reshape(8, 6)
        if layout == "columns":
            tensor = strided(4, 6, rank)
        elif layout == "every other":
            tensor = (whole + rank)[::2]
        else:
            tensor = torch.cat([whole, whole], 1).add_(rank)[:4, 3:9]
        plain = tensor.clone(memory_format=torch.contiguous_format)
        CALLS_ON_ONE[name](tensor, rank, size)
        CALLS_ON_ONE[name](plain, rank, size)
        return torch.equal(tensor, plain)

    assert ranks.same(2, body)


def test_inputs_and_outputs_that_are_not_contiguous_are_right():
    def body(rank, size):
        base = torch.zeros(3, 8)
        outputs = [base[:, 2 * r : 2 * r + 2] for r in range(size)]
        dist.all_gather(outputs, strided(3, 2, 100 * rank))
        expected = torch.cat([strided(3, 2, 100 * r) for r in range(size)], 1)
        assert torch.equal(base[:, : 2 * size], expected)
        whole = torch.zeros(8, 3).t()[:, : 2 * size]
        dist.all_gather_into_tensor(whole.t(), strided(2, 3, rank))
        assert torch.equal(whole.t(), torch.cat([strided(2, 3, r) for r in range(size)]))
        result = torch.zeros(8)[::4]
        dist.reduce_scatter_tensor(result, torch.arange(float(2 * size)).repeat_interleave(2)[::2])
        assert result.tolist() == [size * (2.0 * rank), size * (2.0 * rank + 1)]
        into = torch.zeros(2 * size, 2)[:, 0]
        dist.all_to_all_single(into, torch.arange(4.0 * size)[::2] + rank)
        assert into.tolist() == [2.0 * (2 * rank + k) + r for r in range(size) for k in range(2)]
        backend = dist.group.WORLD._get_backend(torch.device("cpu"))
        if rank == 0:
            dist.send(strided(2, 3, 7), 1)
            # torch's own functions refuse conjugated tensors.
            backend.send([torch.tensor([1 + 2j, 3 - 4j]).conj()], 1, 0).wait()
        else:
            place = torch.zeros(4, 3)[::2]
            dist.recv(place, 0)
            assert torch.equal(place, strided(2, 3, 7))
            place = torch.zeros(2, dtype=torch.complex64).conj()
            backend.recv([place], 0, 0).wait()
            assert place.tolist() == [1 - 2j, 3 + 4j]
        return True

    assert ranks.same(2, body)


def test_a_result_in_memory_that_elements_share_is_refused_and_the_group_works_on():
    def body(rank, size):
        with pytest.raises(ValueError, match="share memory"):
            dist.all_reduce(torch.zeros(1).expand(4))
        tensor = torch.ones(1)
        dist.all_reduce(tensor)
        return tensor.item()

    assert ranks.same(2, body) == 2


def test_inputs_that_are_part_of_the_outputs_are_right():
    def body(rank, size):
        whole = torch.zeros(2 * size)
        whole[2 * rank : 2 * rank + 2] = rank + 1
        dist.all_gather_into_tensor(whole, whole[2 * rank : 2 * rank + 2])
        assert whole.tolist() == [r + 1 for r in range(size) for _ in range(2)]
        parts = [torch.full((2,), float(rank)), torch.zeros(2)]
        # On rank 1, the input is the output for rank 0.
        dist.all_gather(parts, parts[0])
        assert [part.tolist() for part in parts] == [[0, 0], [1, 1]]
        table = torch.arange(float(2 * size)) + 10 * rank
        dist.all_to_all_single(table, table)
        assert table.tolist() == [10 * r + 2 * rank + k for r in range(size) for k in range(2)]
        shared = torch.arange(float(2 * size))
        dist.reduce_scatter_tensor(shared[1:3], shared.clone())
        assert shared[1:3].tolist() == [size * 2.0 * rank, size * (2.0 * rank + 1)]
        return True

    assert ranks.same(2, body)


def test_tensors_of_no_elements_and_of_no_dimensions():
    def body(rank, size):
        empty = torch.empty(0, 3)
        dist.all_reduce(empty)
        dist.broadcast(empty, 0)
        dist.all_gather([torch.empty(0) for _ in range(size)], torch.empty(0))
        dist.all_to_all([torch.empty(0)] * size, [torch.empty(0)] * size)
        dist.all_to_all_single(torch.empty(0), torch.empty(0))
        dist.reduce_scatter_tensor(torch.empty(0), torch.empty(0))
        number = torch.tensor(rank + 1)
        dist.all_reduce(number)
        return number.item()

    assert ranks.same(2, body) == 3


def test_a_parameter_that_wants_gradients_is_reduced_in_place():
    def body(rank, size):
        parameter = torch.nn.Parameter(torch.ones(4, 4).t()[:2])
        dist.all_reduce(parameter)
        return parameter.tolist()

    assert ranks.same(2, body) == [[2.0] * 4] * 2


@sizes
def test_premultiplied_sums_take_numbers_and_tensors(size):
    def body(rank, size):
        tensor = torch.full((5,), 3.0)
        dist.all_reduce(tensor, dist._make_nccl_premul_sum(0.5))
        assert tensor.tolist() == [1.5 * size] * 5
        tensor = torch.full((5,), 3.0, dtype=torch.bfloat16)
        dist.all_reduce(tensor, dist._make_nccl_premul_sum(torch.tensor([float(rank)])))
        assert tensor.tolist() == [3.0 * sum(range(size))] * 5
        with pytest.raises(ValueError, match="whole number"):
            dist.all_reduce(torch.ones(3, dtype=torch.int64), dist._make_nccl_premul_sum(0.5))
        return True

    assert ranks.same(size, body)


def test_averages_of_integers_are_cut_towards_zero():
    def body(rank, size):
        tensor = torch.tensor([rank, 1 + rank, -rank, -1 - rank])
        dist.all_reduce(tensor, dist.ReduceOp.AVG)
        return tensor.tolist()

    assert ranks.same(2, body) == [0, 1, 0, -1]


# Numbers that both 8-bit types represent and that are reduced. Sums of four of them are rounded.
EIGHT_BIT_NUMBERS = [64.0, 3.0, 5.0, 2.5, 48.0, 7.0, 3.5, 1.75]
EIGHT_BIT_CALLS = {
    "all_reduce": lambda result, whole, op: dist.all_reduce(whole, op) or whole,
    "all_reduce, asynchronously": lambda result, whole, op: dist.all_reduce(whole, op, async_op=True).wait() and whole,
    "reduce_scatter": lambda result, whole, op: dist.reduce_scatter(result, list(whole.chunk(4)), op) or result,
    "reduce_scatter_tensor": lambda result, whole, op: dist.reduce_scatter_tensor(result, whole, op) or result,
    "reduce": lambda result, whole, op: dist.reduce(whole, 0, op) or (whole if dist.get_rank() == 0 else None),
}


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2], ids=str)
@pytest.mark.parametrize("name", EIGHT_BIT_CALLS)
def test_8_bit_floats_of_several_ranks_are_summed_in_float32_and_rounded_once(name, dtype):
    def contribution(rank, count):
        return torch.tensor(EIGHT_BIT_NUMBERS).roll(-rank).repeat(count // len(EIGHT_BIT_NUMBERS) + 1)[:count]

    def check(rank, size, count):
        contributions = [contribution(other, count) for other in range(size)]
        total = torch.stack(contributions).sum(0)
        for op, exact in [(dist.ReduceOp.SUM, total), (dist.ReduceOp.AVG, total / size)]:
            whole, result = contributions[rank].to(dtype), torch.empty(count // size, dtype=dtype)
            got = EIGHT_BIT_CALLS[name](result, whole, op)
            expected = exact.to(dtype).float()
            if got is result:
                expected = expected.chunk(size)[rank]
            assert got is None or torch.equal(got.float(), expected), (count, op)

    def body(rank, size):
        # The last count is too long for one piece.
        for count in (8, 4 * 257, 4 * 4097, 4 * 100_003):
            check(rank, size, count)
        return True

    def add(one, other):
        return (one + other).to(dtype).float()

    a, b, c, d = (contribution(rank, 8) for rank in range(4))
    once = (a + b + c + d).to(dtype).float()
    for each_time in [add(add(add(a, b), c), d), add(add(add(d, c), b), a), add(add(a, b), add(c, d)), add(add(a, c), add(b, d))]:
        assert not torch.equal(each_time, once), "this test would not see a sum that is rounded more than once"
    assert ranks.same(4, body)


@sizes
def test_sparse_tensors_with_different_elements_are_summed(size):
    def body(rank, size):
        indices = torch.tensor([[0, rank + 1], [0, 0]])
        tensor = torch.sparse_coo_tensor(indices, torch.tensor([[1.0, 2.0], [3.0, 4.0]]), (size + 1, 2, 2))
        dense = tensor.to_dense()
        dist.all_reduce(dense)
        dist.all_reduce(tensor)
        assert torch.equal(tensor.to_dense(), dense)
        nothing = torch.sparse_coo_tensor(torch.empty(1, 0), torch.empty(0), (5,))
        dist.all_reduce(nothing)
        return nothing._nnz()

    assert ranks.same(size, body) == 0


@sizes
def test_lists_of_several_types_are_coalesced(size):
    def body(rank, size):
        tensors = [torch.ones(2), torch.ones(3, dtype=torch.int64), strided(2, 2, 0), torch.ones(1, dtype=torch.bfloat16)]
        expected = [tensor * size for tensor in tensors]
        # torch's function of that name refuses lists of several types. The group accepts them.
        dist.group.WORLD.allreduce_coalesced(tensors, dist.AllreduceCoalescedOptions()).wait()
        assert all(map(torch.equal, tensors, expected))
        results = functional.all_gather_into_tensor_coalesced(
            [torch.full((2,), rank), torch.full((1, 2), float(rank))], dist.group.WORLD
        )
        assert functional.wait_tensor(results[0]).tolist() == [r for r in range(size) for _ in range(2)]
        assert functional.wait_tensor(results[1]).tolist() == [[r, r] for r in range(size)]
        results = functional.reduce_scatter_tensor_coalesced(
            [torch.arange(2 * size), torch.ones(size)], "sum", [0, 0], dist.group.WORLD
        )
        assert functional.wait_tensor(results[0]).tolist() == [size * (2 * rank), size * (2 * rank + 1)]
        one, other = torch.ones(2), torch.ones(3)
        with dist._coalescing_manager(async_ops=True) as manager:
            dist.all_reduce(one)
            dist.all_reduce(other)
        manager.wait()
        return [*one.tolist(), *other.tolist()] == [size] * 5

    assert ranks.same(size, body)


@sizes
def test_objects_go_everywhere(size):
    def body(rank, size):
        everybody = [None] * size
        dist.all_gather_object(everybody, {"rank": rank, "text": "x" * rank})
        assert [one["rank"] for one in everybody] == list(range(size))
        gathered = [None] * size if rank == 0 else None
        dist.gather_object("y" * rank, gathered)
        assert rank or [len(one) for one in gathered] == list(range(size))
        told = [("anything", rank)]
        dist.broadcast_object_list(told, 1)
        assert told == [("anything", 1)]
        mine = [None]
        dist.scatter_object_list(mine, [[r] for r in range(size)] if rank == 0 else None)
        assert mine == [[rank]]
        if rank == 0:
            dist.send_object_list(["letter", 1], 1)
        elif rank == 1:
            letter = [None, None]
            dist.recv_object_list(letter, 0)
            assert letter == ["letter", 1]
        return True

    assert ranks.same(size, body)


def test_a_tensor_of_more_than_two_gigabytes_is_broadcast():
    marks = [0, 1 << 30, (2 << 30) - 1, 2 << 30, (2 << 30) + 4099]

    def body(rank, size):
        # The zeros take no memory before they are written.
        tensor = torch.zeros(marks[-1] + 1, dtype=torch.uint8)
        if rank == 1:
            tensor[marks] = 2
        dist.broadcast(tensor, 1)
        return tensor[marks].tolist()

    assert ranks.same(2, body) == [2] * len(marks)


@pytest.mark.since(8, "allocate_tensor()")
def test_shared_memory_tensors_are_ordinary_tensors():
    def body(rank, size):
        backend = dist.group.WORLD._get_backend(torch.device("cpu"))
        assert backend.supports_tensor_alloc(torch.device("cpu"))
        source = backend.allocate_tensor(1 << 16, dtype=torch.float32, device=torch.device("cpu"))
        source.fill_(rank + 1)
        place = source.data_ptr()
        total = torch.empty(size << 16)
        dist.all_gather_into_tensor(total, source)
        assert total[::1 << 16].tolist() == [1.0, 2.0]
        del source
        again = backend.allocate_tensor(1 << 16, dtype=torch.float32, device=torch.device("cpu"))
        return again.data_ptr() == place

    assert ranks.same(2, body)


def negated(values):
    """Returns a tensor of these values that is negated lazily."""
    view = torch.complex(torch.zeros(len(values)), -torch.tensor(values)).conj().imag
    assert view.is_neg() and view.tolist() == list(values)
    return view


def conjugated(values):
    """Returns a complex tensor of these values that is conjugated lazily."""
    view = torch.tensor(values, dtype=torch.complex64).conj().resolve_conj().conj()
    assert view.is_conj() and view.tolist() == list(values)
    return view


# Groups that live as long as their process.
KEPT = []


@sizes
def test_views_that_are_negated_lazily_are_read_and_written_as_they_look(size):
    def body(rank, size):
        own, everybodys, sum_ = [rank + 1.0, 2.0], [[other + 1.0, 2.0] for other in range(size)], [size * (size + 1) / 2, 2.0 * size]
        right, left = (rank + 1) % size, (rank - 1) % size
        flat = [one for each in everybodys for one in each]
        fresh = lambda length=2: negated([0.5] * length)
        found = {}
        for call, given in (("all_reduce", ()), ("reduce", (0,)), ("broadcast", (size - 1,))):
            for is_async in (False, True):
                tensor = negated(own)
                work = getattr(dist, call)(tensor, *given, async_op=is_async)
                if work:
                    work.wait()
                expected = {"broadcast": everybodys[-1], "reduce": sum_ if rank == 0 else own}.get(call, sum_)
                found[call, is_async] = tensor.tolist() == expected
        outputs = [fresh() for _ in range(size)]
        dist.all_gather(outputs, negated(own))
        found["all_gather"] = [one.tolist() for one in outputs] == everybodys
        whole = fresh(2 * size)
        dist.all_gather_into_tensor(whole, negated(own))
        found["all_gather_into_tensor"] = whole.tolist() == flat
        outputs = [fresh() for _ in range(size)]
        dist.gather(negated(own), outputs if rank == 0 else None, 0)
        found["gather"] = rank > 0 or [one.tolist() for one in outputs] == everybodys
        output = fresh()
        dist.scatter(output, [negated(each) for each in everybodys] if rank == 0 else None, 0)
        found["scatter"] = output.tolist() == own
        output = fresh()
        dist.reduce_scatter(output, [negated(each) for each in everybodys])
        found["reduce_scatter"] = output.tolist() == [size * one for one in own]
        output = fresh()
        dist.reduce_scatter_tensor(output, negated(flat))
        found["reduce_scatter_tensor"] = output.tolist() == [size * one for one in own]
        outputs = [fresh() for _ in range(size)]
        dist.all_to_all(outputs, [negated(own)] * size)
        found["all_to_all"] = [one.tolist() for one in outputs] == everybodys
        whole = fresh(2 * size)
        dist.all_to_all_single(whole, negated(own * size))
        found["all_to_all_single"] = whole.tolist() == flat
        output = fresh()
        sent = dist.isend(negated(own), right, tag=3)
        dist.recv(output, left, tag=3)
        sent.wait()
        found["messages"] = output.tolist() == everybodys[left]
        one, other = negated(own), negated(own)
        with dist._coalescing_manager():
            dist.all_reduce(one)
            dist.all_reduce(other)
        found["coalesced"] = one.tolist() == other.tolist() == sum_
        # torch itself refuses conjugated tensors in the other calls.
        tensor = conjugated([1j, rank + 2j])
        dist.reduce(tensor, 0)
        found["conjugated, reduce"] = rank > 0 or tensor.tolist() == [size * 1j, sum_[0] - size + 2j * size]
        output = conjugated([0, 0])
        dist.reduce_scatter_tensor(output, conjugated([1j, 2j] * size))
        found["conjugated, reduce_scatter_tensor"] = output.tolist() == [size * 1j, size * 2j]
        # A group of another backend gets copies, as before.
        gloo = dist.new_group(backend="gloo")
        outputs = [torch.empty(2) for _ in range(size)]
        dist.all_gather(outputs, negated(own), group=gloo)
        found["gloo"] = [one.tolist() for one in outputs] == everybodys
        # torch 2.6 may wait for ever at the end of such a group, for a thread that wants the GIL.
        KEPT.append(gloo)
        return [name for name, is_right in found.items() if not is_right]

    assert ranks.same(size, body) == []
