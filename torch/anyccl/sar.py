"""The functions of SAR's communication layer, on any backend of torch.distributed, by default on "anyccl".

    from anyccl import sar
    address = sar.nfs_ip_init(rank, "/shared/meeting")
    sar.initialize_comms(rank, world_size, address)
    received = sar.exchange_tensors(tensors)

SAR is a library for training graph networks on many machines. It is not needed here. Names, arguments and
meaning are those of sar.comm; docs/sar.md tells what differs.
"""

from ._sar.addresses import dump_ip_address, get_ip_address, get_socket, nfs_ip_init
from ._sar.exchange import (
    Config,
    all_reduce,
    all_to_all,
    all_to_all_rounds,
    exchange_single_tensor,
    exchange_tensors,
)
from ._sar.parameters import gather_grads, sync_params
from ._sar.state import (
    backend,
    comm_device,
    initialize_comms,
    is_initialized,
    master_ip,
    master_port,
    rank,
    world_size,
)

__all__ = [
    "Config",
    "all_reduce",
    "all_to_all",
    "all_to_all_rounds",
    "backend",
    "comm_device",
    "dump_ip_address",
    "exchange_single_tensor",
    "exchange_tensors",
    "gather_grads",
    "get_ip_address",
    "get_socket",
    "initialize_comms",
    "is_initialized",
    "master_ip",
    "master_port",
    "nfs_ip_init",
    "rank",
    "sync_params",
    "world_size",
]
