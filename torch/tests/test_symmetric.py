"""Symmetric memory of torch on the CPU: torch.distributed._symmetric_memory."""

import os
import signal
import threading
from datetime import timedelta

import pytest
import ranks
import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symmetric
from ranks import Ended

RELEASE = tuple(int(number) for number in torch.__version__.split(".")[:2])
pytestmark = pytest.mark.skipif(RELEASE < (2, 15), reason="the symmetric memory of this torch is not served")
SIZES = [1, 2, 3, 4]


def rendezvous(*sizes, dtype=torch.float32, group=None):
    """Returns a tensor of zeros and its handle."""
    tensor = symmetric.empty(*sizes, dtype=dtype, device="cpu").zero_()
    return tensor, symmetric.rendezvous(tensor, group or dist.group.WORLD)


@pytest.mark.parametrize("size", SIZES)
def test_each_rank_writes_into_the_buffers_of_all(size):
    def body(rank, size):
        tensor, handle = rendezvous(size, 3)
        assert symmetric.get_backend("cpu") == "ANYCCL" and symmetric.is_symm_mem_tensor(tensor)
        assert (handle.rank, handle.world_size, handle.device) == (rank, size, torch.device("cpu"))
        assert handle.buffer_size == tensor.nbytes and handle.offset == 0 and handle.multicast_ptr == 0
        assert handle.buffer_ptrs[rank] == tensor.data_ptr() and len(set(handle.buffer_ptrs)) == size
        assert handle.world_within_direct_access if hasattr(handle, "world_within_direct_access") else True
        for round in range(20):
            for target in range(size):
                handle.get_buffer(target, (3,), torch.float32, 3 * rank).fill_(100 * round + rank)
            handle.barrier()
            assert tensor[:, 0].tolist() == [100 * round + source for source in range(size)]
            right = (rank + 1) % size
            assert torch.equal(handle.get_remote_tensor(right, (size, 3), torch.float32), tensor)
            handle.barrier(channel=1)
        return True

    assert ranks.same(size, body)


@pytest.mark.parametrize("size", SIZES)
def test_a_signal_says_that_the_data_before_it_is_there(size):
    def body(rank, size):
        tensor, handle = rendezvous(1, dtype=torch.int64)
        left, right = (rank - 1) % size, (rank + 1) % size
        for round in range(100):
            handle.get_buffer(right, (1,), torch.int64).fill_(round)
            handle.put_signal(right, round % 3)
            handle.wait_signal(left, round % 3)
            assert tensor.item() == round
            # The right neighbour has read it.
            handle.put_signal(left, 5)
            handle.wait_signal(right, 5)
        return handle.get_signal_pad(rank).sum().item()

    assert ranks.same(size, body) == 0


def test_a_second_signal_waits_until_the_first_one_was_taken():
    def body(rank, size):
        _, handle = rendezvous(1)
        if rank == 0:
            handle.put_signal(1, 2)
            with pytest.raises(dist.DistBackendError, match="put_signal to rank 1.*Timed out after 50 ms"):
                handle.put_signal(1, 2, 50)
            handle.put_signal(1, 3, 50)
        dist.barrier()
        if rank == 1:
            pad = handle.get_signal_pad(1, (8, 2), torch.uint32)
            assert [pad[2, 0].item(), pad[3, 0].item()] == [1, 1]
            handle.wait_signal(0, 2)
            handle.wait_signal(0, 3)
            with pytest.raises(dist.DistBackendError, match="wait_signal from rank 0.*Timed out after 50 ms"):
                handle.wait_signal(0, 2, 50)
            with pytest.raises(dist.DistBackendError, match="barrier, signal from rank 0.*Timed out after 50 ms"):
                handle.barrier(4, 50)
        return True

    assert ranks.same(2, body)


def test_a_put_that_sleeps_goes_on_when_its_signal_is_taken():
    ready = ranks.Sign()

    def body(rank, size):
        _, handle = rendezvous(1)
        if rank == 0:
            handle.put_signal(1)
            threading.Timer(0.1, ready.give).start()
            handle.put_signal(1)
        else:
            ready.wait()
            handle.wait_signal(0)
            handle.wait_signal(0)
        return True

    assert ranks.same(2, body)


def test_views_of_one_allocation_share_its_rendezvous():
    def body(rank, size):
        tensor, handle = rendezvous(10)
        again = symmetric.rendezvous(tensor, dist.group.WORLD)
        assert again.buffer_ptrs == handle.buffer_ptrs
        # torch takes the handle of the whole storage.
        part = symmetric.rendezvous(tensor[4:], dist.group.WORLD)
        assert (part.offset, part.buffer_size) == (0, 40)
        part.get_buffer(1 - rank, (6,), torch.float32, 4)[0] = 5
        handle.barrier()
        assert tensor[4] == 5
        handle.barrier()
        # The handle keeps the memory.
        del tensor
        other = symmetric.empty(10, device="cpu").fill_(1)
        handle.get_buffer(1 - rank, (10,), torch.float32).fill_(2)
        handle.barrier()
        assert (handle.get_buffer(rank, (10,), torch.float32) == 2).all() and (other == 1).all()
        return True

    assert ranks.same(2, body)


def test_many_allocations_come_and_go():
    def body(rank, size):
        for round in range(60):
            tensor, handle = rendezvous(1 + 100 * round)
            assert (tensor == 0).all()
            handle.barrier()
            if round % size == rank:
                # What the others still write does not come into memory of later ones.
                del tensor, handle
            else:
                handle.get_buffer(round % size, (1,), torch.float32).fill_(9)
        return True

    assert ranks.same(3, body)


def test_an_allocation_may_be_used_in_several_groups():
    def body(rank, size):
        tensor = symmetric.empty(4, device="cpu").zero_()
        everybody = symmetric.rendezvous(tensor, dist.group.WORLD)
        group, _ = dist.new_subgroups_by_enumeration([[0, 2], [1, 3]])
        pair = symmetric.rendezvous(tensor, group.group_name)
        assert pair.world_size == 2 and pair.rank == rank // 2
        pair.get_buffer(1 - pair.rank, (4,), torch.float32)[0] = rank
        pair.barrier()
        everybody.get_buffer((rank + 1) % 4, (4,), torch.float32)[1] = rank
        everybody.barrier()
        return tensor.tolist()[:2]

    assert ranks.values(4, body) == [[2, 3], [3, 0], [0, 1], [1, 2]]


def test_what_is_out_of_range_is_refused():
    def body(rank, size):
        tensor, handle = rendezvous(4)
        calls = [
            lambda: handle.put_signal(2),
            lambda: handle.wait_signal(-1),
            lambda: handle.put_signal(0, -1),
            lambda: handle.barrier(1 << 20),
            lambda: handle.get_buffer(2, (1,), torch.float32),
            lambda: handle.get_buffer(0, (5,), torch.float32),
            lambda: handle.get_buffer(0, (4,), torch.float32, 1),
        ]
        for number, call in enumerate(calls):
            with pytest.raises((ValueError, RuntimeError)):
                call()
                pytest.fail(f"call {number}")
        with pytest.raises(ValueError, match="not symmetric memory"):
            symmetric.rendezvous(torch.frombuffer(bytearray(16), dtype=torch.float32), dist.group.WORLD)
        return True

    assert ranks.same(2, body)


def test_allocations_of_different_sizes_are_refused_on_all_ranks():
    def body(rank, size):
        tensor = symmetric.empty(4 + 1000 * (rank == 1), device="cpu")
        with pytest.raises(ValueError, match="rank 0 has 16 bytes, and rank 1 has 4016") as error:
            symmetric.rendezvous(tensor, dist.group.WORLD)
        return str(error.value).splitlines()[0]

    ranks.same(3, body)


def test_a_group_of_another_backend_is_refused():
    def body(rank, size):
        group = dist.new_group(backend="gloo")
        with pytest.raises(RuntimeError, match="whose backend for the CPU is anyccl"):
            rendezvous(1, group=group)
        return True

    assert ranks.same(2, body)


def test_a_killed_rank_ends_waits_and_is_named():
    def body(rank, size):
        _, handle = rendezvous(1)
        handle.barrier()
        if rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        watch = ranks.Stopwatch()
        with pytest.raises(dist.DistBackendError, match="rank 1"):
            handle.barrier() if rank == 0 else handle.wait_signal(1)
        assert watch.own_seconds() < ranks.SOON
        return True

    results = ranks.run(3, body, clean=False)
    assert isinstance(results[1], Ended) and [results[0], results[2]] == [True, True], results


def test_an_abort_and_the_time_of_the_group_end_waits():
    def body(rank, size):
        _, handle = rendezvous(1)
        dist.distributed_c10d._set_pg_timeout(timedelta(milliseconds=200))
        with pytest.raises(dist.DistBackendError, match="Timed out after 200 ms"):
            handle.wait_signal(1 - rank)
        dist.distributed_c10d._set_pg_timeout(ranks.PATIENCE)
        dist.barrier()
        if rank == 1:
            threading.Timer(0.1, dist.group.WORLD._get_backend(torch.device("cpu")).abort).start()
        watch = ranks.Stopwatch()
        with pytest.raises(dist.DistBackendError, match="abort"):
            handle.wait_signal(1 - rank)
        return watch.own_seconds()

    assert max(ranks.values(2, body, clean=False)) < ranks.SOON


def test_a_handle_outlives_its_group():
    def body(rank, size):
        tensor, handle = rendezvous(4)
        handle.barrier()
        dist.destroy_process_group()
        tensor.fill_(3)
        assert (handle.get_buffer(rank, (4,), torch.float32) == 3).all()
        with pytest.raises((RuntimeError, dist.DistBackendError)):
            handle.wait_signal(1 - rank, 7)
        return True

    assert ranks.same(2, body)


def test_a_forked_child_has_a_copy_and_no_memory_of_others():
    def body(rank, size):
        tensor = symmetric.empty(1000, device="cpu").fill_(rank)
        handle = symmetric.rendezvous(tensor, dist.group.WORLD)
        child = os.fork()
        if child == 0:
            tensor.fill_(9)
            with pytest.raises(RuntimeError, match="of the process that this one was forked from"):
                handle.get_buffer(1 - rank, (10,), torch.float32)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        dist.barrier()
        return tensor.eq(rank).all().item() and handle.get_buffer(1 - rank, (10,), torch.float32).eq(1 - rank).all().item()

    assert ranks.run(2, body) == [True, True]
