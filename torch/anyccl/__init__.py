"""anyccl: collective communication on CPUs.

    import torch.distributed as dist
    dist.init_process_group("anyccl")           # PyTorch: nothing of this package has to be imported

    import anyccl
    comm = anyccl.Communicator()                # without PyTorch: NumPy arrays, anything with the buffer protocol

Importing this package costs little: PyTorch is not imported, but if it has been imported, the backend is registered.
"""

import importlib
import sys

# Where the names of this package live, which are imported when they are first used.
_LAZY = {"Communicator": "anyccl.communicator"}

__all__ = ["Communicator", "register_backend"]


def register_backend():
    """Makes "anyccl" known to torch.distributed. Releases with entry points do it by themselves."""
    importlib.import_module("anyccl.torch_backend").register()


def __getattr__(name):
    if name in _LAZY:
        return getattr(importlib.import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'anyccl' has no attribute {name!r}")


def __dir__():
    return sorted([*globals(), *_LAZY])


if "torch" in sys.modules:
    register_backend()
