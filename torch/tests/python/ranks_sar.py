"""Tests anyccl.sar on backends of torch.distributed: the result of each call.

    anyccl run -n 3 python ranks_sar.py [BACKEND...]
"""

import os
import sys
import threading

import torch
import torch.distributed as dist

import anyccl
import harness
from anyccl import sar
from ports import free_port

BACKEND = "anyccl"


def rows_between(sender, taker):
    """Returns how many rows a rank sends to another; some send none."""
    return (2 * sender + 3 * taker) % 4


def block(sender, taker, dtype=torch.float32):
    return torch.arange(5 * rows_between(sender, taker)).reshape(-1, 5).to(dtype) + 100 * sender + 10 * taker


def test_nfs_ip_init_does_not_believe_what_an_earlier_run_has_left(comm):
    folder = harness.shared_folder(comm)
    file = os.path.join(folder, "ip")
    if comm.rank == 0:
        with open(file, "w") as stale:
            stale.write("192.0.2.1\n")
    comm.Barrier()
    addresses = comm.allgather(sar.nfs_ip_init(comm.rank, file, comm.size, timeout=30))
    assert "192.0.2.1" not in addresses and all(addresses), addresses
    # The file was removed when all had come, so the next run finds nothing.
    comm.Barrier()
    assert not os.path.exists(file)
    comm.Barrier()
    # Called as SAR does: the process of rank 0 does not wait.
    assert sar.nfs_ip_init(comm.rank, file)
    comm.Barrier()


def test_addresses_of_this_host(comm):
    chosen = sar.get_socket()
    assert chosen.ips[0].ip and chosen.name == chosen.nice_name
    os.environ["SAR_SOCKET_NAME"] = "lo"
    try:
        assert sar.get_socket().ips[0].ip == "127.0.0.1"
        folder = harness.shared_folder(comm)
        file = os.path.join(folder, "plain")
        harness.refused(TimeoutError, lambda: sar.get_ip_address(file, timeout=0.1), file, "rank 0")
        comm.Barrier()
        if comm.rank == 0:
            assert sar.dump_ip_address(file) == "127.0.0.1"
        assert sar.get_ip_address(file, timeout=30) == "127.0.0.1"
        assert sar.nfs_ip_init(comm.rank, os.path.join(folder, "ip"), comm.size, timeout=30) in ("127.0.0.1", "::1")
        os.environ["SAR_SOCKET_NAME"] = "nosuch0"
        harness.refused(ValueError, sar.get_socket, "nosuch0", "lo")
    finally:
        del os.environ["SAR_SOCKET_NAME"]


def test_nothing_works_before_initialize_comms(comm):
    assert not sar.is_initialized()
    for call in (sar.rank, sar.world_size, sar.master_ip, sar.backend, lambda: sar.all_reduce(torch.ones(1))):
        harness.refused((RuntimeError, ValueError), call)


def test_initialize_comms_and_what_it_remembers(comm):
    before = dict(os.environ)
    port = comm.bcast(free_port())
    sar.initialize_comms(comm.rank, comm.size, "127.0.0.1", BACKEND, master_port_number=port, timeout=60)
    assert dict(os.environ) == before
    assert sar.is_initialized() and dist.get_backend() == BACKEND
    assert (sar.rank(), sar.world_size()) == (comm.rank, comm.size)
    assert (sar.master_ip(), sar.master_port(), sar.backend()) == ("127.0.0.1", port, BACKEND)
    assert sar.comm_device() == torch.device("cpu")
    # A second call uses the group that is there.
    sar.initialize_comms(comm.rank, comm.size, "127.0.0.1", BACKEND, master_port_number=port)
    harness.refused(ValueError, lambda: sar.initialize_comms(comm.rank, comm.size + 1, "127.0.0.1", BACKEND), "already")


def test_all_reduce(comm):
    for tensor in (torch.full((3,), comm.rank + 1), torch.full((2, 3), comm.rank + 1.0).T):
        sar.all_reduce(tensor, dist.ReduceOp.SUM, move_to_comm_device=True)
        assert (tensor == comm.size * (comm.size + 1) / 2).all()
    counts = torch.tensor(comm.rank)  # 0-dim, as SAR agrees on rounds
    sar.all_reduce(counts, dist.ReduceOp.MAX)
    assert counts == comm.size - 1


def test_all_to_all_of_every_size_and_in_rounds(comm):
    for limit in (0, 1, 7, 1000):
        sar.Config.max_collective_size = limit
        for dtype in (torch.float32, torch.int64):
            send = [block(comm.rank, taker, dtype) for taker in range(comm.size)]
            recv = [torch.full((rows_between(sender, comm.rank), 5), -1, dtype=dtype) for sender in range(comm.size)]
            sar.all_to_all(recv, send, move_to_comm_device=limit == 7)
            for sender, tensor in enumerate(recv):
                assert torch.equal(tensor, block(sender, comm.rank, dtype)), (limit, sender)
    sar.Config.max_collective_size = 0
    # Tensors with gaps in their memory, on both sides.
    wide = [torch.full((4, 2), -1.0) for _ in range(comm.size)]
    sar.all_to_all([tensor[:, 0] for tensor in wide], [torch.full((4, 3), float(comm.rank))[:, 1] for _ in range(comm.size)])
    for sender, tensor in enumerate(wide):
        assert tensor[:, 0].tolist() == [sender] * 4 and tensor[:, 1].tolist() == [-1] * 4
    harness.refused(ValueError, lambda: sar.all_to_all([], [], False), "one per rank")


def test_exchange_tensors_with_and_without_sizes(comm):
    sizes = [rows_between(sender, comm.rank) for sender in range(comm.size)]
    for recv_sizes in (None, sizes):
        got = sar.exchange_tensors([block(comm.rank, taker) for taker in range(comm.size)], recv_sizes)
        for sender, tensor in enumerate(got):
            assert torch.equal(tensor, block(sender, comm.rank))
    if comm.size > 1:
        other = [torch.zeros(1, 1 + taker % 2) for taker in range(comm.size)]
        harness.refused(ValueError, lambda: sar.exchange_tensors(other), "(1, 1)", "(1, 2)")


def test_exchange_single_tensor_round_the_ring_from_a_thread(comm):
    failures = []

    def ring():
        try:
            for step in range(comm.size):
                to, source = (comm.rank + step) % comm.size, (comm.rank - step) % comm.size
                got = torch.full((rows_between(source, comm.rank), 5), -1.0)
                sar.exchange_single_tensor(source, to, got, block(comm.rank, to))
                assert torch.equal(got, block(source, comm.rank)), step
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=ring)
    thread.start()
    thread.join()
    assert not failures, failures


class Model(torch.nn.Module):
    """A model with parameters and buffers of several types. One parameter is never used."""

    def __init__(self, width=4):
        super().__init__()
        self.first = torch.nn.Linear(width, 3)
        self.norm = torch.nn.BatchNorm1d(3)
        self.short = torch.nn.Parameter(torch.randn(5).to(torch.bfloat16))
        self.unused = torch.nn.Parameter(torch.randn(2))
        self.register_buffer("mask", torch.rand(7) > 0.5)
        self.register_buffer("empty", torch.zeros(0))


def test_sync_params_is_a_broadcast_of_everything(comm):
    torch.manual_seed(comm.rank)
    model = Model()
    model.norm.num_batches_tracked += comm.rank
    if comm.rank:
        model.first.weight.data.fill_(float("nan"))  # A sum would keep it.
    torch.manual_seed(0)
    expected = Model()
    sar.sync_params(model)
    for name, value in expected.state_dict().items():
        assert torch.equal(model.state_dict()[name], value), name
    if comm.size > 1:
        harness.refused(RuntimeError, lambda: sar.sync_params(Model(4 + (comm.rank == comm.size - 1))),
                        "first.weight (3, 4)", f"first.weight (3, 5) torch.float32 on rank {comm.size - 1}")


def test_gather_grads_sums_and_names_a_missing_gradient(comm):
    torch.manual_seed(7)
    model = Model()
    batches = [torch.randn(6, 4, generator=torch.Generator().manual_seed(rank)) for rank in range(comm.size)]
    grads = []
    for batch in batches:
        model.zero_grad()
        (model.norm(model.first(batch)).pow(3).sum() + model.short.float().sum()).backward()
        grads.append({name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None})
    for name, parameter in model.named_parameters():
        parameter.grad = grads[comm.rank][name].clone() if name in grads[comm.rank] else None
    mine = grads[comm.rank]
    if comm.size > 1:
        if comm.rank == 1:
            model.unused.grad = torch.ones(2)
        without = ", ".join(str(rank) for rank in range(comm.size) if rank != 1)
        harness.refused(RuntimeError, lambda: sar.gather_grads(model), "parameter unused", f"on rank {without}")
        model.unused.grad = None
        for name, parameter in model.named_parameters():
            assert name not in mine or torch.equal(parameter.grad, mine[name]), name
    sar.gather_grads(model)
    for name, parameter in model.named_parameters():
        if name in mine:
            torch.testing.assert_close(parameter.grad, sum(grad[name] for grad in grads))
    assert model.unused.grad is None


def test_tensors_larger_than_a_bucket(comm):
    from anyccl._sar import parameters

    parameters.BUCKET_BYTES, usual = 64, parameters.BUCKET_BYTES
    model = torch.nn.Sequential(torch.nn.Linear(30, 2), torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
    for parameter in model.parameters():
        parameter.grad = torch.full_like(parameter, comm.rank + 1.0)
    sar.gather_grads(model)
    parameters.BUCKET_BYTES = usual
    assert all((parameter.grad == comm.size * (comm.size + 1) / 2).all() for parameter in model.parameters())


def test_the_end(comm):
    dist.destroy_process_group()
    assert not sar.is_initialized()


if __name__ == "__main__":
    with anyccl.Communicator.world(timeout=harness.PATIENCE_SECONDS) as world:
        for BACKEND in sys.argv[1:] or [BACKEND]:
            print(f"by {BACKEND}:")
            harness.run_on(world, globals())
