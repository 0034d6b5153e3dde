"""PyTorch's CUDA graphs with calls of the backend "anyccl", and of "nccl" over anyccl's `libnccl.so.2`."""

import os

import pytest
import ranks
import torch
import torch.distributed as dist

needs_library = pytest.mark.skipif("libnccl" not in os.environ.get("LD_PRELOAD", ""), reason="needs ANYCCL_ROOT")

COUNT = 1000


def on_device(values):
    return torch.tensor(values, dtype=torch.float32).repeat(COUNT).to("cuda:0")


def passed(rank, size, give, take):
    """Passes a tensor around the ring."""
    sends = dist.P2POp(dist.isend, give, (rank + 1) % size)
    receives = dist.P2POp(dist.irecv, take, (rank - 1) % size)
    for work in dist.batch_isend_irecv([sends, receives]):
        work.wait()


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("name", [pytest.param("nccl", marks=needs_library), "anyccl"])
def test_a_graph_of_every_kind_of_call_follows_the_data(size, name, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")

    def body(rank, size):
        torch.cuda.set_device(0)
        has_messages = name == "nccl"
        given, scattered, received, reduced, told = (on_device([0.0]) for _ in range(5))
        gathered = on_device([0.0] * size)
        # The first call makes the communicators, outside of the capture.
        dist.all_reduce(reduced)
        if has_messages:
            passed(rank, size, given, received)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            reduced.copy_(given)
            dist.all_reduce(reduced)
            dist.all_gather_into_tensor(gathered, given)
            dist.reduce_scatter_tensor(scattered, gathered)
            told.copy_(given)
            dist.broadcast(told, 1)
            if has_messages:
                passed(rank, size, given, received)
        wrong = []
        for round in range(1, 6):
            given.copy_(on_device([round * (rank + 1.0)]))
            graph.replay()
            eager = reduced.clone()
            dist.all_reduce(eager)
            torch.cuda.synchronize()
            total = round * size * (size + 1) / 2
            found = {
                "all_reduce": (reduced, [total]),
                "eager": (eager, [total * size]),
                "reduce_scatter": (scattered, [round * size * (rank + 1.0)]),
                "broadcast": (told, [round * 2.0]),
            }
            if has_messages:
                found["send"] = received, [round * ((rank - 1) % size + 1.0)]
            wrong += [(round, name) for name, (tensor, right) in found.items() if set(tensor.cpu().tolist()) != set(right)]
            blocks = gathered.cpu().reshape(size, COUNT)
            wrong += [(round, "all_gather") for peer in range(size) if set(blocks[peer].tolist()) != {round * (peer + 1.0)}]
        return wrong

    assert ranks.same(size, body, backend=name, within=200) == []
