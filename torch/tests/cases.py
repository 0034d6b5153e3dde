"""Every call of torch.distributed that moves or reduces tensors, with each datatype and operator, and its
result.

Each rank of a group runs a case, and compares its result with one that is computed from the inputs of all
ranks. The numbers are small enough to be exact in every datatype.
"""

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional

DTYPES = {
    "f32": torch.float32,
    "f64": torch.float64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "e4m3": torch.float8_e4m3fn,
    "e5m2": torch.float8_e5m2,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "u8": torch.uint8,
    "u16": torch.uint16,
    "u32": torch.uint32,
    "u64": torch.uint64,
    "bool": torch.bool,
    "c64": torch.complex64,
    "c128": torch.complex128,
}
FACTOR = 2.0
# The device of all tensors that are given to a call. Everything is computed on the CPU.
DEVICE = "cpu"


def numbers(rank, count, dtype):
    """Returns the input of a rank."""
    return _numbers(rank, count, dtype).to(DEVICE)


def _numbers(rank, count, dtype):
    plain = [(k % 3) + 1 + rank for k in range(count)]
    if dtype is torch.bool:
        return torch.tensor([n % 2 == 0 for n in plain], dtype=dtype)
    if dtype.is_complex:
        return torch.tensor([complex(n, -n) for n in plain], dtype=dtype)
    return torch.tensor([float(n) for n in plain]).to(dtype) if dtype.is_floating_point else torch.tensor(plain, dtype=dtype)


def room(count, dtype):
    """Returns a tensor for a result."""
    return torch.empty(count, dtype=dtype, device=DEVICE)


def joined(parts):
    """Returns one tensor with the elements of all."""
    return torch.cat([part.cpu() for part in parts]).to(DEVICE)


def plain(tensor):
    """Returns the elements of a tensor as Python numbers."""
    tensor = tensor.cpu()
    return (tensor.double() if tensor.dtype.is_floating_point else tensor).flatten().tolist()


def _fold(operation):
    def fold(contributions):
        results = list(contributions[0])
        for other in contributions[1:]:
            results = [operation(a, b) for a, b in zip(results, other)]
        return results

    return fold


def _average(contributions):
    sums = _fold(lambda a, b: a + b)(contributions)
    if isinstance(sums[0], int):
        return [int(s / len(contributions)) for s in sums]
    return [s / len(contributions) for s in sums]


OPERATORS = {
    "SUM": (lambda: dist.ReduceOp.SUM, _fold(lambda a, b: a + b)),
    "PRODUCT": (lambda: dist.ReduceOp.PRODUCT, _fold(lambda a, b: a * b)),
    "MIN": (lambda: dist.ReduceOp.MIN, _fold(min)),
    "MAX": (lambda: dist.ReduceOp.MAX, _fold(max)),
    "AVG": (lambda: dist.ReduceOp.AVG, _average),
    "BAND": (lambda: dist.ReduceOp.BAND, _fold(lambda a, b: a & b)),
    "BOR": (lambda: dist.ReduceOp.BOR, _fold(lambda a, b: a | b)),
    "BXOR": (lambda: dist.ReduceOp.BXOR, _fold(lambda a, b: a ^ b)),
    "PREMUL_SUM": (
        lambda: dist._make_nccl_premul_sum(FACTOR),
        lambda contributions: _fold(lambda a, b: a + b)([[FACTOR * a for a in one] for one in contributions]),
    ),
}


def reduced(operator, dtype, size, count):
    """Returns the inputs of all ranks, reduced."""
    if dtype is torch.bool:
        # For booleans a sum is "or", and a product is "and".
        operator = {"SUM": "MAX", "PRODUCT": "MIN"}.get(operator, operator)
    result = OPERATORS[operator][1]([plain(numbers(rank, count, dtype)) for rank in range(size)])
    return [bool(r) for r in result] if dtype is torch.bool else result


# Calls that reduce: name -> function of (operator, name of the operator, dtype, rank, size) that returns
# (elements of the result, expected elements). A rank that gets no result returns ([], []).


def _all_reduce(op, name, dtype, rank, size):
    tensor = numbers(rank, 6, dtype)
    dist.all_reduce(tensor, op)
    return plain(tensor), reduced(name, dtype, size, 6)


def _all_reduce_coalesced(op, name, dtype, rank, size):
    tensors = [numbers(rank, 6, dtype), numbers(rank, 1, dtype)]
    dist.all_reduce_coalesced(tensors, op)
    return [n for t in tensors for n in plain(t)], reduced(name, dtype, size, 6) + reduced(name, dtype, size, 1)


def _reduce(op, name, dtype, rank, size):
    tensor = numbers(rank, 6, dtype)
    dist.reduce(tensor, size - 1, op)
    return (plain(tensor), reduced(name, dtype, size, 6)) if rank == size - 1 else ([], [])


def _reduce_scatter(op, name, dtype, rank, size):
    whole = numbers(rank, 3 * size, dtype)
    result = room(3, dtype)
    dist.reduce_scatter(result, list(whole.chunk(size)), op)
    return plain(result), reduced(name, dtype, size, 3 * size)[3 * rank : 3 * rank + 3]


def _reduce_scatter_tensor(op, name, dtype, rank, size):
    result = room(3, dtype)
    dist.reduce_scatter_tensor(result, numbers(rank, 3 * size, dtype), op)
    return plain(result), reduced(name, dtype, size, 3 * size)[3 * rank : 3 * rank + 3]


def _functional_all_reduce(op, name, dtype, rank, size):
    if name == "PREMUL_SUM":
        raise NotImplementedError("functional collectives take operators by name")
    result = functional.all_reduce(numbers(rank, 6, dtype), name.lower(), dist.group.WORLD)
    return plain(functional.wait_tensor(result)), reduced(name, dtype, size, 6)


REDUCTIONS = {
    "all_reduce": _all_reduce,
    "all_reduce_coalesced": _all_reduce_coalesced,
    "reduce": _reduce,
    "reduce_scatter": _reduce_scatter,
    "reduce_scatter_tensor": _reduce_scatter_tensor,
    "functional all_reduce": _functional_all_reduce,
}


# Calls that move: name -> function of (dtype, rank, size) that returns the same two lists.


def _everybody(size, count, dtype):
    return [n for rank in range(size) for n in plain(numbers(rank, count, dtype))]


def _broadcast(dtype, rank, size):
    tensor = numbers(rank, 6, dtype)
    dist.broadcast(tensor, size - 1)
    return plain(tensor), plain(numbers(size - 1, 6, dtype))


def _all_gather(dtype, rank, size):
    parts = [room(6, dtype) for _ in range(size)]
    dist.all_gather(parts, numbers(rank, 6, dtype))
    return [n for part in parts for n in plain(part)], _everybody(size, 6, dtype)


def _all_gather_unequal(dtype, rank, size):
    parts = [room(other, dtype) for other in range(size)]
    dist.all_gather(parts, numbers(rank, rank, dtype))
    return [plain(part) for part in parts], [plain(numbers(other, other, dtype)) for other in range(size)]


def _all_gather_into_tensor(dtype, rank, size):
    result = room(6 * size, dtype)
    dist.all_gather_into_tensor(result, numbers(rank, 6, dtype))
    return plain(result), _everybody(size, 6, dtype)


def _all_gather_coalesced(dtype, rank, size):
    parts = [[room(6, dtype), room(2, dtype)] for _ in range(size)]
    dist.all_gather_coalesced(parts, [numbers(rank, 6, dtype), numbers(rank, 2, dtype)])
    result = [n for part in parts for tensor in part for n in plain(tensor)]
    return result, [n for other in range(size) for count in (6, 2) for n in plain(numbers(other, count, dtype))]


def _gather(dtype, rank, size):
    parts = [room(6, dtype) for _ in range(size)] if rank == 0 else None
    dist.gather(numbers(rank, 6, dtype), parts, 0)
    return ([n for part in parts for n in plain(part)], _everybody(size, 6, dtype)) if rank == 0 else ([], [])


def _gather_single(dtype, rank, size):
    result = room(6 * size, dtype)
    options = dist.GatherOptions()
    options.rootRank = 0
    dist.group.WORLD.gather_single(result, numbers(rank, 6, dtype), options).wait()
    return (plain(result), _everybody(size, 6, dtype)) if rank == 0 else ([], [])


def _scatter(dtype, rank, size):
    parts = [numbers(other, 6, dtype) for other in range(size)] if rank == 0 else None
    result = room(6, dtype)
    dist.scatter(result, parts, 0)
    return plain(result), plain(numbers(rank, 6, dtype))


def _exchange(counts, dtype, rank, size, call):
    """Sends `counts(from, to)` numbers from each rank to each. Each pair's numbers begin differently from
    those of other pairs."""
    send = [numbers(rank + to, counts(rank, to), dtype) for to in range(size)]
    recv = [room(counts(other, rank), dtype) for other in range(size)]
    recv = call(recv, send)
    return [plain(part) for part in recv], [plain(numbers(other + rank, counts(other, rank), dtype)) for other in range(size)]


def _list_call(recv, send):
    dist.all_to_all(recv, send)
    return recv


def _single_call(recv, send):
    counts = [part.numel() for part in recv]
    result = room(sum(counts), recv[0].dtype)
    dist.all_to_all_single(result, joined(send), counts, [part.numel() for part in send])
    return result.split(counts)


def _equal_call(recv, send):
    result = room(sum(part.numel() for part in recv), recv[0].dtype)
    dist.all_to_all_single(result, joined(send))
    return result.chunk(len(recv))


def _all_to_all(dtype, rank, size):
    return _exchange(lambda one, other: 4, dtype, rank, size, _list_call)


def _all_to_all_unequal(dtype, rank, size):
    return _exchange(lambda one, other: one + 2 * other + 1, dtype, rank, size, _list_call)


def _all_to_all_zero(dtype, rank, size):
    return _exchange(lambda one, other: (one + other) % 2, dtype, rank, size, _list_call)


def _all_to_all_single(dtype, rank, size):
    return _exchange(lambda one, other: 4, dtype, rank, size, _equal_call)


def _all_to_all_single_unequal(dtype, rank, size):
    return _exchange(lambda one, other: (one + 2 * other) % 3, dtype, rank, size, _single_call)


def _send_recv(dtype, rank, size):
    result = room(6, dtype)
    if rank % 2 == 0:
        dist.send(numbers(rank, 6, dtype), (rank + 1) % size)
        dist.recv(result, (rank - 1) % size)
    else:
        dist.recv(result, (rank - 1) % size)
        dist.send(numbers(rank, 6, dtype), (rank + 1) % size)
    return plain(result), plain(numbers((rank - 1) % size, 6, dtype))


def _recv_any_source(dtype, rank, size):
    if rank == 0:
        received = {}
        for _ in range(size - 1):
            result = room(6, dtype)
            source = dist.recv(result)
            received[source] = plain(result)
        return received, {other: plain(numbers(other, 6, dtype)) for other in range(1, size)}
    dist.send(numbers(rank, 6, dtype), 0)
    return [], []


def _batch_isend_irecv(dtype, rank, size):
    result = room(6, dtype)
    ops = [
        dist.P2POp(dist.isend, numbers(rank, 6, dtype), (rank + 1) % size),
        dist.P2POp(dist.irecv, result, (rank - 1) % size),
    ]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    return plain(result), plain(numbers((rank - 1) % size, 6, dtype))


def _send_to_self(dtype, rank, size):
    result = room(6, dtype)
    work = dist.isend(numbers(rank, 6, dtype), rank)
    if work is None:
        raise NotImplementedError("torch takes a message to the own rank for one of a rank outside of the group")
    dist.recv(result, rank)
    work.wait()
    return plain(result), plain(numbers(rank, 6, dtype))


def _coalesced_gather(dtype, rank, size):
    results = [room(6 * size, dtype), room(2 * size, dtype)]
    with dist._coalescing_manager(device=torch.device(DEVICE)):
        for count, result in zip((6, 2), results):
            dist.all_gather_into_tensor(result, numbers(rank, count, dtype))
    return [plain(result) for result in results], [_everybody(size, count, dtype) for count in (6, 2)]


def _functional_all_to_all(dtype, rank, size):
    send = joined([numbers(rank + to, 2, dtype) for to in range(size)])
    result = functional.all_to_all_single(send, None, None, dist.group.WORLD)
    return plain(functional.wait_tensor(result)), [n for other in range(size) for n in plain(numbers(other + rank, 2, dtype))]


MOVES = {
    "broadcast": _broadcast,
    "all_gather": _all_gather,
    "all_gather, unequal sizes": _all_gather_unequal,
    "all_gather_into_tensor": _all_gather_into_tensor,
    "all_gather_coalesced": _all_gather_coalesced,
    "gather": _gather,
    "gather_single": _gather_single,
    "scatter": _scatter,
    "all_to_all": _all_to_all,
    "all_to_all, unequal sizes": _all_to_all_unequal,
    "all_to_all, some empty": _all_to_all_zero,
    "all_to_all_single": _all_to_all_single,
    "all_to_all_single, unequal splits": _all_to_all_single_unequal,
    "send, recv": _send_recv,
    "recv from any source": _recv_any_source,
    "batch_isend_irecv": _batch_isend_irecv,
    "send to itself": _send_to_self,
    "coalescing manager with a device": _coalesced_gather,
    "functional all_to_all_single": _functional_all_to_all,
}
