"""`python -m anyccl.as_gloo`: runs a program for which anyccl serves torch's name "gloo".

    python -m anyccl.as_gloo script.py --epochs 3
    python -m anyccl.as_gloo -m package.module
    torchrun --nproc-per-node 4 -m anyccl.as_gloo script.py

It sets ANYCCL_TORCH_AS=gloo, and replaces this process by the same Python with the program. So the program is what
it would be without this module, and the processes that it starts inherit the variable. torch imports this package by
its entry point, and torch_backend registers it.
"""

import importlib.metadata
import importlib.util
import os
import subprocess
import sys

from . import _torch_release

VARIABLE = "ANYCCL_TORCH_AS"
AUTOLOAD = "TORCH_DEVICE_BACKEND_AUTOLOAD"
NAME = "gloo"


def refusal():
    """Returns why this Python cannot serve the name, and what to do. None: it can. Does not import torch."""
    if importlib.util.find_spec("torch") is None:
        return f"{sys.executable} has no torch"
    entries = importlib.metadata.entry_points()
    ours = entries.select(group="torch.backends") if hasattr(entries, "select") else entries.get("torch.backends", [])
    if not any(entry.name == "anyccl" for entry in ours):
        return f"{sys.executable} has the files of anyccl, but the package is not installed: pip install anyccl[torch]"
    if (autoload := os.environ.get(AUTOLOAD, "1")) != "1":
        return f"{AUTOLOAD}={autoload} keeps torch from loading packages such as anyccl: unset it"
    return _torch_release.mismatch(importlib.metadata.version("torch"))


def main():
    """Replaces this process by the program that the arguments name."""
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help"):
        sys.exit(__doc__)
    if reason := refusal():
        sys.exit(f"anyccl: the name {NAME!r} cannot be served: {reason}")
    os.environ[VARIABLE] = NAME
    os.execv(sys.executable, [sys.executable, *_flags(), *words])


def _flags():
    """Returns the options with which this Python was started, such as -u."""
    started_with = getattr(sys, "orig_argv", [])
    for at in range(1, len(started_with) - 1):
        if started_with[at : at + 2] == ["-m", __spec__.name]:
            return started_with[1:at]
    return subprocess._args_from_interpreter_flags()


if __name__ == "__main__":
    main()
