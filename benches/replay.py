#!/usr/bin/env python3
"""Records a training job of PyTorch, makes its calls again, and predicts it.

    benches/replay.py [--ranks 2] [--width 512] [--steps 60] [--runs 3] ANYCCL

ANYCCL is the installed tool. Python has PyTorch and this project's package for it. The job trains six linear layers with
DistributedDataParallel, one thread for each rank. Prints the whole times of `perf --replay` and `simulate --replay`, as parts of
the recorded ones.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile


def train(width, steps):
    import anyccl  # noqa: F401
    import torch
    import torch.distributed as dist
    from torch import nn

    torch.set_num_threads(1)
    dist.init_process_group("anyccl")
    torch.manual_seed(0)
    layers = nn.Sequential(*[nn.Sequential(nn.Linear(width, width), nn.ReLU()) for _ in range(6)])
    model = nn.parallel.DistributedDataParallel(layers, bucket_cap_mb=4)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    rows = torch.randn(64, width)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(rows).square().mean()
        loss.backward()
        optimizer.step()
        dist.all_reduce(loss.detach().clone())
    dist.barrier()
    dist.destroy_process_group()


def seconds(number, unit):
    return float(number) * {"s": 1, "ms": 1e-3, "us": 1e-6}[unit]


def whole(*command):
    """The recorded and the other time of the line that begins with "whole"."""
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [seconds(*time) for time in re.findall(r"([\d.]+) (m?s|us)", re.search(r"^ *whole.*$", text, re.M)[0])]


def run(anyccl, ranks, width, steps):
    job = [sys.executable, __file__, "--job", "--width", str(width), "--steps", str(steps), anyccl]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "ANYCCL_RECORD": folder, "OMP_NUM_THREADS": "1"}
        subprocess.run([anyccl, "run", "-n", str(ranks), "--", *job], check=True, env=environment)
        recorded, replayed = whole(anyccl, "perf", "-n", str(ranks), "--replay", folder)
        _, predicted = whole(anyccl, "simulate", "--replay", folder)
    print(f"{ranks} ranks, width {width}: recorded {recorded:.2f} s, replayed {replayed / recorded:.2f}", end=", ")
    print(f"predicted {predicted / recorded:.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--job", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("anyccl")
    arguments = parser.parse_args()
    if arguments.job:
        return train(arguments.width, arguments.steps)
    for _ in range(arguments.runs):
        run(arguments.anyccl, arguments.ranks, arguments.width, arguments.steps)


if __name__ == "__main__":
    main()
