"""Compares torch's own memory with memory that the other ranks read in place, in one run.

    OMP_NUM_THREADS=1 torchrun --standalone --nproc-per-node 2 torch/bench/compare_memory.py
    OMP_NUM_THREADS=1 torchrun --standalone --nproc-per-node 2 torch/bench/compare_memory.py --sizes 64M --work ddp,fsdp

It is ANYCCL_TORCH_MEMORY=shared, switched on and off between turns. `--work` names calls of compare_gloo.py, whose
tensors are made before the turns, and steps of training: forward, backward and SGD of four linear layers. Sizes are
bytes of the call, or of all gradients. "fsdp, asked" is FSDP2 that allocates its own buffers from the process group,
with torch's own memory for everything else. The table has medians of the rounds.
"""

import argparse
import statistics

import compare_gloo
import torch
import torch.distributed as dist
from anyccl import torch_backend
from torch.distributed.fsdp import fully_shard

LAYERS = 4
ROWS = 4


def training(model, width):
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    rows = torch.randn(ROWS, width)

    def step():
        optimizer.zero_grad()
        model(rows).square().mean().backward()
        optimizer.step()

    return step


def layers(count):
    width = max(16, int((count / LAYERS) ** 0.5) // 16 * 16)
    return torch.nn.Sequential(*(torch.nn.Linear(width, width) for _ in range(LAYERS))), width


def ddp(count, _group):
    model, width = layers(count)
    return training(torch.nn.parallel.DistributedDataParallel(model), width)


def fsdp(count, _group, asks=False):
    model, width = layers(count)
    mesh = dist.device_mesh.init_device_mesh("cpu", (dist.get_world_size(),))
    for layer in [*model, model]:
        fully_shard(layer, mesh=mesh)
        layer.set_allocate_memory_from_process_group_for_comm(asks)
    return training(model, width)


def fsdp_asked(count, group):
    return fsdp(count, group, asks=True)


WORK = {**compare_gloo.CALLS, "ddp": ddp, "fsdp": fsdp}


def measure(makers, count, rounds, seconds):
    """Returns the median of the seconds per call for each of [(make, whether tensors are shared)]."""
    share = torch_backend.load().share_tensors
    calls, results = [], [[] for _ in makers]
    for make, is_shared in makers:
        share(is_shared)
        calls.append(make(count, None))
        compare_gloo.run(calls[-1], 3, None)
    times = max(1, min(10_000, round(seconds / compare_gloo.run(calls[0], 3, None))))
    order = list(range(len(makers)))
    for round_ in range(rounds):
        for which in order if round_ % 2 else reversed(order):
            share(makers[which][1])
            results[which].append(compare_gloo.run(calls[which], times, None))
    share(False)
    return [statistics.median(result) for result in results]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="64K,1M,4M,16M,64M")
    parser.add_argument("--work", default=",".join(WORK))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--milliseconds", type=float, default=60)
    return parser.parse_args()


def main():
    args = arguments()
    dist.init_process_group("anyccl")
    if dist.get_rank() == 0:
        print(f"{dist.get_world_size()} ranks, torch {torch.__version__}, median of {args.rounds} rounds\n")
        print("| work | bytes | own | shared | times faster | fsdp, asked |\n| --- | --- | --- | --- | --- | --- |")
    for name in args.work.split(","):
        for text in args.sizes.split(","):
            make = WORK[name]
            makers = [(make, False), (make, True), *([(fsdp_asked, False)] if make is fsdp else [])]
            took = measure(makers, compare_gloo.size(text) // 4, args.rounds, args.milliseconds / 1e3)
            if dist.get_rank() == 0:
                own, shared, *asked = map(compare_gloo.time_text, took)
                print(f"| {name} | {text} | {own} | {shared} | {took[0] / took[1]:.2f} | {' '.join(asked)} |", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
