"""Works and futures: asynchrony, order, time-outs, and what profilers and recorders see."""

import threading
import time
from datetime import timedelta

import pytest
import ranks
import torch
import torch.distributed as dist


def test_an_asynchronous_call_moves_on_while_nobody_waits():
    def body(rank, size):
        tensor = torch.ones(1 << 20)
        work = dist.all_reduce(tensor, async_op=True)
        assert ranks.comes_true(work.is_completed) and work.is_success()
        assert tensor[0].item() == tensor[-1].item() == size
        return True

    assert ranks.same(2, body)


def test_a_future_is_not_complete_before_its_values_are_there():
    looked = ranks.Sign()

    def body(rank, size):
        if rank == 1:
            # Rank 0 must not have a result before this rank has arrived.
            looked.wait()
        tensor = torch.full((100_000,), float(rank + 1))
        future = dist.all_reduce(tensor, async_op=True).get_future()
        if rank == 0:
            assert not future.done()
            looked.give()
        doubled = future.then(lambda f: f.value()[0] * 2)
        return doubled.wait()[-1].item()

    assert ranks.same(2, body) == 6


def test_a_work_is_complete_before_its_future_is():
    def body(rank, size):
        seen = []
        for _ in range(200):
            work = dist.all_reduce(torch.ones(5000), async_op=True)
            work.get_future().then(lambda _: seen.append(work.is_completed())).wait()
        return all(seen) and len(seen) == 200

    assert ranks.same(2, body)


def test_a_future_that_is_asked_for_after_the_end_is_complete():
    """torchft attaches its callbacks there, and needs them to run at once."""

    def body(rank, size):
        done = []
        for _ in range(1000):
            work = dist.all_reduce(torch.ones(5000), async_op=True)
            if rank == 0:
                # The progress thread brings the work to its end.
                time.sleep(2e-4)
            work.wait()
            done.append(work.get_future().done() and work.get_future_result().done())
        return all(done) and len(done) == 1000

    assert ranks.same(2, body)


def test_a_callback_may_start_another_collective():
    def body(rank, size):
        first, second = torch.ones(1000), torch.ones(1000)

        def go_on(future):
            dist.all_reduce(second, async_op=True).wait()
            return second

        return dist.all_reduce(first, async_op=True).get_future().then(go_on).wait()[0].item()

    assert ranks.same(2, body) == 2


WAITS = {
    "a work": lambda work, future: work.wait(),
    "a work, for a limited time": lambda work, future: work.wait(ranks.PATIENCE),
    "a future": lambda work, future: future.wait(),
}


@pytest.mark.parametrize("what", WAITS)
@pytest.mark.parametrize("is_new", [True, False], ids=["that it starts", "that is under way"])
def test_a_callback_may_wait_for(what, is_new):
    """Rank 0 completes the first call's future on another thread than its main thread. Rank 1 lets the second
    call end only when rank 0 waits for it."""
    started, inside = ranks.Sign(), ranks.Sign()

    def body(rank, size):
        first, second, others = torch.ones(1000), torch.ones(1000), []

        def start_second():
            work = dist.all_reduce(second, async_op=True)
            return work, work.get_future()

        def go_on(_):
            if rank == 1:
                inside.wait()
            if is_new or rank == 1:
                others.append(start_second())
            if rank == 0:
                inside.give()
            WAITS[what](*others[0])
            return second

        if rank == 1:
            started.wait()
        future = dist.all_reduce(first, async_op=True).get_future()
        if rank == 0 and not is_new:
            others.append(start_second())
        last = future.then(go_on)
        if rank == 0:
            started.give()
        return last.wait()[0].item()

    assert ranks.same(2, body) == 2


def test_power_sgd_whose_callbacks_wait_for_collectives_trains_two_hundred_nets():
    def body(rank, size):
        from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook

        for seed in range(200):
            torch.manual_seed(seed)
            net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
            model = torch.nn.parallel.DistributedDataParallel(net)
            state = powerSGD_hook.PowerSGDState(None, matrix_approximation_rank=1, start_powerSGD_iter=2)
            model.register_comm_hook(state, powerSGD_hook.powerSGD_hook)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
            # The hook compresses from the third step on.
            for _ in range(4):
                optimizer.zero_grad()
                model(torch.randn(3, 8) + rank).pow(2).mean().backward()
                optimizer.step()
            sums = torch.stack([parameter.detach().double().sum() for parameter in net.parameters()])
            mean = sums.clone()
            dist.all_reduce(mean, dist.ReduceOp.AVG)
            assert sums.isfinite().all() and torch.equal(sums, mean), seed
        return True

    assert ranks.same(2, body, within=240)


def test_works_are_waited_for_in_any_order_or_never():
    def body(rank, size):
        tensors = [torch.full((k + 1,), float(rank)) for k in range(64)]
        works = [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
        for work in reversed(works):
            work.wait()
        assert all(tensor.eq(1).all() for tensor in tensors)
        # Nothing here keeps these tensors and works.
        for _ in range(64):
            dist.all_reduce(torch.ones(10_000), async_op=True)
        last = torch.ones(1)
        dist.all_reduce(last)
        return last.item()

    assert ranks.same(2, body) == 2


def test_results_of_strided_tensors_are_there_when_the_future_is():
    def body(rank, size):
        tensor = torch.ones(300, 300).t()[:, ::2]
        value = dist.all_reduce(tensor, async_op=True).get_future().wait()[0]
        return value.data_ptr() == tensor.data_ptr() and bool(tensor.eq(2).all())

    assert ranks.same(2, body)


def test_a_wait_that_is_limited_ends_in_time_and_the_call_goes_on():
    over = ranks.Sign()

    def body(rank, size):
        tensor = torch.ones(1)
        if rank == 0:
            work = dist.all_reduce(tensor, async_op=True)
            watch = ranks.Stopwatch()
            with pytest.raises(dist.DistBackendError, match="Operation timed out"):
                work.wait(timedelta(milliseconds=200))
            assert watch.seconds() >= 0.2 and watch.own_seconds() < ranks.SOON
            over.give()
            work.wait()
        else:
            over.wait()
            dist.all_reduce(tensor)
        return tensor.item()

    assert ranks.same(2, body) == 2


@pytest.mark.since(14, "a changed time-out of other names than gloo")
def test_the_timeout_of_a_group_can_be_changed_and_names_the_missing_rank():
    over = ranks.Sign()

    def body(rank, size):
        dist.distributed_c10d._set_pg_timeout(timedelta(milliseconds=300))
        if rank == 0:
            watch = ranks.Stopwatch()
            with pytest.raises(dist.DistBackendError, match=r"all_reduce.*timeout 300 ms.*Timed out.*rank 1"):
                dist.all_reduce(torch.ones(1))
            assert watch.seconds() >= 0.3 and watch.own_seconds() < ranks.SOON
            over.give()
        else:
            # This rank stays, so that rank 0 gets a time-out and does not see its end.
            over.wait()
        return True

    assert ranks.same(2, body, clean=False)


def test_an_asynchronous_call_times_out_too_although_others_come_and_go():
    def body(rank, size):
        pair, busy = dist.new_group([0, 1], timeout=timedelta(milliseconds=500)), dist.new_group([0, 1])
        if rank == 0:
            stuck = dist.all_reduce(torch.ones(1), group=pair, async_op=True)
            watch = ranks.Stopwatch()
            while not stuck.is_completed() and watch.own_seconds() < ranks.SOON:
                dist.all_reduce(torch.ones(10), group=busy, async_op=True).wait()
            waited, took = watch.seconds(), watch.own_seconds()
            dist.all_reduce(torch.zeros(1), group=busy)
            with pytest.raises(dist.DistBackendError, match="rank 1"):
                stuck.wait()
            assert waited > 0.4 and took < ranks.SOON, took
        else:
            while True:
                sign = torch.ones(1)
                other = torch.ones(10)
                work = dist.all_reduce(other, group=busy, async_op=True)
                try:
                    work.wait()
                except Exception:
                    break
        return True

    # Rank 1 ends by a mismatch, because rank 0's last call has another length.
    assert ranks.run(2, body, clean=False)[1] is True


def test_a_receive_from_any_source_tells_the_source():
    posted = ranks.Sign()

    def body(rank, size):
        if rank == 0:
            tensors = [torch.empty(1) for _ in range(size - 1)]
            sources = sorted(dist.recv(tensor) for tensor in tensors)
            work = dist.irecv(torch.empty(1))
            posted.give()
            work.wait()
            return sources, work._source_rank()
        dist.send(torch.ones(1), 0)
        if rank == 2:
            posted.wait()
            dist.send(torch.ones(1), 0)
        return None

    assert ranks.values(4, body)[0] == ([1, 2, 3], 2)


def test_sequence_numbers_count_collectives():
    def body(rank, size):
        backend = dist.group.WORLD._get_backend(torch.device("cpu"))
        begin = backend._get_sequence_number_for_group()
        for _ in range(3):
            dist.all_reduce(torch.ones(1))
        work = dist.all_reduce(torch.ones(1), async_op=True)
        work.wait()
        if rank == 0:
            dist.send(torch.ones(1), 1)
        else:
            dist.recv(torch.ones(1), 0)
        return backend._get_sequence_number_for_group() - begin

    assert ranks.same(2, body) == 4


def test_the_profiler_sees_each_call_with_its_shapes():
    def body(rank, size):
        with torch.profiler.profile(record_shapes=True, activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            dist.all_reduce(torch.ones(3, 4))
            dist.all_reduce(torch.ones(7), async_op=True).wait()
            dist.barrier()
            dist.all_gather_into_tensor(torch.empty(2 * size), torch.ones(2))
        events = [(event.name, event.input_shapes) for event in profile.events() if event.name.startswith("anyccl:")]
        names = [name for name, _ in events]
        shapes = [shapes for name, shapes in events if name == "anyccl:all_reduce"]
        assert {"anyccl:all_reduce", "anyccl:barrier", "anyccl:_all_gather_base"} <= set(names), names
        assert [[3, 4]] in shapes and [[7]] in shapes, shapes
        return True

    assert ranks.same(2, body)


def test_the_profiler_calls_a_receive_from_any_source_as_torch_does():
    def body(rank, size):
        if rank == 1:
            dist.send(torch.ones(1), 0)
            return None
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
            dist.recv(torch.empty(1))
        return [event.name for event in profile.events() if event.name.startswith("anyccl:")]

    assert ranks.values(2, body)[0] == ["anyccl:recvAnySource"]


@pytest.mark.since(15, "the flight recorder without a GPU")
def test_the_flight_recorder_has_each_call_and_its_end():
    def body(rank, size):
        import pickle

        dist.all_reduce(torch.ones(3))
        dist.all_reduce(torch.ones(5), async_op=True).wait()
        entries = pickle.loads(torch._C._distributed_c10d._dump_fr_trace(backend="anyccl"))["entries"]
        ours = [(entry["profiling_name"], entry["state"], entry["input_sizes"]) for entry in entries]
        return ours[-2:]

    recorded = ranks.same(2, body)
    assert recorded == [("anyccl:all_reduce", "completed", [[3]]), ("anyccl:all_reduce", "completed", [[5]])]


def test_two_threads_use_two_groups_at_once():
    def body(rank, size):
        groups = [dist.new_group(list(range(size))) for _ in range(2)]
        sums = [0.0, 0.0]

        def work(which):
            for k in range(200):
                tensor = torch.full((100 + which,), float(k))
                work = dist.all_reduce(tensor, group=groups[which], async_op=k % 2 == 0)
                if work is not None:
                    work.wait()
                sums[which] += tensor[0].item()

        threads = [threading.Thread(target=work, args=(which,)) for which in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sums

    assert ranks.same(2, body) == [2.0 * sum(range(200))] * 2


@pytest.mark.parametrize("size", [2, 3])
def test_any_number_of_works_may_be_outstanding_or_dropped(size):
    def body(rank, size):
        tensors = [torch.full((64,), float(number)) for number in range(1000)]
        works = [dist.all_reduce(tensor, async_op=True) for tensor in tensors]
        for work in works:
            work.wait()
        for number in range(1000):
            dist.all_reduce(torch.full((64,), float(number)), async_op=True)
        last = torch.ones(1)
        dist.all_reduce(last)
        dist.barrier()
        return last.item() == size and all(bool((tensor == number * size).all()) for number, tensor in enumerate(tensors))

    assert ranks.same(size, body)
