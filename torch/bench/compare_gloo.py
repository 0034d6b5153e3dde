"""Compares gloo and anyccl through torch.distributed, in one run.

    torchrun --standalone --nproc-per-node 2 torch/bench/compare_gloo.py
    torchrun --standalone --nproc-per-node 2 torch/bench/compare_gloo.py --sizes 64K --calls all_reduce --rounds 9

The same processes form a group of each backend. Each point is measured in rounds. In each round both backends
take their turn; their order changes from round to round, so other load of the machine affects both. A turn
has as many calls as take about `--milliseconds`. Its time is that of the slowest rank, per call. The table
has the median of the rounds. Sizes are the bytes of the larger buffer of a rank: the input of all_reduce,
all_to_all and reduce_scatter, the output of all_gather. The last column is the time in which each rank copies
as many bytes from one tensor to another, all ranks at the same time.
"""

import argparse
import statistics
import time
from datetime import timedelta

import torch
import torch.distributed as dist

UNITS = {"K": 1 << 10, "M": 1 << 20}
BACKENDS = ["gloo", "anyccl"]


def all_reduce(count, group):
    tensor = torch.ones(count)
    return lambda: dist.all_reduce(tensor, dist.ReduceOp.MAX, group=group)


def all_to_all(count, group):
    one, other = torch.ones(count), torch.ones(count)
    return lambda: dist.all_to_all_single(other, one, group=group)


def all_gather(count, group):
    part, whole = torch.ones(count // dist.get_world_size()), torch.ones(count)
    return lambda: dist.all_gather_into_tensor(whole, part, group=group)


def reduce_scatter(count, group):
    part, whole = torch.ones(count // dist.get_world_size()), torch.ones(count)
    return lambda: dist.reduce_scatter_tensor(part, whole, group=group)


CALLS = {call.__name__: call for call in (all_reduce, all_to_all, all_gather, reduce_scatter)}


def copy(count, _group):
    one, other = torch.ones(count), torch.ones(count)
    return lambda: other.copy_(one)


def run(call, times, group):
    """Returns the seconds per call of the slowest rank."""
    dist.barrier(group)
    begin = time.perf_counter()
    for _ in range(times):
        call()
    took = torch.tensor([(time.perf_counter() - begin) / times], dtype=torch.float64)
    dist.all_reduce(took, dist.ReduceOp.MAX, group=group)
    return took.item()


def measure(make, bytes_, groups, rounds, seconds):
    """Returns the median of the seconds per call, for each backend and for a copy."""
    groups = {**groups, "copy": groups["anyccl"]}
    calls = {name: (copy if name == "copy" else make)(bytes_ // 4, group) for name, group in groups.items()}
    times, results = {}, {name: [] for name in groups}
    for name, group in groups.items():
        # A warm-up, and then a measurement that tells how many calls make a turn. The number is the same on
        # all ranks, because run() returns the same time on all of them.
        run(calls[name], 2, group)
        times[name] = max(1, min(10_000, round(seconds / run(calls[name], 3, group))))
    for round_ in range(rounds):
        for name in groups if round_ % 2 else reversed(groups):
            results[name].append(run(calls[name], times[name], groups[name]))
    return {name: statistics.median(result) for name, result in results.items()}


def size(text):
    return int(text[:-1]) * UNITS[text[-1]] if text[-1] in UNITS else int(text)


def time_text(seconds):
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1K,64K,4M,64M")
    parser.add_argument("--calls", default=",".join(CALLS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--milliseconds", type=float, default=60)
    return parser.parse_args()


def main():
    args = arguments()
    dist.init_process_group("anyccl", timeout=timedelta(seconds=60))
    groups = {name: dist.new_group(backend=name) for name in BACKENDS}
    if dist.get_rank() == 0:
        print(f"{dist.get_world_size()} ranks, torch {torch.__version__}, median of {args.rounds} rounds\n")
        print("| call | bytes | gloo | anyccl | times faster | copy |\n| --- | --- | --- | --- | --- | --- |")
    for name in args.calls.split(","):
        for text in args.sizes.split(","):
            took = measure(CALLS[name], size(text), groups, args.rounds, args.milliseconds / 1e3)
            if dist.get_rank() == 0:
                gloo, anyccl, copied = (time_text(took[which]) for which in (*BACKENDS, "copy"))
                print(f"| {name} | {text} | {gloo} | {anyccl} | {took['gloo'] / took['anyccl']:.1f} | {copied} |", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
