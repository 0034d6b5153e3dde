"""anyccl: collective communication on CPUs.

    import torch.distributed as dist
    dist.init_process_group("anyccl")           # PyTorch: nothing of this package has to be imported

    import anyccl
    comm = anyccl.Communicator.world()          # without PyTorch: NumPy arrays, anything with the buffer protocol

Importing this package is cheap. It does not import PyTorch; if PyTorch has been imported already, it
registers the backend.
"""

import importlib
import sys

from ._exports import NAMES, find

__all__ = [*NAMES, "register_backend"]


def register_backend():
    """Makes "anyccl" known to torch.distributed. torch calls this by itself, unless
    TORCH_DEVICE_BACKEND_AUTOLOAD is 0."""
    importlib.import_module("anyccl.torch_backend").register()


def __getattr__(name):
    # All other names of this package are imported when they are first used.
    return globals().setdefault(name, find(name))


def __dir__():
    return sorted([*globals(), *NAMES])


if "torch" in sys.modules:
    register_backend()
