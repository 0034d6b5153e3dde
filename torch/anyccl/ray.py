"""The backend "anyccl" of `ray.util.collective`.

    import anyccl.ray                         # in each actor
    ray.util.collective.init_collective_group(2, rank, backend="anyccl")

Importing it registers the backend in this process. Ray starts each actor in a process of its own. With
`ray.init(runtime_env={"worker_process_setup_hook": "anyccl.ray.register"})` no actor has to import it.

The ranks find each other by Ray's key-value store. A rank that is killed while a group is made leaves its keys there
until the job of Ray ends. Then another group of the job needs another name.
"""

import ray
from ray.experimental import internal_kv
from ray.util.collective.backend_registry import _global_registry, register_collective_backend
from ray.util.collective.collective_group.base_collective_group import BaseGroup
from ray.util.collective.types import (
    AllReduceOptions, BarrierOptions, BroadcastOptions, ReduceOp, ReduceOptions, ReduceScatterOptions)

from ._arrays import IN_PLACE, sender
from ._communicator.operator import MAX, MIN, PRODUCT, SUM
from .communicator import Communicator

NAME = "anyccl"
OPERATORS = {ReduceOp.SUM: SUM, ReduceOp.PRODUCT: PRODUCT, ReduceOp.MIN: MIN, ReduceOp.MAX: MAX}
# Tag of all messages: Ray has none.
TAG = 0


def register():
    """Registers the backend in this process. A second call does nothing."""
    if not _global_registry.is_registered(NAME):
        register_collective_backend(NAME, Group)


class Store:
    """Ray's key-value store, for one group of one job."""

    def __init__(self, group):
        self._prefix = f"anyccl/{ray.get_runtime_context().get_job_id()}/{group}/"
        self._written = []

    def set(self, key, value):
        self._written.append(self._prefix + key)
        internal_kv._internal_kv_put(self._prefix + key, value)

    def get(self, key):
        """Returns the value of a key. None: it is not set yet."""
        return internal_kv._internal_kv_get(self._prefix + key)

    def remove(self):
        """Removes what this process has written. The next group may have the same name."""
        for key in self._written:
            internal_kv._internal_kv_del(key)


class Group(BaseGroup):
    """A group of `ray.util.collective`. Ray passes each tensor in a list, because a process may have several GPUs; here
    it has one element. Tensors are arrays of NumPy and tensors of PyTorch."""

    def __init__(self, world_size, rank, group_name):
        super().__init__(world_size, rank, group_name)
        store = Store(group_name)
        try:
            self._comm = Communicator.from_store(store, world_size, rank, name=group_name)
        finally:
            store.remove()

    @classmethod
    def backend(cls):
        """Returns the name under which Ray knows the backend."""
        return NAME.upper()

    @classmethod
    def check_backend_availability(cls):
        """Returns True: what is registered can be used."""
        return True

    def destroy_group(self):
        """Closes the communicator. All ranks of the group do so together."""
        self._comm.close()

    def allreduce(self, tensor, allreduce_options=AllReduceOptions()):
        self._comm.Allreduce(IN_PLACE, _only(tensor), OPERATORS[allreduce_options.reduceOp])

    def barrier(self, barrier_options=BarrierOptions()):
        self._comm.Barrier()

    def reduce(self, tensor, reduce_options=ReduceOptions()):
        tensor, root = _only(tensor), reduce_options.root_rank
        send, recv = (IN_PLACE, tensor) if self.rank == root else (tensor, None)
        self._comm.Reduce(send, recv, OPERATORS[reduce_options.reduceOp], root)

    def broadcast(self, tensor, broadcast_options=BroadcastOptions()):
        self._comm.Bcast(_only(tensor), broadcast_options.root_rank)

    def allgather(self, tensor_list, tensor, allgather_options=None):
        # The tensors of the list lie apart: sent to each rank from here, they need no copy.
        self._comm.Alltoall_list([_only(tensor)] * self.world_size, _only(tensor_list))

    def reducescatter(self, tensor, tensor_list, reducescatter_options=ReduceScatterOptions()):
        own, parts, op = _only(tensor), _only(tensor_list), OPERATORS[reducescatter_options.reduceOp]
        is_in_place = sender(own).address == sender(parts[self.rank]).address
        requests = []
        for root, part in enumerate(parts):
            send, recv = (IN_PLACE if is_in_place else part, own) if root == self.rank else (part, None)
            requests.append(self._comm.Ireduce(send, recv, op, root))
        for request in requests:
            request.Wait()

    def send(self, tensor, send_options):
        self._comm.Send(_only(tensor), send_options.dst_rank, TAG)

    def recv(self, tensor, recv_options):
        self._comm.Recv(_only(tensor), recv_options.src_rank, TAG)


def _only(list_):
    """Returns the element of a list that has one."""
    (element,) = list_
    return element


register()
