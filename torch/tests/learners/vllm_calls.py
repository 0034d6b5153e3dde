"""Makes every call of vLLM's groups on 2 and on 4 ranks, with the platform of VLLM_PLUGINS, and compares the results with
those of plain torch. The argument is a folder for files. vLLM is imported once, and the ranks are forked."""

import multiprocessing
import sys
import traceback

import torch
import torch.distributed as dist
from vllm.config import VllmConfig, set_current_vllm_config
from vllm.distributed import parallel_state
from vllm.platforms import current_platform


def tensor(rank, *shape, dtype=torch.float32):
    """Whole numbers, so that their sums are exact in each order. A rank knows those of all others."""
    return torch.randint(-8, 8, shape, generator=torch.Generator().manual_seed(rank)).to(dtype)


def same(got, expected):
    assert got.dtype == expected.dtype and torch.equal(got, expected), (got, expected)


def collectives(group, rank, size):
    for dtype in (torch.float32, torch.bfloat16):
        all_ = [tensor(other, 4, 8, 12, dtype=dtype) for other in range(size)]
        same(group.all_reduce(all_[rank].clone()), sum(all_))
        for dim in (0, 1, -1):
            same(group.all_gather(all_[rank], dim), torch.cat(all_, dim))
            same(group.reduce_scatter(all_[rank], dim), sum(all_).chunk(size, dim)[rank])
            gathered = group.gather(all_[rank], 1, dim)
            assert (gathered is not None) == (rank == 1)
            if rank == 1:
                same(gathered, torch.cat(all_, dim))
        same(group.broadcast(all_[rank].clone(), 1), all_[1])


def shaped(dim, length):
    return [length if dim in (at, at - 3) else 2 for at in range(3)]


def unequal(group, rank, size):
    """Rank 0 has nothing."""
    sizes = [3 * other for other in range(size)]
    for dim in (0, 1, -1):
        parts = [tensor(other, *shaped(dim, sizes[other])) for other in range(size)]
        same(group.all_gatherv(parts[rank], dim, sizes), torch.cat(parts, dim))
        all_ = [tensor(other, *shaped(dim, sum(sizes))) for other in range(size)]
        same(group.reduce_scatterv(all_[rank], dim, sizes), sum(all_).split(sizes, dim)[rank])
        all_ = [tensor(other, *shaped(dim, 3 * size)) for other in range(size)]
        same(group.reduce_scatterv(all_[rank], dim), sum(all_).chunk(size, dim)[rank])
        same(group.all_gatherv(all_[rank], dim), torch.cat(all_, dim))
    lists = [[tensor(other, sizes[other], 5), tensor(other, sizes[other], dtype=torch.int64)] for other in range(size)]
    for got, expected in zip(group.all_gatherv(lists[rank], 0, sizes), zip(*lists), strict=True):
        same(got, torch.cat(expected))
    output, all_ = torch.empty(sizes[rank], 5), [tensor(other, sum(sizes), 5) for other in range(size)]
    group.reduce_scatterv_into_output(all_[rank], output, 0, sizes)
    same(output, sum(all_).split(sizes)[rank])


def messages(group, rank, size):
    before, after = (rank - 1) % size, (rank + 1) % size
    sent = {"hidden": tensor(rank, 3, 4, dtype=torch.bfloat16).T, "empty": torch.empty(0, 4), "word": f"of {rank}"}
    for first in (0, 1):
        # A send is blocking: the ranks with even numbers send first.
        if rank % 2 == first:
            group.send(tensor(rank, 5, 2))
            group.send_tensor_dict(sent, after)
            group.send_object(("object", rank), after)
        else:
            same(group.recv(torch.Size([5, 2]), torch.float32), tensor(before, 5, 2))
            got = group.recv_tensor_dict(before)
            same(got["hidden"], tensor(before, 3, 4, dtype=torch.bfloat16).T)
            assert list(got) == list(sent) and got["empty"].shape == (0, 4) and got["word"] == f"of {before}", got
            assert group.recv_object(before) == ("object", before)


def objects(group, rank, _size):
    assert group.broadcast_object({"from": rank} if rank == 0 else None) == {"from": 0}
    got = group.broadcast_tensor_dict({"a": tensor(0, 3), "b": 4} if rank == 0 else None)
    same(got["a"], tensor(0, 3))
    assert got["b"] == 4
    group.barrier()


def mistakes(group, rank, size):
    for call, reason in [(lambda: group.reduce_scatter(tensor(rank, size + 1, 2), 0), "cannot be cut into"),
                         (lambda: group.reduce_scatterv(tensor(rank, size, 2), 0, [2] * size), "split_with_sizes expects"),
                         (lambda: group.all_gatherv(tensor(rank, 2), 0, [3] * size), "sends 2 elements, and the output")]:
        try:
            call()
        except (ValueError, RuntimeError) as raised:
            assert reason in str(raised), raised
        else:
            raise AssertionError(f"a call with wrong sizes has passed: {reason}")


def compiled(group, rank, size):
    """The model is compiled as one graph with the calls in it."""
    function = torch.compile(lambda one: group.all_gather(group.all_reduce(one * 2) + 1, -1), fullgraph=True, backend="aot_eager")
    same(function(tensor(rank, 3, 4)), torch.cat([sum(2 * tensor(other, 3, 4) for other in range(size)) + 1] * size, -1))


def run(rank, size, file):
    torch.set_num_threads(1)
    try:
        with set_current_vllm_config(VllmConfig()):
            parallel_state.init_distributed_environment(size, rank, f"file://{file}", rank, current_platform.dist_backend)
            parallel_state.initialize_model_parallel(size)
            group = parallel_state.get_tp_group()
            assert dist.get_backend(group.device_group) == "anyccl", dist.get_backend(group.device_group)
            assert type(group.device_communicator).__module__ == "anyccl.vllm.communicator", group.device_communicator
            for test in (collectives, unequal, messages, objects, mistakes, compiled):
                test(group, rank, size)
            parallel_state.destroy_model_parallel()
            # One pipeline over all ranks.
            parallel_state.initialize_model_parallel(1, size)
            messages(parallel_state.get_pp_group(), rank, size)
            parallel_state.destroy_model_parallel()
            parallel_state.destroy_distributed_environment()
    except BaseException:
        traceback.print_exc()
        sys.exit(1)


def main():
    fork = multiprocessing.get_context("fork")
    for size in (2, 4):
        ranks = [fork.Process(target=run, args=(rank, size, f"{sys.argv[1]}/ranks-{size}")) for rank in range(size)]
        for one in ranks:
            one.start()
        for one in ranks:
            one.join()
        assert [one.exitcode for one in ranks] == [0] * size, [one.exitcode for one in ranks]
    print("all calls gave the right tensors")


if __name__ == "__main__":
    main()
