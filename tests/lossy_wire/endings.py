#!/usr/bin/env python3
"""Runs correct programs over wires that lose and delay frames: whatever way they end, each rank ends well.

    endings.py [--prefix INSTALLED] [--torch PYTHON] [--times N] [--seed N]

Two of three ranks share a host. A goodbye may then come before the data that was sent before it. Without root and iproute2 the test
is left out. --torch: a Python with PyTorch and this package, whose programs run once where others run five times, because each
process imports PyTorch.
"""

import argparse
import concurrent.futures
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from wire import Condition, Wire, why_not

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / "target" / "lossy-wire"
ENDINGS = [("native", "finalized"), ("native", "sent"), ("native", "destroyed"), ("mpi", "finalized"), ("mpi", "sent"),
           ("mpi", "freed"), ("nccl", "destroyed"), ("nccl", "finalized"), ("nccl", "aborted"), ("python", "closed"),
           ("python", "exited"), ("python", "freed"), ("python", "sent")]
ENDINGS_OF_TORCH = [("torch", "destroyed"), ("torch", "freed"), ("torch", "sent"), ("torch", "left open")]
TIMES_PER_RUN_OF_TORCH = 5
CONDITIONS = [Condition(loss=0.01, delay_ms=1, jitter_ms=20), Condition(loss=0.05, delay_ms=1, jitter_ms=5),
              Condition(delay_ms=20, jitter_ms=280)]
RANKS = [0, 0, 1]
# A lost packet at the start costs a second, two in a row three. A connection that has lost several makes a job take this long.
SECONDS = 240
JOBS_AT_A_TIME = 12
FIRST_PORT = 20_000


def build(prefix):
    WORK.mkdir(parents=True, exist_ok=True)
    include, lib, flags = prefix / "include", prefix / "lib", ["-O1", "-Wall", "-Werror"]
    commands = {
        "native": ["cc", *flags, f"-I{include}", f"-L{lib}", f"-Wl,-rpath,{lib}", "-lanyccl"],
        "mpi": [prefix / "bin" / "anyccl-mpicc", *flags],
        "nccl": ["cc", *flags, f"-L{lib}/anyccl/nccl", f"-Wl,-rpath,{lib}/anyccl/nccl", "-l:libnccl.so.2"],
    }
    for door, command in commands.items():
        source = HERE / f"endings_{door}.c"
        subprocess.run([command[0], source, *command[1:], "-o", WORK / f"endings_{door}"], check=True)


def programs(prefix, torch):
    """Returns the command of each door, and what it needs in its environment."""
    ours = {"PYTHONPATH": str(ROOT / "torch"), "ANYCCL_LIB": str(prefix / "lib")}
    compiled = {door: ([WORK / f"endings_{door}"], {}) for door in ("native", "mpi", "nccl")}
    return compiled | {"python": ([sys.executable, HERE / "endings_python.py"], ours),
                       "torch": ([torch, HERE / "endings_torch.py"], {})}


def run(wire, program, how, transport, port):
    """Runs one job. Returns what is wrong, or nothing."""
    command, needed = program
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ANYCCL_")}
    environment |= {"ANYCCL_WORLD_SIZE": str(len(RANKS)), "ANYCCL_STORE": f"tcp://10.77.0.1:{port}", "ANYCCL_TRANSPORT": transport,
                    "ANYCCL_TIMEOUT_MS": str(SECONDS * 1000 // 2)} | needed
    with tempfile.TemporaryDirectory(prefix="anyccl-wire-") as folder:
        command = [*command, how, f"{folder}/id"]
        ranks = [subprocess.Popen(["ip", "netns", "exec", wire.hosts[host], *command], env=environment | {"ANYCCL_RANK": str(rank)},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for rank, host in enumerate(RANKS)]
        wrong = []
        for rank, process in enumerate(ranks):
            try:
                said, _ = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                said = f"not finished after {SECONDS} s: {process.communicate()[0]}"
            if process.returncode != 0 or "FAILED" in said:
                wrong.append(f"rank {rank} ended with {process.returncode}: {said.strip()[:400]}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--prefix", type=Path, default=ROOT / "target" / "test-prefix", help="where anyccl is installed")
    parser.add_argument("--torch", type=Path, metavar="PYTHON", help="a Python with PyTorch and this package")
    parser.add_argument("--times", type=int, default=100 if os.environ.get("ANYCCL_TEST_LONG") else 2, help="runs of each ending")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("ANYCCL_TEST_SEED", 44)))
    options = parser.parse_args()
    reason = why_not()
    if reason:
        print(f"left out: endings over a lossy wire: {reason}")
        return
    print(f"seed {options.seed}, {options.times} runs of each ending over each wire", flush=True)
    prefix = options.prefix.resolve()
    build(prefix)
    doors, endings = programs(prefix, options.torch and options.torch.absolute()), options.times * ENDINGS
    if options.torch:
        endings += -(-options.times // TIMES_PER_RUN_OF_TORCH) * ENDINGS_OF_TORCH
    failed = 0
    for number, condition in enumerate(CONDITIONS):
        choice = random.Random(f"{options.seed} {number}")
        with Wire(condition, f"{options.seed} {number}") as wire, concurrent.futures.ThreadPoolExecutor(JOBS_AT_A_TIME) as pool:
            jobs = [(door, how, choice.choice(["auto", "tcp"])) for door, how in endings]
            choice.shuffle(jobs)

            def result(number):
                door, how, transport = jobs[number]
                return run(wire, doors[door], how, transport, FIRST_PORT + number)

            for (door, how, transport), wrong in zip(jobs, pool.map(result, range(len(jobs)))):
                failed += bool(wrong)
                for line in wrong:
                    print(f"FAILED {door}, {how}, {transport}, {condition}: {line}", flush=True)
            print(f"{condition}: {len(jobs)} jobs, {wire.forwarded} frames, {wire.lost} lost", flush=True)
    if failed:
        sys.exit(f"{failed} jobs have failed")


if __name__ == "__main__":
    main()
