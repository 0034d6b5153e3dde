"""Every call of torch.distributed on CUDA tensors, with each datatype and operator: the cases of cases.py.

Each of them runs in one job, of one, two or four ranks. sample.py tells which, and how all of them run in all jobs.
"""

import cases
import pytest
import ranks
import sample
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


# (ranks, devices): several ranks share a device, or each pair has its own.
JOBS = [(1, 1), (2, 1), (4, 2)]
# Each call with each datatype and, where it reduces, each operator.
CELLS = [(name, None, dtype) for name in cases.MOVES for dtype in cases.DTYPES]
CELLS += [(name, operator, dtype) for name in cases.REDUCTIONS for operator in cases.OPERATORS for dtype in cases.DTYPES]


def cells_of(job):
    """Returns the cells that a job runs: each cell is in one job, or with ANYCCL_TEST_LONG=1 in all that can."""
    chosen = []
    for number, cell in enumerate(CELLS):
        # torch takes a message to the own rank for one of a rank outside of the group.
        possible = JOBS[1:] if "send" in cell[0] or "recv" in cell[0] else JOBS
        if job in possible if sample.IS_LONG else job == possible[sample.level(number, 0, len(possible))]:
            chosen.append(cell)
    return chosen


@pytest.mark.parametrize("job", JOBS, ids=str)
def test_every_call_gives_on_a_gpu_what_it_gives_on_the_cpu(job):
    chosen = cells_of(job)

    def body(rank, size):
        device = use_gpu(rank, job[1])
        wrong = {}
        for name, operator, dtype in chosen:
            if operator is None:
                why = compare(cases.MOVES[name], device, cases.DTYPES[dtype], rank, size)
            else:
                make, _ = cases.OPERATORS[operator]
                why = compare(cases.REDUCTIONS[name], device, make(), operator, cases.DTYPES[dtype], rank, size)
            if why:
                wrong[name, operator, dtype] = why
        return wrong

    assert ranks.same(job[0], body, within=600) == {}, f"ANYCCL_TEST_SEED={sample.SEED}"


def test_every_cell_is_in_a_job():
    assert sorted({cell for job in JOBS for cell in cells_of(job)}, key=str) == sorted(CELLS, key=str)


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
