"""anyccl: collective communication on CPUs.

    import torch.distributed as dist
    dist.init_process_group("anyccl")           # PyTorch: nothing of this package has to be imported

    import anyccl
    comm = anyccl.Communicator.world()          # without PyTorch: NumPy arrays, anything with the buffer protocol

Importing this package costs little: PyTorch is not imported, but if it has been imported, the backend is registered.
"""

import importlib
import sys

from ._exports import NAMES, find

__all__ = [*NAMES, "register_backend"]


def register_backend():
    """Makes "anyccl" known to torch.distributed. torch calls it by itself, but for TORCH_DEVICE_BACKEND_AUTOLOAD=0."""
    importlib.import_module("anyccl.torch_backend").register()


def __getattr__(name):
    # The other names of this package, which are imported when they are first used.
    return globals().setdefault(name, find(name))


def __dir__():
    return sorted([*globals(), *NAMES])


if "torch" in sys.modules:
    register_backend()
