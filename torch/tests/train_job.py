"""Training tools of torch, compared with one process that sees the whole batch. To be run under torchrun:

    torchrun --nproc-per-node 4 -m pytest -x torch/tests/train_job.py

test_training.py runs it on 2 and 4 ranks that have formed the group.
"""

import copy
import os
from datetime import timedelta

import pytest
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as checkpoint
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from torch.distributed.algorithms.join import Join
from torch.distributed.checkpoint.state_dict import get_model_state_dict, set_model_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

STEPS = 3
# Rows of the whole batch: 3 for each of 4 ranks.
ROWS = 12


@pytest.fixture(scope="module", autouse=True)
def job():
    has_group = dist.is_initialized()
    if not has_group:
        dist.init_process_group("anyccl", timeout=timedelta(seconds=60))
    yield
    if not has_group:
        dist.destroy_process_group()


@pytest.fixture
def ranks_and_me():
    return dist.get_world_size(), dist.get_rank()


class Net(torch.nn.Module):
    def __init__(self, inputs=8, width=12):
        super().__init__()
        self.first = torch.nn.Linear(inputs, width)
        self.second = torch.nn.Linear(width, 4)
        self.unused = torch.nn.Linear(2, 2)

    def forward(self, rows):
        return self.second(torch.relu(self.first(rows)))


def net():
    torch.manual_seed(1)
    return Net()


def batch():
    generator = torch.Generator().manual_seed(2)
    return torch.randn(ROWS, 8, generator=generator), torch.randn(ROWS, 4, generator=generator)


def my_part(tensor):
    return tensor.chunk(dist.get_world_size())[dist.get_rank()]


def train(model, rows, targets, steps=STEPS, optimizer=None, before_backward=None):
    optimizer = optimizer or torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(rows), targets).backward()
        optimizer.step()
    return model


def alone():
    """Returns the model that one process trains on the whole batch."""
    return train(net(), *batch())


def assert_same(model, reference, **tolerance):
    mine = {name: value.full_tensor() if isinstance(value, DTensor) else value for name, value in model.state_dict().items()}
    for name, expected in reference.state_dict().items():
        torch.testing.assert_close(mine[name.removeprefix("module.")], expected, **(tolerance or {"rtol": 1e-5, "atol": 1e-6}))


def parts():
    rows, targets = batch()
    return my_part(rows), my_part(targets)


@pytest.mark.parametrize(
    "options",
    [
        {"find_unused_parameters": True},
        {"find_unused_parameters": True, "gradient_as_bucket_view": True},
        {"static_graph": True},
        {"find_unused_parameters": True, "bucket_cap_mb": 0.0001},
    ],
    ids=str,
)
def test_ddp_learns_what_one_process_does(options):
    model = net()
    with torch.no_grad():
        # DDP starts from the parameters of rank 0.
        [parameter.add_(dist.get_rank()) for parameter in model.parameters()]
    ddp = DistributedDataParallel(model, **options)
    assert_same(train(ddp, *parts()).module, alone())


def test_ddp_accumulates_without_sync():
    ddp = DistributedDataParallel(net(), find_unused_parameters=True)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
    rows, targets = parts()
    with ddp.no_sync():
        torch.nn.functional.mse_loss(ddp(rows), targets).backward()
    torch.nn.functional.mse_loss(ddp(rows), targets).backward()
    optimizer.step()
    single = net()
    loss = 2 * torch.nn.functional.mse_loss(single(batch()[0]), batch()[1])
    loss.backward()
    torch.optim.SGD(single.parameters(), lr=0.1).step()
    assert_same(ddp.module, single)


def test_ddp_with_gradients_in_bfloat16():
    ddp = DistributedDataParallel(net(), find_unused_parameters=True)
    ddp.register_comm_hook(None, default_hooks.bf16_compress_hook)
    assert_same(train(ddp, *parts()).module, alone(), rtol=2e-2, atol=2e-2)


def test_ddp_with_power_sgd_gives_all_ranks_the_same():
    # The hook starts collectives in callbacks. Their order among other collectives may differ between ranks, so
    # there must be no others: one bucket, and no unused parameters.
    torch.manual_seed(4)
    ddp = DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(8, 12), torch.nn.ReLU(), torch.nn.Linear(12, 4)))
    state = powerSGD_hook.PowerSGDState(process_group=None, matrix_approximation_rank=4, start_powerSGD_iter=2)
    ddp.register_comm_hook(state, powerSGD_hook.powerSGD_hook)
    train(ddp, *parts(), steps=5)
    mine = torch.cat([parameter.detach().flatten() for parameter in ddp.parameters()])
    everybody = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(everybody, mine)
    assert all(torch.equal(other, mine) for other in everybody)


def test_ddp_joins_with_uneven_inputs(ranks_and_me):
    size, rank = ranks_and_me
    ddp = DistributedDataParallel(torch.nn.Linear(3, 1, bias=False))
    with torch.no_grad():
        ddp.module.weight.fill_(0)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=1.0)
    with Join([ddp]):
        for _ in range(rank + 1):
            optimizer.zero_grad()
            ddp(torch.ones(1, 3)).sum().backward()
            optimizer.step()
    # Step s is made by size - s ranks, and DDP divides its gradients by the number of all ranks.
    expected = -sum((size - step) / size for step in range(size))
    torch.testing.assert_close(ddp.module.weight.detach(), torch.full((1, 3), expected))


def test_zero_learns_what_one_process_does():
    ddp = DistributedDataParallel(net(), find_unused_parameters=True)
    zero = ZeroRedundancyOptimizer(ddp.parameters(), torch.optim.SGD, lr=0.1)
    assert_same(train(ddp, *parts(), optimizer=zero).module, alone())
    zero.consolidate_state_dict()


def sharded(mesh=None, **options):
    model = net()
    for layer in (model.first, model.second, model):
        fully_shard(layer, mesh=mesh, **options)
    return model


@pytest.mark.since(7, "FSDP2 on the CPU")
def test_fsdp2_learns_what_one_process_does(ranks_and_me):
    model = sharded(init_device_mesh("cpu", (ranks_and_me[0],)))
    assert_same(train(model, *parts()), alone())


@pytest.mark.since(8, "set_gradient_divide_factor()")
def test_fsdp2_with_a_divide_factor(ranks_and_me):
    size, _ = ranks_and_me
    model = sharded(init_device_mesh("cpu", (size,)))
    for layer in (model, model.first, model.second):
        # FSDP2 divides by the size anyway. With an explicit factor it uses a premultiplied sum for that.
        layer.set_gradient_divide_factor(float(size))
    assert_same(train(model, *parts()), alone())


@pytest.mark.since(7, "FSDP2 on the CPU")
def test_fsdp2_in_bfloat16(ranks_and_me):
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    model = sharded(init_device_mesh("cpu", (ranks_and_me[0],)), mp_policy=policy)
    rows, targets = parts()
    assert_same(train(model, rows.bfloat16(), targets.bfloat16()), alone(), rtol=5e-2, atol=5e-2)


@pytest.mark.since(8, "set_allocate_memory_from_process_group_for_comm()")
def test_fsdp2_with_buffers_in_shared_memory(ranks_and_me):
    model = sharded(init_device_mesh("cpu", (ranks_and_me[0],)))
    for layer in (model, model.first, model.second):
        layer.set_allocate_memory_from_process_group_for_comm(True)
    assert_same(train(model, *parts()), alone())


@pytest.mark.since(7, "FSDP2 on the CPU")
def test_hybrid_sharding_on_a_mesh_of_two_dimensions(ranks_and_me):
    size, _ = ranks_and_me
    if size < 4:
        pytest.skip("needs 4 ranks")
    mesh = init_device_mesh("cpu", (2, size // 2), mesh_dim_names=("replicate", "shard"))
    assert_same(train(sharded(mesh), *parts()), alone())


def test_tensor_parallel_is_dense(ranks_and_me):
    mesh = init_device_mesh("cpu", (ranks_and_me[0],))
    model = parallelize_module(net(), mesh, {"first": ColwiseParallel(), "second": RowwiseParallel()})
    assert_same(train(model, *batch()), alone())


@pytest.mark.since(7, "FSDP2 on the CPU")
def test_data_and_tensor_parallel_on_a_mesh_of_two_dimensions(ranks_and_me):
    size, rank = ranks_and_me
    if size < 4:
        pytest.skip("needs 4 ranks")
    mesh = init_device_mesh("cpu", (2, size // 2), mesh_dim_names=("data", "tensor"))
    model = parallelize_module(net(), mesh["tensor"], {"first": ColwiseParallel(), "second": RowwiseParallel()})
    for layer in (model.first, model.second, model):
        fully_shard(layer, mesh=mesh["data"])
    rows, targets = (tensor.chunk(2)[mesh.get_local_rank("data")] for tensor in batch())
    assert_same(train(model, rows, targets), alone())


PLACEMENTS = [Shard(0), Shard(1), Replicate()]


@pytest.mark.parametrize("before", PLACEMENTS, ids=str)
@pytest.mark.parametrize("after", PLACEMENTS, ids=str)
def test_dtensors_with_uneven_shards_are_redistributed(ranks_and_me, before, after):
    mesh = init_device_mesh("cpu", (ranks_and_me[0],))
    whole = torch.arange(13.0 * 7).reshape(13, 7)
    moved = distribute_tensor(whole.clone(), mesh, [before]).redistribute(placements=[after])
    assert torch.equal(moved.full_tensor(), whole)
    partial = DTensor.from_local(whole.clone(), mesh, [Partial()])
    assert torch.equal(partial.redistribute(placements=[after]).full_tensor(), whole * mesh.size())


def test_a_product_of_dtensors(ranks_and_me):
    mesh = init_device_mesh("cpu", (ranks_and_me[0],))
    one, other = torch.arange(13.0 * 5).reshape(13, 5), torch.arange(5.0 * 9).reshape(5, 9)
    product = distribute_tensor(one, mesh, [Shard(1)]) @ distribute_tensor(other, mesh, [Shard(0)])
    torch.testing.assert_close(product.full_tensor(), one @ other)


@pytest.mark.since(7, "FSDP2 on the CPU")
def test_a_checkpoint_is_read_by_another_number_of_ranks(ranks_and_me, tmp_path_factory):
    size, rank = ranks_and_me
    place = [str(tmp_path_factory.mktemp("checkpoint")) if rank == 0 else None]
    dist.broadcast_object_list(place)
    model = train(sharded(init_device_mesh("cpu", (size,))), *parts())
    checkpoint.save({"model": get_model_state_dict(model)}, checkpoint_id=place[0])
    # Half of the ranks read the checkpoint.
    half = dist.new_group(list(range(size // 2)))
    if rank < size // 2:
        fresh = Net()
        fully_shard(fresh, mesh=dist.DeviceMesh.from_group(half, "cpu") if size > 2 else single_mesh(half))
        state = {"model": get_model_state_dict(fresh)}
        checkpoint.load(state, checkpoint_id=place[0], process_group=half)
        set_model_state_dict(fresh, state["model"])
        assert_same(fresh, alone())
    dist.barrier()


def single_mesh(group):
    return torch.distributed.device_mesh.DeviceMesh.from_group(group, "cpu")


@pytest.mark.since(7, "a pipeline that scales its gradients")
@pytest.mark.fault_in(9, "a pipeline whose first messages have the datatype of their receivers")
def test_a_pipeline_learns_what_one_process_does(ranks_and_me):
    size, rank = ranks_and_me
    torch.manual_seed(3)
    layers = [torch.nn.Linear(8, 8) for _ in range(size)]
    reference = torch.nn.Sequential(*copy.deepcopy(layers))
    rows, targets = batch()[0], batch()[0].flip(0)
    stage = PipelineStage(layers[rank], rank, size, torch.device("cpu"))
    schedule = ScheduleGPipe(stage, n_microbatches=4, loss_fn=torch.nn.functional.mse_loss)
    if rank == 0:
        schedule.step(rows)
    elif rank == size - 1:
        schedule.step(target=targets, losses=[])
    else:
        schedule.step()
    torch.nn.functional.mse_loss(reference(rows), targets).backward()
    torch.testing.assert_close(layers[rank].weight.grad, reference[rank].weight.grad, rtol=1e-4, atol=1e-6)


def test_debugging_with_detail_finds_nothing(ranks_and_me):
    """Under TORCH_DISTRIBUTED_DEBUG=DETAIL torch compares the shapes of all ranks before each call."""
    before = os.environ.get("TORCH_DISTRIBUTED_DEBUG")
    os.environ["TORCH_DISTRIBUTED_DEBUG"] = "DETAIL"
    dist.set_debug_level_from_env()
    try:
        group = dist.new_group()
        tensor = torch.ones(3)
        dist.all_reduce(tensor, group=group)
        dist.barrier(group)
        assert tensor[0].item() == ranks_and_me[0]
    finally:
        if before is None:
            del os.environ["TORCH_DISTRIBUTED_DEBUG"]
        else:
            os.environ["TORCH_DISTRIBUTED_DEBUG"] = before
        dist.set_debug_level_from_env()
