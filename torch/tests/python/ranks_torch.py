"""anyccl.Communicator with torch: tensors as buffers, stores of torch, torchrun."""

import os

import torch
from torch.distributed import FileStore

import anyccl
import harness


def test_the_world_is_that_of_the_launcher(comm):
    names = ("ANYCCL_RANK", "ANYCCL_WORLD_SIZE") if "ANYCCL_RANK" in os.environ else ("RANK", "WORLD_SIZE")
    assert [comm.rank, comm.size] == [int(os.environ[name]) for name in names]


def test_tensors_of_torch(comm):
    for dtype in (torch.float32, torch.bfloat16, torch.int16, torch.bool, torch.complex64):
        got = torch.zeros(3, dtype=dtype)
        comm.Allreduce(torch.ones(3, dtype=dtype), got)
        expected = torch.ones(3, dtype=dtype) if dtype is torch.bool else torch.full((3,), comm.size, dtype=dtype)
        assert torch.equal(got, expected), (got, expected)
    across = torch.arange(6.0).reshape(2, 3).T
    got = torch.zeros(3, 2)
    comm.Allreduce(across, got)
    assert torch.equal(got, comm.size * across)
    harness.refused(anyccl.InvalidArgumentError, lambda: comm.Allreduce(across, torch.zeros(2, 3).T), "not contiguous",
                    "Tensor of shape (3, 2)")
    harness.refused(BufferError, lambda: comm.Bcast(torch.ones(1, requires_grad=True)), "detach")


def test_a_store_of_torch(comm):
    store = FileStore(os.path.join(harness.shared_folder(comm), "store"), comm.size)
    with anyccl.Communicator.from_store(store, comm.size, comm.rank, timeout=30) as other:
        assert other.allreduce(1) == comm.size


if __name__ == "__main__":
    harness.run(globals())
