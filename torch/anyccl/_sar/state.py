"""The communication of this process, set up once."""

import os
from datetime import timedelta
from typing import NamedTuple

import torch
import torch.distributed as dist

from .addresses import get_socket

# Variable that chooses the interface of each backend. anyccl reads SAR_SOCKET_NAME itself.
_INTERFACE_VARIABLES = {"gloo": "GLOO_SOCKET_IFNAME", "nccl": "NCCL_SOCKET_IFNAME"}


class _Place(NamedTuple):
    """This process's position in the job, and the arguments of initialize_comms."""

    rank: int
    world_size: int
    master_ip: str
    master_port: int
    backend: str
    comm_device: torch.device
    process: int


_place = None


def initialize_comms(_rank, _world_size, master_ip_address, backend="anyccl", _comm_device=None, master_port_number=12345,
                     timeout=None):
    """Sets communication up, on all ranks. Differences from SAR:

    - `backend` may be any backend that torch.distributed knows; the default is "anyccl". For "ccl", the module that
      serves it is imported.
    - No environment variable is overwritten. Address and port are passed to torch.distributed only. If
      SAR_SOCKET_NAME names an interface, and the backend needs a variable for it that is not set, it is set.
    - If torch.distributed is already set up, its default group is used, whatever its backend is. Its rank and size must
      be the given ones.
    - timeout: seconds that a call may wait for the other ranks; None: the default of torch.
    """
    global _place
    backend = backend.lower()
    if backend == "ccl":
        import oneccl_bindings_for_pytorch  # noqa: F401  The import registers the backend.
    if dist.is_initialized():
        if _place is not None and _place.process != os.getpid():
            raise RuntimeError("this process was forked from one that communicates, and cannot use its connections: start "
                               "workers with multiprocessing_context='spawn'")
        backend = dist.get_backend()
        if (dist.get_rank(), dist.get_world_size()) != (_rank, _world_size):
            raise ValueError(f"torch.distributed is set up already, as rank {dist.get_rank()} of {dist.get_world_size()}, not "
                             f"{_rank} of {_world_size}")
    else:
        if variable := os.environ.get("SAR_SOCKET_NAME") and _INTERFACE_VARIABLES.get(backend):
            os.environ.setdefault(variable, get_socket().name)
        host = f"[{master_ip_address}]" if ":" in master_ip_address else master_ip_address
        dist.init_process_group(backend, init_method=f"tcp://{host}:{master_port_number}", rank=_rank,
                                world_size=_world_size, timeout=None if timeout is None else timedelta(seconds=timeout))
    if _comm_device is None:
        _comm_device = "cuda" if backend == "nccl" else "cpu"
    _place = _Place(_rank, _world_size, master_ip_address, master_port_number, backend, torch.device(_comm_device),
                    os.getpid())


def is_initialized():
    """Returns whether initialize_comms has been called and its group still exists."""
    return _place is not None and dist.is_initialized()


def _initialized():
    if not is_initialized():
        raise RuntimeError("communication is not set up: call initialize_comms first")
    return _place


def rank():
    """Returns the rank of this process."""
    return _initialized().rank


def world_size():
    """Returns the number of ranks."""
    return _initialized().world_size


def master_ip():
    """Returns the address of rank 0 that initialize_comms was given."""
    return _initialized().master_ip


def master_port():
    """Returns the port that initialize_comms was given."""
    return _initialized().master_port


def backend():
    """Returns the name of the backend, in lower case."""
    return _initialized().backend


def comm_device():
    """Returns the device of the tensors that the backend sends."""
    return _initialized().comm_device
