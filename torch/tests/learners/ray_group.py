"""Calls every function of ray.util.collective on two actors, with the backend "anyccl". In the end one of them is killed,
and the other one learns of it. An argument --torch makes the tensors those of PyTorch."""

import contextlib
import sys

import anyccl
import anyccl.ray
import numpy
import ray
import ray.util.collective as collective
from ray.util.collective.types import ReduceOp

RANKS, GROUP = 2, "tested"


def tensor(values):
    if "--torch" not in sys.argv:
        return numpy.array(values, "float32")
    import torch

    return torch.tensor(values, dtype=torch.float32)


@ray.remote(num_cpus=0)
class Actor:
    def __init__(self, rank, arguments):
        sys.argv = arguments
        self.rank = rank

    def start(self):
        collective.init_collective_group(RANKS, self.rank, backend="anyccl", group_name=GROUP)

    def stop(self):
        collective.destroy_collective_group(GROUP)

    def test(self):
        self.reductions()
        self.lists()
        self.messages()
        collective.barrier(GROUP)

    def outlive(self):
        with contextlib.suppress(anyccl.PeerLostError):
            collective.barrier(GROUP)
            raise SystemExit("a barrier with the dead")

    def reductions(self):
        for op, expected in [(ReduceOp.SUM, 5), (ReduceOp.PRODUCT, 6), (ReduceOp.MIN, 2), (ReduceOp.MAX, 3)]:
            own = tensor([2.0 + self.rank] * 3)
            collective.allreduce(own, GROUP, op)
            assert own.tolist() == [expected] * 3, (op, own)
            own = tensor([2.0 + self.rank])
            collective.reduce(own, 1, GROUP, op)
            assert own.tolist() == [expected if self.rank == 1 else 2], (op, own)

    def lists(self):
        gathered = [tensor([0.0, 0.0]) for _ in range(RANKS)]
        collective.allgather(gathered, tensor([self.rank, 7.0]), GROUP)
        assert [one.tolist() for one in gathered] == [[0, 7], [1, 7]], gathered
        parts, own = [tensor([1.0 + self.rank]), tensor([10.0 + self.rank])], tensor([0.0])
        collective.reducescatter(own, parts, GROUP)
        assert own.tolist() == [[3], [21]][self.rank], own
        collective.reducescatter(parts[self.rank], parts, GROUP, ReduceOp.MAX)
        assert parts[self.rank].tolist() == [[2], [11]][self.rank], parts

    def messages(self):
        own = tensor([5.0 + self.rank])
        collective.broadcast(own, 1, GROUP)
        assert own.tolist() == [6], own
        if self.rank == 0:
            collective.send(tensor([9.0]), 1, GROUP)
        else:
            collective.recv(own, 0, GROUP)
            assert own.tolist() == [9], own


def main():
    ray.init(num_cpus=RANKS, include_dashboard=False, runtime_env={"worker_process_setup_hook": "anyccl.ray.register"})
    actors = [Actor.remote(rank, sys.argv) for rank in range(RANKS)]

    def each(*steps):
        for step in steps:
            ray.get([getattr(actor, step).remote() for actor in actors])

    each("start", "test", "stop")
    # A group of the same name, which the driver declares.
    anyccl.ray.register()
    collective.create_collective_group(actors, RANKS, list(range(RANKS)), "anyccl", GROUP)
    each("test", "stop", "start")
    ray.kill(actors[1])
    ray.get(actors[0].outlive.remote())
    print("all calls gave the right tensors")


if __name__ == "__main__":
    main()
