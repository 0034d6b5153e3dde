"""Runs the programs of xtask: by the command in XTASK, which does not wait for cargo's lock, or by `cargo xtask`."""

import functools
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def xtask(*words):
    """Returns the command of an xtask."""
    return [*os.environ.get("XTASK", "cargo xtask").split(), *map(str, words)]


@functools.cache
def cuda_double():
    """Builds the CUDA driver for tests, and returns its folder."""
    return subprocess.run(xtask("cuda-double"), cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.split()[-1]
