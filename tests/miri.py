#!/usr/bin/env python3
"""Runs Rust tests by Miri, which finds undefined behaviour in unsafe code: tests/miri.py [NAME...]

Miri interprets a program and checks every access: bounds, alignment, initialised bytes, aliasing, data races. It knows few system
calls. So the tests are those of rooms that make none, and of the handle tables of the C API. A test there that uses the kernel all
the same is marked `cfg_attr(miri, ignore = "why")`.

A test is some hundred times slower than without Miri. So tests by samples try few of them, and the loops of some are shorter under
`cfg(miri)`. The groups of GROUPS run beside each other, as many as there are processors, each as one process. NAME is the beginning
of the name of a group.

Needs the toolchain nightly of Rust, with the components miri and rust-src. Ends with 1 if a test failed.
"""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nightly

ROOT = Path(__file__).resolve().parent.parent
ENGINE = "anyccl-engine"
# Each group of tests: its crate, and the beginnings of their names; and those that are left out.
GROUPS = {
    "edge": ("anyccl-edge", [""], []),
    "base": (ENGINE, ["base::"], []),
    "plan": (ENGINE, ["plan::"], []),
    "reduce": (ENGINE, ["reduce::"], []),
    # Arenas, windows and shared scratch are files in memory, which Miri does not know.
    "memory": (ENGINE, ["memory::"], ["memory::tests::"]),
    "sys": (ENGINE, ["sys::shared_values::", "sys::memory_copy::"], []),
    "shm": (ENGINE, ["transport::shm::protocol::", "transport::shm::pool::"], []),
    "executor": (ENGINE, ["executor::"], ["executor::scratch::"]),
    "p2p": (ENGINE, ["p2p::"], []),
}
# Samples of each property.
CASES = "4"


def command_of(name, environment):
    """The command that runs a group. Filters of a test program fit in the middle of a name too, so it gets whole names."""
    package, beginnings, left_out = GROUPS[name]
    command = ["cargo", "+nightly", "miri", "test", "-p", package, "--lib", "--"]
    listed = subprocess.run([*command, "--list", "--format", "terse"], cwd=ROOT, env=environment, check=True, text=True,
                            stdout=subprocess.PIPE).stdout.splitlines()
    tests = [line.removesuffix(": test") for line in listed if line.endswith(": test")]
    chosen = [test for test in tests if test.startswith(tuple(beginnings)) and not test.startswith(tuple(left_out))]
    if not chosen:
        sys.exit(f"{name}: no test begins with {' or '.join(beginnings)}")
    return [*command, "--exact", *chosen]


def run(name, environment):
    """Runs a group. Returns whether all its tests passed."""
    begun = time.monotonic()
    ended = subprocess.run(command_of(name, environment), cwd=ROOT, env=environment, check=False, text=True, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
    results = [line for line in ended.stdout.splitlines() if line.startswith("test result: ")]
    # A filter that fits no test any more would pass for ever.
    is_ok = ended.returncode == 0 and bool(results) and " 0 passed" not in results[-1]
    if not is_ok:
        print(ended.stdout, flush=True)
    print(f"{'ok' if is_ok else 'FAILED':7}{name:9}{time.monotonic() - begun:5.0f} s  {results[-1] if results else ''}", flush=True)
    return is_ok


def main():
    wanted = sys.argv[1:]
    names = [name for name in GROUPS if not wanted or any(name.startswith(word) for word in wanted)]
    if not names:
        sys.exit(f"no group begins so; there are {', '.join(GROUPS)}")
    if reason := nightly.why_missing(*nightly.NEEDED["miri"]):
        sys.exit(reason)
    environment = os.environ | {
        # Tests read the clock, and the variables of the environment.
        "MIRIFLAGS": f"-Zmiri-disable-isolation {os.environ.get('MIRIFLAGS', '')}",
        "PROPTEST_CASES": CASES,
        # Not the folder of the other builds: Miri has flags of its own.
        "CARGO_TARGET_DIR": str(ROOT / "target" / "miri"),
    }
    packages = [word for package in (ENGINE, "anyccl-edge") for word in ("-p", package)]
    build = ["cargo", "+nightly", "miri", "test", *packages, "--lib", "--no-run"]
    if subprocess.run(build, cwd=ROOT, env=environment, check=False).returncode:
        sys.exit(1)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        sys.exit(0 if all(list(pool.map(lambda name: run(name, environment), names))) else 1)


if __name__ == "__main__":
    main()
