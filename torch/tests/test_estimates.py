"""Estimates of time, which torch.compile asks for, and time-outs that are longer for a while."""

import threading
import time
from datetime import timedelta

import pytest
import ranks
import torch
import torch.distributed as dist

RELEASE = tuple(map(int, torch.__version__.split(".")[:2]))
pytestmark = pytest.mark.skipif(RELEASE < (2, 15), reason="torch has neither before 2.15")


def backend():
    return dist.group.WORLD._get_backend(torch.device("cpu"))


def estimated(call):
    with dist._time_estimator() as estimate:
        call()
    return estimate.estimated_time


def test_one_rank_alone_estimates_calls_that_are_not_made():
    def body(rank, size):
        one, both = torch.ones(1000), torch.zeros(2000)
        times = []
        if rank == 0:
            assert backend()._supports_time_estimate
            times = [
                estimated(lambda: dist.all_reduce(one)),
                estimated(lambda: dist.all_reduce(torch.ones(4_000_000))),
                estimated(lambda: dist.all_reduce(one, async_op=True).wait()),
                estimated(lambda: dist.all_gather_single(both, one)),
                estimated(lambda: dist.all_gather([torch.zeros(3), torch.zeros(5)], torch.ones(3))),
                estimated(lambda: dist.all_to_all_single(torch.zeros(4), torch.ones(4), [1, 3], [1, 3])),
                estimated(lambda: dist.send(one, 1)),
                estimated(lambda: dist.recv(one)),
                estimated(dist.barrier),
            ]
            assert both.eq(0).all() and one.eq(1).all()
            assert all(time > 0 for time in times) and times[0] < times[1]
            assert estimated(lambda: [dist.all_reduce(one), dist.all_reduce(one)]) == pytest.approx(2 * times[0])
        dist.all_reduce(one)
        return one.eq(2).all().item()

    assert ranks.run(2, body) == [True, True]


def test_a_functional_collective_is_estimated_as_the_compiler_does():
    def body(rank, size):
        name = dist.group.WORLD.group_name
        before = backend()._get_sequence_number_for_group()
        with dist._time_estimator(device=torch.device("cpu")) as estimate:
            sum_of_all = torch.ops._c10d_functional.all_reduce.default(torch.ones(1000), "sum", name)
            torch.ops._c10d_functional.wait_tensor.default(sum_of_all)
        assert backend()._get_sequence_number_for_group() == before
        made = torch.ops._c10d_functional.all_reduce.default(torch.ones(1), "sum", name)
        return estimate.estimated_time, torch.ops._c10d_functional.wait_tensor.default(made).item()

    (first, _), (second, made) = ranks.run(2, body)
    assert first == second > 0 and made == 2


def test_an_estimate_whose_body_throws_skips_no_later_call():
    def body(rank, size):
        one = torch.ones(1)
        with pytest.raises(ZeroDivisionError):
            estimated(lambda: 1 / 0)
        dist.all_reduce(one)
        with pytest.raises(ValueError, match="root 9 does not exist"):
            estimated(lambda: dist.broadcast(one, 9))
        dist.all_reduce(one)
        with pytest.raises(RuntimeError, match="monitored_barrier has no estimate"):
            estimated(dist.monitored_barrier)
        dist.all_reduce(one)
        with pytest.raises(RuntimeError, match="new_window has no estimate"):
            estimated(lambda: dist._new_window(backend().allocate_tensor(1, dtype=torch.float32, device=torch.device("cpu"))))
        dist.all_reduce(one)
        with pytest.raises(RuntimeError, match="without startTimeEstimate"):
            backend()._end_time_estimate()
        return one.item()

    assert ranks.same(2, body) == 16


def test_another_thread_makes_its_calls_meanwhile():
    def body(rank, size):
        one, other = torch.ones(1), dist.new_group()
        with dist._time_estimator() as estimate:
            thread = threading.Thread(target=lambda: dist.all_reduce(one, group=other))
            thread.start()
            thread.join()
        return one.item(), estimate.estimated_time

    assert ranks.same(2, body) == (2, 0)


def test_a_longer_time_out_lasts_until_the_first_work_after_it_has_ended():
    timed_out = ranks.Sign()

    def body(rank, size):
        group = dist.new_group(timeout=timedelta(milliseconds=300))
        backend_of_group = group._get_backend(torch.device("cpu"))
        backend_of_group._add_ephemeral_timeout(ranks.PATIENCE / 2)
        backend_of_group._add_ephemeral_timeout(ranks.PATIENCE / 2)
        if rank == 1:
            time.sleep(1)
        dist.all_reduce(torch.ones(1), group=group)
        if rank == 1:
            timed_out.wait()
            return True
        with pytest.raises(dist.DistBackendError, match="timeout 300 ms"):
            dist.all_reduce(torch.ones(1), group=group)
        timed_out.give()
        return True

    assert ranks.same(2, body)
