"""vLLM's communicator of a group of CPUs, over torch.distributed with anyccl.

vLLM makes one for each group: of tensor parallelism, of a pipeline, of experts. It inherits most calls from vLLM's base
class, which calls torch.distributed. torch.compile makes functional collectives of them.

What is here are calls that vLLM's own communicator for CPUs lacks: those with unequal parts, by which experts on several
data parallel ranks exchange tokens. The stages of a pipeline exchange dictionaries of tensors; without the two calls
for them vLLM would send these over its group of gloo.
"""

from typing import NamedTuple

import torch
import torch.distributed as dist

from . import refusal

try:
    from vllm.distributed.device_communicators.all2all import AgRsAll2AllManager
    from vllm.distributed.device_communicators.base_device_communicator import DeviceCommunicatorBase
except ImportError as missing:
    raise refusal(missing) from None


class Form(NamedTuple):
    """What the receiver of a tensor has to know."""

    dtype: torch.dtype
    shape: torch.Size


class Communicator(DeviceCommunicatorBase):
    # vLLM asks for it before it calls send_tensor_dict().
    supports_tensor_dict = True

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        if self.use_all2all:
            self.all2all_manager = AgRsAll2AllManager(self.cpu_group)

    def all_gatherv(self, input_, dim=0, sizes=None):
        """Returns the tensors of all ranks, joined along a dimension. `sizes` has the length of each rank's tensor in this
        dimension; without it, they are equal. A list of tensors gives a list."""
        if not isinstance(input_, torch.Tensor):
            return [self.all_gatherv(one, dim, sizes) for one in input_]
        if sizes is None:
            return self.all_gather(input_, dim)
        shape = list(input_.shape)
        shape[dim] = sum(sizes)
        output = input_.new_empty(shape)
        dist.all_gather(list(output.split(sizes, dim)), input_, group=self.device_group)
        return output

    def reduce_scatter(self, input_, dim=-1):
        """Returns this rank's part of the sum of all tensors, which are cut into equal parts along a dimension. The base
        class cuts another dimension than it was asked for from the third one on."""
        length, rest = divmod(input_.shape[dim], self.world_size)
        if rest:
            raise ValueError(f"{input_.shape[dim]} rows or columns cannot be cut into {self.world_size} equal parts")
        input_ = input_.movedim(dim, 0).contiguous()
        output = input_.new_empty((length, *input_.shape[1:]))
        dist.reduce_scatter_tensor(output, input_, group=self.device_group)
        return output.movedim(0, dim).contiguous()

    def reduce_scatterv(self, input_, dim=-1, sizes=None):
        """Returns this rank's part of the sum of all tensors. `sizes` has the length of each rank's part in a dimension;
        without it, they are equal."""
        if sizes is None:
            return self.reduce_scatter(input_, dim)
        parts = input_.split(sizes, dim)
        output = input_.new_empty(parts[self.rank_in_group].shape)
        dist.reduce_scatter(output, list(parts), group=self.device_group)
        return output

    def send_tensor_dict(self, tensor_dict, dst):
        """Sends a dictionary to a rank of this group. Its values are tensors, or anything that can be pickled."""
        forms = {key: Form(value.dtype, value.shape) if isinstance(value, torch.Tensor) else value
                 for key, value in tensor_dict.items()}
        dist.send_object_list([forms], self.ranks[dst], self.device_group)
        for value in tensor_dict.values():
            if isinstance(value, torch.Tensor):
                dist.send(value, self.ranks[dst], self.device_group)

    def recv_tensor_dict(self, src):
        """Returns the dictionary that a rank of this group sends."""
        received = [None]
        dist.recv_object_list(received, self.ranks[src], self.device_group)
        return {key: self.recv(value.shape, value.dtype, src) if isinstance(value, Form) else value
                for key, value in received[0].items()}

    # Experts: vLLM's own exchange, which is made of all_gatherv() and reduce_scatterv().

    def dispatch_router_logits(self, *arguments, **named):
        return self.all2all_manager.dispatch_router_logits(*arguments, **named)

    def dispatch(self, *arguments, **named):
        return self.all2all_manager.dispatch(*arguments, **named)

    def combine(self, *arguments, **named):
        return self.all2all_manager.combine(*arguments, **named)
