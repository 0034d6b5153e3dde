#!/usr/bin/env python3
"""Joins many ranks on two hosts over wires that lose frames: does each rank join in time, and is the first sum right?

    joining.py [--prefix INSTALLED] [--times N] [--seed N]

The ranks are threads of a few processes. Without root and iproute2 the test is left out.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from wire import Condition, Wire, why_not

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / "target" / "lossy-wire"


class World(NamedTuple):
    """Ranks that join, and when they connect."""

    ranks: int
    connect: str
    condition: Condition

    def __str__(self):
        return f"{self.ranks} ranks, ANYCCL_CONNECT={self.connect}, {self.condition}"


SYNS, FRAMES, FAR = Condition(syn_loss=0.05, delay_ms=1), Condition(loss=0.05, delay_ms=1), Condition(delay_ms=200)
WORLDS = [World(64, "start", SYNS), World(64, "demand", SYNS), World(8, "start", FAR)]
LONG_WORLDS = [World(512, "demand", SYNS), World(64, "start", FRAMES), World(512, "demand", FRAMES)]
PROCESSES = 8
# The timeout of each rank, for the join and for the sum.
SECONDS = 30
# When processes that still run are killed.
PATIENCE = 4 * SECONDS
# Most failures of a run that are printed.
LINES = 8


def build(prefix):
    WORK.mkdir(parents=True, exist_ok=True)
    lib = prefix / "lib"
    subprocess.run(["cc", "-O1", "-Wall", "-Werror", HERE / "joining.c", f"-I{prefix / 'include'}", f"-L{lib}", f"-Wl,-rpath,{lib}",
                    "-lanyccl", "-pthread", "-o", WORK / "joining"], check=True)


def join(world, wire):
    """Joins once. Returns what is wrong, and the seconds until the last rank has joined, and until it has the first sum."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ANYCCL_")}
    environment |= {"ANYCCL_CONNECT": world.connect, "ANYCCL_TIMEOUT_MS": str(SECONDS * 1000)}
    each = world.ranks // PROCESSES
    processes, own_id = [], []
    for at in range(PROCESSES):
        command = ["ip", "netns", "exec", wire.hosts[at % 2], WORK / "joining", str(at * each), str(each), str(world.ranks), *own_id]
        processes.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True))
        own_id = own_id or [processes[0].stdout.readline().strip()]
        if own_id[0].startswith("FAILED"):
            processes[0].wait()
            return own_id, [0, 0]
    wrong, times, deadline = [], [], time.monotonic() + PATIENCE
    for process in processes:
        try:
            said = process.communicate(timeout=max(0, deadline - time.monotonic()))[0].splitlines()
        except subprocess.TimeoutExpired:
            process.kill()
            said = [*process.communicate()[0].splitlines(), f"FAILED: not finished after {PATIENCE} s"]
        failures = [line for line in said if line.startswith("FAILED")]
        if process.returncode != 0 and not failures:
            failures = [f"FAILED: a process ended with {process.returncode}"]
        wrong += failures
        times += [] if failures else [[float(word) for word in said[-1].split()]]
    return wrong, [max(of_processes) for of_processes in zip(*times)] or [0, 0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--prefix", type=Path, default=ROOT / "target" / "test-prefix", help="where anyccl is installed")
    parser.add_argument("--times", type=int, default=5 if os.environ.get("ANYCCL_TEST_LONG") else 1, help="runs of each world")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("ANYCCL_TEST_SEED", 44)))
    options = parser.parse_args()
    reason = why_not()
    if reason:
        print(f"left out: joining over a lossy wire: {reason}")
        return
    print(f"seed {options.seed}, {options.times} runs of each world, {SECONDS} s for each", flush=True)
    build(options.prefix.resolve())
    failed = 0
    for world in WORLDS + (LONG_WORLDS if os.environ.get("ANYCCL_TEST_LONG") else []):
        for number in range(options.times):
            with Wire(world.condition, f"{options.seed} {number}") as wire:
                wrong, (joined, reduced) = join(world, wire)
            if (wire.lost > 0) != (world.condition.loss + world.condition.syn_loss > 0):
                wrong.append(f"FAILED: the wire has lost {wire.lost} frames")
            failed += bool(wrong)
            for line in wrong[:LINES]:
                print(f"{line} ({world})", flush=True)
            print(f"{world}: joined in {joined:.1f} s, first sum after {reduced:.1f} s; {wire.forwarded} frames, {wire.lost} lost, "
                  f"{wire.missed} missed, up to {wire.latest * 1000:.0f} ms late", flush=True)
    if failed:
        sys.exit(f"{failed} worlds have failed")


if __name__ == "__main__":
    main()
