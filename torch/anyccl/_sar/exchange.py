"""Tensors from every rank to every rank.

A list call is one `dist.all_to_all`, in which tensors may have any size, also none. anyccl, ccl by anyccl,
nccl and mpi support that. gloo does not: there a list call becomes a send and a receive per pair, each of
which is waited for.

All calls may be made from any thread, if all ranks make them in the same order.
"""

import torch
import torch.distributed as dist

from .state import backend, comm_device, rank, world_size


class Config:
    """Settings, with the names of SAR."""

    # Most elements that one rank sends and receives in one collective call; 0: no limit.
    max_collective_size = 0


def all_reduce(red_tensor, op=dist.ReduceOp.SUM, move_to_comm_device=False):
    """Combines a tensor over all ranks, in place. The tensor may have any strides."""
    tensor = red_tensor.to(comm_device()) if move_to_comm_device else red_tensor
    tensor = tensor.contiguous()
    dist.all_reduce(tensor, op)
    if tensor is not red_tensor:
        red_tensor.copy_(tensor)


def all_to_all(recv_tensors, send_tensors, move_to_comm_device=False):
    """Sends send_tensors[r] to rank r, and fills recv_tensors[r] with what rank r sends here. Each pair of
    ranks has its own first dimension. If that is 0, nothing is sent."""
    if not move_to_comm_device:
        return all_to_all_rounds(recv_tensors, send_tensors)
    received = [tensor.to(comm_device()) for tensor in recv_tensors]
    all_to_all_rounds(received, [tensor.to(comm_device()) for tensor in send_tensors])
    for tensor, there in zip(recv_tensors, received):
        if there is not tensor:
            tensor.copy_(there)
    return None


def all_to_all_rounds(recv_tensors, send_tensors):
    """Like all_to_all, in enough rounds that no rank exceeds Config.max_collective_size in one round. A row
    is never split, so rows that are too long exceed it."""
    if len(recv_tensors) != world_size() or len(send_tensors) != world_size():
        raise ValueError(f"{len(recv_tensors)} tensors to receive and {len(send_tensors)} to send; there must be "
                         f"{world_size()} each, one per rank")
    rounds = _number_of_rounds(recv_tensors, send_tensors)
    for number in range(rounds):
        _exchange([_part(tensor, number, rounds) for tensor in recv_tensors],
                  [_part(tensor, number, rounds) for tensor in send_tensors])


def _number_of_rounds(recv_tensors, send_tensors):
    limit = Config.max_collective_size
    if limit <= 0:
        return 1
    elements = sum(tensor.numel() for tensor in (*recv_tensors, *send_tensors))
    rounds = torch.tensor([max(1, -(-elements // limit))], device=comm_device())
    dist.all_reduce(rounds, dist.ReduceOp.MAX)
    return int(rounds)


def _part(tensor, number, rounds):
    """Returns the rows of one round. Both sides have the same number of rows and cut them in the same way.
    Each row belongs to one round."""
    if rounds == 1:
        return tensor
    rows = tensor.size(0)
    return tensor[rows * number // rounds : rows * (number + 1) // rounds]


def _exchange(recv_tensors, send_tensors):
    # A backend may need contiguous memory. Received data is copied back then.
    received = [tensor.contiguous() for tensor in recv_tensors]
    sent = [tensor.contiguous() for tensor in send_tensors]
    if backend() == "gloo":
        _exchange_pairwise(received, sent)
    else:
        dist.all_to_all(received, sent)
    for tensor, there in zip(recv_tensors, received):
        if there is not tensor:
            tensor.copy_(there)


def _exchange_pairwise(received, sent):
    me, size = rank(), world_size()
    others = [(me + step) % size for step in range(1, size)]
    requests = [dist.irecv(received[other], other) for other in others if received[other].numel()]
    requests += [dist.isend(sent[other], other) for other in others if sent[other].numel()]
    received[me].copy_(sent[me])
    for request in requests:
        request.wait()


def exchange_single_tensor(recv_idx, send_idx, recv_tensor, send_tensor):
    """Sends send_tensor to rank send_idx, and fills recv_tensor from rank recv_idx: one step of a ring. Only
    these ranks and this one take part."""
    if send_idx == recv_idx == rank():
        recv_tensor.copy_(send_tensor)
        return
    received, sent = recv_tensor.to(comm_device()).contiguous(), send_tensor.to(comm_device()).contiguous()
    steps = []
    if received.numel():
        steps.append(dist.P2POp(dist.irecv, received, recv_idx))
    if sent.numel():
        steps.append(dist.P2POp(dist.isend, sent, send_idx))
    for request in dist.batch_isend_irecv(steps) if steps else []:
        request.wait()
    if received is not recv_tensor:
        recv_tensor.copy_(received)


def exchange_tensors(tensors, recv_sizes=None):
    """Sends tensors[r] to rank r, and returns the list of tensors that came, each with as many rows as it was
    sent with. Without recv_sizes, the ranks first tell each other their numbers of rows."""
    first = tensors[0]
    if any(tensor.shape[1:] != first.shape[1:] or tensor.dtype != first.dtype for tensor in tensors):
        kinds = ", ".join(f"{tuple(tensor.shape)} {tensor.dtype}" for tensor in tensors)
        raise ValueError(f"tensors differ in more than their number of rows: {kinds}")
    if recv_sizes is None:
        sent = torch.tensor([tensor.size(0) for tensor in tensors], device=comm_device())
        received = torch.empty_like(sent)
        dist.all_to_all_single(received, sent)
        recv_sizes = received.tolist()
    arrived = [torch.empty(rows, *first.shape[1:], dtype=first.dtype, device=comm_device()) for rows in recv_sizes]
    all_to_all(arrived, [tensor.to(comm_device()) for tensor in tensors])
    return [tensor.to(first.device) for tensor in arrived]
