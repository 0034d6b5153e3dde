"""What goes wrong with CUDA tensors ends in an exception, or in the error of a later call; nothing hangs."""

import os
import signal
from datetime import timedelta

import gpu
import pytest
import ranks
import torch
import torch.distributed as dist


def tensor_of(value, count=10):
    return torch.full((count,), float(value)).cuda()


def test_tensors_of_one_call_are_on_one_device():
    def body(rank, size):
        with pytest.raises(ValueError, match="tensors on cpu and on cuda:0 in one call"):
            backend = dist.group.WORLD._get_backend(torch.device("cuda"))
            backend.alltoall_base(torch.empty(2), tensor_of(1, 2), [], [], dist.AllToAllOptions())
        tensor = tensor_of(rank)
        dist.all_reduce(tensor)
        return tensor.cpu().tolist() == [1.0] * 10

    assert ranks.same(2, body)


def test_ranks_that_disagree_get_an_exception_and_their_streams_go_on():
    def body(rank, size):
        work = dist.all_reduce(tensor_of(1, 10 + rank), async_op=True)
        torch.cuda.synchronize()
        assert ranks.comes_true(work.is_completed)
        with pytest.raises(RuntimeError, match="all_reduce"):
            work.wait()
        with pytest.raises(RuntimeError, match="all_reduce"):
            dist.all_reduce(tensor_of(1))
        return type(work.exception()).__name__

    assert ranks.same(2, body, clean=False)


def test_a_killed_rank_fails_the_call_that_waits_for_it():
    def body(rank, size):
        dist.all_reduce(tensor_of(1))
        torch.cuda.synchronize()
        if rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        work = dist.all_reduce(tensor_of(1), async_op=True)
        torch.cuda.synchronize()
        assert ranks.comes_true(work.is_completed)
        with pytest.raises(RuntimeError, match="rank 1"):
            work.wait()
        return True

    assert ranks.run(2, body, clean=False)[0] is True


def test_a_rank_that_does_not_come_is_an_error_when_the_time_is_over():
    done = ranks.Sign()

    def body(rank, size):
        if rank == 1:
            done.wait()
            return True
        work = dist.all_reduce(tensor_of(1), async_op=True)
        with pytest.raises(RuntimeError, match="imed out"):
            work.wait(timedelta(seconds=20))
        torch.cuda.synchronize()
        done.give()
        return True

    assert ranks.same(2, body, timeout=timedelta(seconds=1), clean=False)


def test_abort_lets_streams_go_on():
    def body(rank, size):
        if rank == 0:
            work = dist.all_reduce(tensor_of(1), async_op=True)
            assert not work.is_completed()
            dist.group.WORLD._get_backend(torch.device("cuda")).abort()
            torch.cuda.synchronize()
            assert ranks.comes_true(work.is_completed)
            with pytest.raises(RuntimeError, match="abort"):
                work.wait()
        return True

    assert ranks.same(2, body, clean=False)


@gpu.needs_the_double
def test_nothing_is_left_on_the_device_by_many_calls():
    def body(rank, size):
        def calls():
            for _ in range(20):
                work = dist.all_reduce(tensor_of(rank, 1000), async_op=True)
                work.get_future().wait()
                dist.all_gather_into_tensor(torch.empty(2000, device="cuda"), tensor_of(rank, 1000))
            torch.cuda.synchronize()
            dist.barrier()

        calls()
        before = gpu.live_objects()
        for _ in range(3):
            calls()
        after = gpu.live_objects()
        same = ("allocations", "bytes", "streams", "pinned")
        return [name for name in same if name in before and after[name] > before[name]], sorted(before)

    wrong, names = ranks.same(2, body)
    assert wrong == [] and "allocations" in names
