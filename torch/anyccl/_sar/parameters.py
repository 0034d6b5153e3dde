"""Parameters from one rank to all, gradients summed over all.

Many small tensors share a message. The ranks first compare what they have. If the models differ, or only some
ranks have a gradient, every rank raises an error that names the difference. In these cases SAR waits for ever
or computes wrong numbers.
"""

import hashlib

import torch
import torch.distributed as dist
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors

from .state import comm_device, world_size

# Most bytes of one message, unless a single tensor is larger. DistributedDataParallel has the same limit.
BUCKET_BYTES = 25 * 2**20


def sync_params(model):
    """Broadcasts the parameters and buffers of rank 0 to all ranks."""
    entries = [(name, value) for name, value in model.state_dict().items() if torch.is_tensor(value)]
    _compare("the models differ", [f"{name} {tuple(value.shape)} {value.dtype}" for name, value in entries])
    _for_each_bucket([value for _, value in entries], lambda whole: dist.broadcast(whole, 0, async_op=True))


def gather_grads(model):
    """Sums the gradients over all ranks, on all of them. These are sums, not averages: divide by the size for
    the mean.

    A parameter that has a gradient on no rank is left out. If only some ranks have the gradient of a
    parameter, every rank raises RuntimeError, and no gradient has changed.
    """
    named = [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]
    _compare("the models differ", [f"{name} {tuple(parameter.shape)} {parameter.dtype}" for name, parameter in named])
    _compare_presence(named)
    grads = [parameter.grad for _, parameter in named if parameter.grad is not None]
    for grad in grads:
        if grad.is_sparse:
            dist.all_reduce(grad)
    dense = [grad for grad in grads if not grad.is_sparse]
    _for_each_bucket(dense, lambda whole: dist.all_reduce(whole, async_op=True))


def _compare(what, lines):
    """Raises an error on every rank if their lists differ. It names the first line that differs."""
    digest = hashlib.sha256("\n".join(lines).encode()).digest()
    everybodys = _all_gather(list(digest))
    if (everybodys == everybodys[0]).all():
        return
    lists = [None] * world_size()
    dist.all_gather_object(lists, lines)
    for other in range(1, world_size()):
        if lists[other] != lists[0]:
            at = next(at for at in range(max(map(len, lists)) + 1) if lists[other][at : at + 1] != lists[0][at : at + 1])
            first, theirs = ("".join(one[at : at + 1]) or "nothing more" for one in (lists[0], lists[other]))
            raise RuntimeError(f"{what}: entry {at} is {first} on rank 0, {theirs} on rank {other}")


def _compare_presence(named):
    have = _all_gather([parameter.grad is not None for _, parameter in named])
    everywhere, somewhere = have.all(dim=0), have.any(dim=0)
    if torch.equal(everywhere, somewhere):
        return
    at = int((everywhere != somewhere).nonzero()[0])
    missing = [number for number in range(world_size()) if not have[number, at]]
    number = int((everywhere != somewhere).sum())
    more = f", and {number - 1} more parameters likewise" if number > 1 else ""
    ranks = ", ".join(map(str, missing))
    raise RuntimeError(f"parameter {named[at][0]} has no gradient on rank {ranks}, but on others{more}: use it on every rank, "
                       "or on none")


def _all_gather(numbers):
    """Returns the small numbers of all ranks, a row per rank."""
    mine = torch.tensor(numbers, dtype=torch.uint8, device=comm_device())
    everybodys = torch.empty(world_size() * len(numbers), dtype=torch.uint8, device=comm_device())
    if len(numbers):
        dist.all_gather_into_tensor(everybodys, mine)
    return everybodys.reshape(world_size(), -1).cpu()


def _for_each_bucket(tensors, start):
    """Starts a call on each bucket of tensors, waits for all, and copies the results back."""
    started = []
    for bucket in _buckets(tensors):
        on_device = [tensor.detach().to(comm_device()) for tensor in bucket]
        whole = _flatten_dense_tensors(on_device)
        started.append((bucket, on_device, whole, start(whole)))
    for bucket, on_device, whole, work in started:
        work.wait()
        with torch.no_grad():
            for tensor, result in zip(bucket, _unflatten_dense_tensors(whole, on_device)):
                tensor.copy_(result)


def _buckets(tensors):
    """Yields lists of tensors of one type, in the same order on all ranks."""
    open_buckets = {}
    for tensor in tensors:
        bucket, bytes_ = open_buckets.get(tensor.dtype, ([], 0))
        size = tensor.numel() * tensor.element_size()
        if bucket and bytes_ + size > BUCKET_BYTES:
            yield bucket
            bucket, bytes_ = [], 0
        open_buckets[tensor.dtype] = ([*bucket, tensor], bytes_ + size)
    for bucket, _ in open_buckets.values():
        yield bucket
