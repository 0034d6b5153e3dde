"""A program for gloo that knows nothing of anyccl. test_as_gloo.py runs it on gloo and in the place of it.

Prints one JSON object per rank: what each thing gave that torch does by the name, and which class did it.
"""

import json
import os
import pickle
import sys
from datetime import timedelta

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
import torch.distributed.checkpoint as checkpoint
from torch.distributed import distributed_c10d
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate, Shard, distribute_tensor
from torch.nn.parallel import DistributedDataParallel

CPU = torch.device("cpu")
RELEASE = int(torch.__version__.split(".")[1])
# What torch's gloo does since these releases, as release 2.N.
SINCE = {"split_group": 15, "sharded": 7, "records": 8}


def total(group=None):
    tensor = torch.full((3,), 1.0 + dist.get_rank())
    dist.all_reduce(tensor, group=group)
    return tensor.tolist()


def names():
    world = dist.group.WORLD
    return [dist.get_backend(), world._get_backend_name(), world.name(), sorted(map(str, world._device_types)),
            dist.get_backend_config(), dist.is_backend_available("gloo")]


def device_maps():
    return [[dist.get_backend(group), total(group)]
            for group in map(lambda names: dist.new_group(backend=names), ["gloo", "cpu:gloo", "cpu:gloo,cuda:anyccl"])]


def subgroup():
    group = dist.new_group([0], backend="gloo")
    return total(group) if dist.get_rank() == 0 else group == dist.GroupMember.NON_GROUP_MEMBER


def split_group():
    group = dist.split_group(split_ranks=[[0, 1]], timeout=timedelta(seconds=50))
    return [dist.get_backend(group), total(group), group._get_backend(CPU).options._timeout.total_seconds()]


def objects():
    rank, size = dist.get_rank(), dist.get_world_size()
    gathered, sent, scattered, received = [None] * size, [{"from": 0} if rank == 0 else None], [None], [None] * size
    dist.all_gather_object(gathered, {"rank": rank})
    dist.broadcast_object_list(sent)
    dist.scatter_object_list(scattered, [f"part {one}" for one in range(size)] if rank == 0 else None)
    dist.gather_object(rank, received if rank == 0 else None)
    return [gathered, sent, scattered, received]


def monitored_barrier():
    return dist.monitored_barrier(timeout=timedelta(seconds=30), wait_all_ranks=True)


def messages():
    other, got = 1 - dist.get_rank(), torch.zeros(2)
    works = dist.batch_isend_irecv([dist.P2POp(dist.isend, torch.full((2,), float(other)), other),
                                    dist.P2POp(dist.irecv, got, other)])
    for work in works:
        work.wait()
    return got.tolist()


def functions():
    @torch.compile(backend="aot_eager", fullgraph=True)
    def compiled(tensor):
        return functional.all_reduce(tensor * 2, "sum", dist.group.WORLD) + 1

    return [functional.all_gather_tensor(torch.ones(1), 0, dist.group.WORLD).tolist(), compiled(torch.ones(2)).tolist()]


def by_hand():
    store = dist.PrefixStore("by hand", distributed_c10d._get_default_store())
    group = dist.ProcessGroupGloo(store, dist.get_rank(), dist.get_world_size(), timeout=timedelta(seconds=50))
    tensor = torch.full((2,), 1.0 + dist.get_rank())
    group.allreduce([tensor]).wait()
    options = dist.ProcessGroupGloo._Options()
    options._devices, options._timeout = [dist.ProcessGroupGloo.create_device(interface="lo")], timedelta(seconds=40)
    other = dist.ProcessGroupGloo(dist.PrefixStore("options", store), dist.get_rank(), dist.get_world_size(), options)
    other.barrier().wait()
    kinds = [isinstance(one, dist.ProcessGroupGloo) for one in (group, other, dist.group.WORLD)]
    return [tensor.tolist(), kinds, issubclass(type(group), distributed_c10d.ProcessGroupGloo)]


def timeouts():
    distributed_c10d._set_pg_timeout(timedelta(seconds=77))
    return dist.group.WORLD._get_backend(CPU).options._timeout.total_seconds()


def ddp():
    torch.manual_seed(1)
    model = DistributedDataParallel(torch.nn.Linear(4, 2))
    model(torch.full((3, 4), 1.0 + dist.get_rank())).sum().backward()
    logged = model._get_ddp_logging_data()
    return [model.module.weight.grad.tolist(), logged.get("backend_name"), logged.get("gloo_num_threads")]


def sharded(folder):
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    torch.manual_seed(2)
    model = torch.nn.Linear(4, 4)
    fully_shard(model, mesh=mesh)
    model(torch.ones(2, 4) * (1 + dist.get_rank())).sum().backward()
    tensor = distribute_tensor(torch.arange(12.0).view(6, 2), mesh, [Shard(0)])
    state = {"tensor": tensor * 2}
    checkpoint.save(state, checkpoint_id=folder)
    state["tensor"] = distribute_tensor(torch.zeros(6, 2), mesh, [Shard(0)])
    checkpoint.load(state, checkpoint_id=folder)
    gradient = model.weight.grad.full_tensor().tolist()
    # Before 2.9 the reduce_scatter of gloo gives the sum where FSDP2 asks for the average.
    return [gradient if RELEASE >= 9 else None, state["tensor"].redistribute(mesh, [Replicate()]).to_local().tolist()]


def records():
    """The flight recorder, and the profiler."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        total()
    entries = pickle.loads(torch._C._distributed_c10d._dump_fr_trace())["entries"]
    # From 2.11 to 2.14, torch lets its own backends alone write into the recorder.
    return [any("all_reduce" in entry["profiling_name"] for entry in entries) if RELEASE not in range(11, 15) else None,
            any(event.name == "gloo:all_reduce" for event in profile.events())]


def answer_of(fact, *args):
    """Returns what a fact tells, or "not in this torch", which then has to refuse it."""
    if RELEASE >= SINCE.get(fact.__name__, 0):
        return fact(*args)
    try:
        answer = fact(*args)
    except (AttributeError, RuntimeError):
        return "not in this torch"
    raise AssertionError(f"torch {torch.__version__} has {fact.__name__}: {answer}")


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    facts = {fact.__name__: answer_of(fact) for fact in (names, total, device_maps, subgroup, split_group, objects,
                                                         monitored_barrier, messages, functions, by_hand, timeouts, ddp, records)}
    facts["sharded"] = answer_of(sharded, sys.argv[1])
    backend = dist.group.WORLD._get_backend(CPU)
    served_by = type(getattr(backend, "wrapped_pg", backend)).__name__
    dist.destroy_process_group()
    line = json.dumps({"rank": int(os.environ["RANK"]), "served_by": served_by, "facts": facts})
    os.write(1, f"{line}\n".encode())


if __name__ == "__main__":
    main()
