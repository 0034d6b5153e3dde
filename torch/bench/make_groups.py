"""Measures the time to make a group, with gloo and with anyccl, in one run.

    torchrun --standalone --nproc-per-node 2 torch/bench/make_groups.py

Each round makes a group of all ranks, calls all_reduce once, and destroys the group. Both backends take
turns. The table has the median of the rounds for the slowest rank: of `new_group` alone, and of all three
steps. The three are timed together because the first call may do work that `new_group` has put off.
"""

import argparse
import statistics
import time

import torch
import torch.distributed as dist

BACKENDS = ["gloo", "anyccl"]


def one(backend):
    """Returns the seconds for `new_group`, and for all three steps."""
    dist.barrier()
    begin = time.perf_counter()
    group = dist.new_group(backend=backend)
    made = time.perf_counter() - begin
    dist.all_reduce(torch.ones(1), group=group)
    dist.destroy_process_group(group)
    took = torch.tensor([made, time.perf_counter() - begin], dtype=torch.float64)
    dist.all_reduce(took, dist.ReduceOp.MAX)
    return took.tolist()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25)
    args = parser.parse_args()
    dist.init_process_group("anyccl")
    results = {name: [] for name in BACKENDS}
    for round_ in range(args.rounds + 1):
        for name in BACKENDS if round_ % 2 else reversed(BACKENDS):
            results[name].append(one(name))
    if dist.get_rank() == 0:
        print(f"{dist.get_world_size()} ranks, torch {torch.__version__}, median of {args.rounds} rounds\n")
        print("| backend | new_group | with an all_reduce and destroy_process_group |\n| --- | --- | --- |")
        for name, times in results.items():
            # The first round is a warm-up.
            made, all_three = (1e3 * statistics.median(column) for column in zip(*times[1:]))
            print(f"| {name} | {made:.1f} ms | {all_three:.1f} ms |")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
