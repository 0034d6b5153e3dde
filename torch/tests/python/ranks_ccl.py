"""The backend "ccl", served by anyccl, with the calls that SAR makes.

No package registry has SAR. So this program makes the calls of SAR, in their order and form:

- It imports the module while it sets communication up, and sets environment variables under several names.
- It passes rank and size to init_process_group, and asserts the name of the backend.
- Its lists have entries with different first dimensions. An empty entry is replaced by one row on both sides.
- The number of rounds is agreed on by a tensor without dimensions.
- A pair of a ring is an all_to_all whose other entries have one element.
- Parameters are summed after all ranks but one have set theirs to zero.
"""

import importlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
import torch.distributed as dist

import harness
from ranks_sar import block, free_port, rows_between

# Backends that unmodified SAR accepts.
ACCEPTED = ("ccl", "nccl", "mpi", "gloo")


def test_init_process_group_by_the_name_of_ccl(comm):
    importlib.import_module("oneccl_bindings_for_pytorch")
    os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "127.0.0.1", str(comm.bcast(free_port()))
    for prefix in ("", "O", "I", "I_"):
        os.environ[f"{prefix}MPI_COMM_WORLD"], os.environ[f"{prefix}MPI_COMM_RANK"] = str(comm.size), str(comm.rank)
    dist.init_process_group(backend="ccl", rank=comm.rank, world_size=comm.size)
    assert dist.get_backend() in ACCEPTED and dist.get_backend() == "ccl"
    # Registering again does nothing.
    importlib.import_module("oneccl_bindings_for_pytorch").register()


def padded(tensor):
    """Returns a tensor of one row in place of an empty one."""
    return tensor if tensor.numel() else tensor.new(1, *tensor.size()[1:])


def test_lists_of_unequal_sizes(comm):
    sent = [padded(block(comm.rank, taker)) for taker in range(comm.size)]
    got = [padded(torch.full((rows_between(sender, comm.rank), 5), -1.0)) for sender in range(comm.size)]
    dist.all_to_all(got, sent)
    for sender, tensor in enumerate(got):
        rows = rows_between(sender, comm.rank)
        assert torch.equal(tensor[:rows], block(sender, comm.rank))
    # Once more without the padding, which only other backends need.
    got = [torch.full((rows_between(sender, comm.rank), 5), -1.0) for sender in range(comm.size)]
    dist.all_to_all(got, [block(comm.rank, taker) for taker in range(comm.size)])
    for sender, tensor in enumerate(got):
        assert torch.equal(tensor, block(sender, comm.rank))


def test_sizes_then_rounds_of_slices(comm):
    counts = [torch.Tensor([rows_between(comm.rank, taker)]).long() for taker in range(comm.size)]
    theirs = [torch.Tensor([-1]).long() for _ in range(comm.size)]
    dist.all_to_all(theirs, counts)
    assert [int(count) for count in theirs] == [rows_between(sender, comm.rank) for sender in range(comm.size)]
    rounds = torch.tensor(comm.rank + 1)
    dist.all_reduce(rounds, dist.ReduceOp.MAX)
    assert rounds.item() == comm.size
    sent = [torch.arange(12.0).reshape(6, 2) + comm.rank for _ in range(comm.size)]
    got = [torch.full((6, 2), -1.0) for _ in range(comm.size)]
    for step in range(3):
        part = slice(2 * step, 2 * step + 2)
        dist.all_to_all([tensor[part] for tensor in got], [tensor[part] for tensor in sent])
    for sender, tensor in enumerate(got):
        assert torch.equal(tensor, torch.arange(12.0).reshape(6, 2) + sender)


def test_one_pair_of_a_ring_at_a_time(comm):
    for step in range(comm.size):
        to, source = (comm.rank + step) % comm.size, (comm.rank - step) % comm.size
        sent, got = [[torch.Tensor([1.0]) for _ in range(comm.size)] for _ in range(2)]
        sent[to] = torch.full((3, 2), float(comm.rank))
        got[source] = torch.empty(3, 2)
        dist.all_to_all(got, sent)
        assert torch.equal(got[source], torch.full((3, 2), float(source)))


def test_parameters_and_gradients_by_sums(comm):
    torch.manual_seed(comm.rank)
    model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3))
    model[1].num_batches_tracked.fill_(7 - comm.rank)
    torch.manual_seed(0)
    expected = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3))
    expected[1].num_batches_tracked.fill_(7)
    state = model.state_dict()
    for value in state.values():
        if comm.rank:
            value.zero_()
        dist.all_reduce(value, op=dist.ReduceOp.SUM)
    model.load_state_dict(state)
    for name, value in expected.state_dict().items():
        assert torch.equal(model.state_dict()[name], value), name
    for parameter in model.parameters():
        parameter.grad = torch.full_like(parameter, comm.rank + 1.0)
        dist.all_reduce(parameter.grad, op=dist.ReduceOp.SUM)
        assert (parameter.grad == comm.size * (comm.size + 1) / 2).all()


def test_the_module_refuses_to_hide_that_of_intel(comm):
    """Fakes a package of another name that contains the module, as Intel's does."""
    if comm.rank:
        return
    with tempfile.TemporaryDirectory() as folder:
        info = Path(folder) / "oneccl_bind_pt-2.8.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: oneccl_bind_pt\nVersion: 2.8.0\n")
        (info / "RECORD").write_text("oneccl_bindings_for_pytorch/__init__.py,,\n")
        (info / "top_level.txt").write_text("oneccl_bindings_for_pytorch\n")
        path = os.pathsep.join([*filter(None, sys.path), folder])
        done = subprocess.run([sys.executable, "-c", "import oneccl_bindings_for_pytorch"], text=True, capture_output=True,
                              env={**os.environ, "PYTHONPATH": path})
        assert done.returncode != 0 and "oneccl_bind_pt is installed" in done.stderr, done.stderr
        setup = Path(__file__).resolve().parents[2] / "ccl-compat" / "setup.py"
        done = subprocess.run([sys.executable, setup, "--version"], text=True, capture_output=True, cwd=setup.parent,
                              env={**os.environ, "PYTHONPATH": path})
        assert done.returncode != 0 and "uninstall it first" in done.stderr, done.stderr


def test_deepspeed_is_told_that_there_is_no_operator_of_its_own(comm):
    """Does what DeepSpeed 0.19 does with the module, in its order. Its accelerator imports the module. Then
    its builder is imported, and builds an operator that needs oneCCL.
    (deepspeed/accelerator/cpu_accelerator.py, ops/op_builder/cpu/comm.py, comm/ccl.py)"""
    if comm.rank:
        return
    with tempfile.TemporaryDirectory() as folder:
        builder = Path(folder) / "deepspeed" / "ops" / "op_builder" / "cpu"
        builder.mkdir(parents=True)
        for package in [builder, *builder.parents][:4]:
            (package / "__init__.py").write_text("")
        (builder / "comm.py").write_text(
            "class CCLCommBuilder:\n    def load(self, verbose=True):\n        raise ValueError('no CCL_ROOT')\n")
        program = "from deepspeed.ops.op_builder.cpu.comm import CCLCommBuilder; assert CCLCommBuilder().load() is None"
        path = os.pathsep.join([*filter(None, sys.path), folder])
        for first in ("", "import deepspeed.ops.op_builder.cpu.comm; "):
            done = subprocess.run([sys.executable, "-c", f"{first}import oneccl_bindings_for_pytorch; {program}"], text=True,
                                  capture_output=True, env={**os.environ, "PYTHONPATH": path})
            assert done.returncode == 0, done.stderr


def test_the_end(_comm):
    dist.destroy_process_group()


if __name__ == "__main__":
    harness.run(globals())
