"""Every call of torch.distributed on CUDA tensors, with each datatype and operator: the cases of cases.py."""

import cases
import pytest
import ranks
import torch
import torch.distributed as dist


def outcome(case, *args):
    """Returns "yes" if the result of a case is right, what is wrong with it, or how the case was refused."""
    try:
        got, expected = case(*args)
    except Exception as refusal:
        dist.distributed_c10d._world.pg_coalesce_state.clear()
        return f"{type(refusal).__name__}: {str(refusal)[:200] if 'CUDA' in str(refusal) else ''}"
    return "yes" if got == expected else f"{got} instead of {expected}"


def compare(case, device, *args):
    """Returns the outcomes on the CPU and on a device, if they differ."""
    outcomes = []
    for cases.DEVICE in ("cpu", device):
        # A receive from any source must not get a message of the next case.
        dist.barrier()
        outcomes.append(outcome(case, *args))
    return outcomes if outcomes[0] != outcomes[1] else None


def use_gpu(rank, devices):
    """Gives this rank one of `devices` devices, if there are so many, for the tensors of the cases."""
    device = rank % min(devices, torch.cuda.device_count())
    torch.cuda.set_device(device)
    cases.DEVICE = f"cuda:{device}"
    return cases.DEVICE


# Several ranks share a device, or each pair has its own.
@pytest.mark.parametrize("size, devices", [(1, 1), (2, 1), (4, 2)])
@pytest.mark.parametrize("dtype", cases.DTYPES)
def test_every_call_gives_on_a_gpu_what_it_gives_on_the_cpu(size, devices, dtype):
    def body(rank, size):
        device = use_gpu(rank, devices)
        kind = cases.DTYPES[dtype]
        wrong = {}
        for name, case in cases.MOVES.items():
            # torch takes a message to the own rank for one of a rank outside of the group.
            if size > 1 or not ("send" in name or "recv" in name):
                wrong[name] = compare(case, device, kind, rank, size)
        for name, case in cases.REDUCTIONS.items():
            for operator, (make, _) in cases.OPERATORS.items():
                wrong[f"{name} {operator}"] = compare(case, device, make(), operator, kind, rank, size)
        return {name: why for name, why in wrong.items() if why}

    assert ranks.same(size, body, within=300) == {}


def test_ranks_with_and_without_a_gpu_share_a_group():
    def body(rank, size):
        if rank > 0:
            use_gpu(rank, 1)
        tensor = cases.numbers(rank, 1000, torch.float32)
        dist.all_reduce(tensor)
        return cases.plain(tensor) == cases.reduced("SUM", torch.float32, size, 1000)

    assert ranks.same(3, body)


@pytest.mark.parametrize("name", ["anyccl", "cpu:anyccl,cuda:anyccl"])
def test_one_group_serves_both_devices(name):
    def body(rank, size):
        for device in ("cpu", "cuda", "cpu"):
            tensor = torch.tensor([1.0 + rank]).to(device)
            dist.all_reduce(tensor)
            assert tensor.item() == 3
        dist.barrier(device_ids=[0])
        objects = [None] * size
        dist.all_gather_object(objects, rank)
        return objects, dist.get_backend(dist.group.WORLD)

    results = ranks.same(2, body, backend=name)
    assert results[0] == [0, 1]
