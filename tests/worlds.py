#!/usr/bin/env python3
"""Runs many simulated worlds (src/simulated_world), a process for each batch of seeds and for each processor.

    worlds.py [--first SEED] [--count SEEDS] [--batch SEEDS] [--minutes MINUTES]

Each batch is a run of the engine's tests with other seeds. A seed that fails is printed with the smallest job that was found, and the
others go on. --minutes ends it earlier, after the batches that run. `make test-worlds` runs a million.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEST = "simulated_world::tests::worlds_0"
# A batch ends itself after 500 s (sys::clock::tests::with_clock).
LIMIT_S = 1000


def test_program():
    """Builds the tests of the engine, and returns their program."""
    words = ["cargo", "test", "-p", "anyccl-engine", "--lib", "--no-run", "--message-format=json-render-diagnostics"]
    lines = subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    programs = [message["executable"] for message in map(json.loads, lines) if message.get("executable")]
    return programs[-1]


def run_batch(program, first, count):
    """Returns what is wrong with a batch of seeds; empty if nothing."""
    environment = os.environ | {"NEXTEST": "1", "ANYCCL_TEST_WORLD": str(first), "ANYCCL_TEST_WORLDS": str(count), "RUST_BACKTRACE": "0",
                                "ANYCCL_LOG": "off"}
    try:
        done = subprocess.run([program, "--exact", TEST], env=environment, capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return f"seeds {first} to {first + count - 1} have not ended\n"
    if done.returncode == 0 and "1 passed" in done.stdout:
        return ""
    found = re.search(r"^seed \d+: .*?^again: .*?$", done.stdout, re.MULTILINE | re.DOTALL)
    return found.group() if found else f"seeds {first} to {first + count - 1}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--batch", type=int, default=500)
    parser.add_argument("--minutes", type=float)
    options = parser.parse_args()
    program, begun, done, failures = test_program(), time.monotonic(), 0, 0
    is_over = False

    def batch(first):
        count = min(options.batch, options.first + options.count - first)
        return (0, "") if is_over else (count, run_batch(program, first, count))

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        starts = range(options.first, options.first + options.count, options.batch)
        for future in as_completed([pool.submit(batch, first) for first in starts]):
            count, wrong = future.result()
            done += count
            if wrong:
                failures += 1
                print(wrong, flush=True)
            minutes = (time.monotonic() - begun) / 60
            is_over = options.minutes is not None and minutes >= options.minutes
            if count:
                print(f"{done} of {options.count} seeds, {done / minutes:.0f} a minute, {failures} batches have failed", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
