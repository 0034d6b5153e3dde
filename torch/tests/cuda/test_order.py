"""Calls on CUDA tensors are part of the order of streams, however long the device takes for each piece of work.

Results are copied to pinned memory on the stream that the program uses, and read after that copy. So a call that is
not in the order of that stream gives a wrong number for some of the seeds.
"""

import gpu
import ranks
import torch
import torch.distributed as dist

SEEDS = 20
COUNT = 5000


def pinned(value):
    return torch.full((COUNT,), float(value)).pin_memory()


def fill(tensor, value):
    """Enqueues a copy of a value on the current stream. The caller keeps the result until the copy has ended."""
    source = pinned(value)
    tensor.copy_(source, non_blocking=True)
    return source


def read(tensor):
    """Enqueues a copy to the CPU on the current stream."""
    return pinned(-1).copy_(tensor, non_blocking=True)


def only(tensor):
    """Returns the value that all elements have."""
    values = set(tensor.tolist())
    assert len(values) == 1, sorted(values)[:5]
    return values.pop()


def each_seed(body):
    for seed in range(SEEDS):
        gpu.set_seed(seed)
        with torch.cuda.stream(torch.cuda.Stream()):
            body(seed)


def test_a_call_sees_what_its_stream_did_before_and_is_seen_by_what_comes_after():
    def body(rank, size):
        def once(seed):
            tensor = torch.empty(COUNT, device="cuda")
            kept = [fill(tensor, seed + rank)]
            dist.all_reduce(tensor)
            sums = read(tensor)
            kept.append(fill(tensor, 7))
            dist.broadcast(tensor, 0)
            sevens = read(tensor)
            torch.cuda.current_stream().synchronize()
            assert (only(sums), only(sevens)) == (2 * seed + 1, 7)

        each_seed(once)
        return True

    assert ranks.same(2, body)


def sums_on_another_stream(value):
    """Adds up the values of the ranks by an asynchronous call, and reads the sums on a stream that waits for it."""
    tensor = torch.empty(COUNT, device="cuda")
    kept = fill(tensor, value)
    work = dist.all_reduce(tensor, async_op=True)
    other = torch.cuda.Stream()
    with torch.cuda.stream(other):
        work.wait()
        sums = read(tensor)
    other.synchronize()
    assert kept is not None and ranks.comes_true(work.is_completed) and work.is_success()
    return set(sums.tolist())


def test_the_stream_of_wait_waits_for_an_asynchronous_call():
    def body(rank, size):
        def once(seed):
            assert sums_on_another_stream(seed + rank) == {2 * seed + 1}

        each_seed(once)
        return True

    assert ranks.same(2, body)


@gpu.needs_the_double
def test_these_tests_see_it_when_a_stream_does_not_wait():
    def body(rank, size):
        wrong = []

        def once(seed):
            if sums_on_another_stream(seed + rank) != {2 * seed + 1}:
                wrong.append(seed)

        gpu.ignore("cuStreamWaitEvent")
        each_seed(once)
        return bool(wrong)

    assert any(ranks.values(2, body))


def test_an_asynchronous_call_leaves_the_current_stream_free():
    given = ranks.Sign()

    def body(rank, size):
        tensor = torch.empty(COUNT, device="cuda")
        kept = fill(tensor, rank)
        if rank == 1:
            given.wait()
        work = dist.all_reduce(tensor, async_op=True)
        if rank == 0:
            # The other rank has not begun. The stream goes on all the same.
            torch.cuda.current_stream().synchronize()
            assert not work.is_completed()
            given.give()
        work.wait()
        sums = read(tensor)
        torch.cuda.current_stream().synchronize()
        return only(sums), kept is not None

    assert ranks.same(2, body) == (1, True)


def test_futures_give_tensors_of_the_device_in_the_order_of_the_callbacks_stream():
    def body(rank, size):
        def once(seed):
            tensor = torch.empty(COUNT, device="cuda")
            kept = fill(tensor, seed + rank)
            work = dist.all_reduce(tensor, async_op=True)
            future = work.get_future().then(lambda done: read(done.value()[0]).cuda(non_blocking=True))
            result = future.wait()
            assert result.device == tensor.device and only(result.cpu()) == 2 * seed + 1
            assert kept is not None and ranks.comes_true(work.get_future_result().done)

        each_seed(once)
        return True

    assert ranks.same(2, body)


def test_receives_do_not_hold_up_sends_that_are_posted_later():
    def body(rank, size):
        def once(seed):
            mine, theirs = (torch.empty(COUNT, device="cuda") for _ in range(2))
            kept = fill(mine, seed + rank)
            works = [dist.irecv(theirs, 1 - rank), dist.isend(mine, 1 - rank)]
            for work in works:
                work.wait()
            result = read(theirs)
            torch.cuda.current_stream().synchronize()
            assert only(result) == seed + 1 - rank and kept is not None

        each_seed(once)
        return True

    assert ranks.same(2, body)


def test_a_batch_of_messages_and_a_bracket_of_collectives_are_in_order():
    def body(rank, size):
        def once(seed):
            mine, theirs = (torch.empty(COUNT, device="cuda") for _ in range(2))
            kept = [fill(mine, seed + rank)]
            ops = [dist.P2POp(dist.irecv, theirs, 1 - rank), dist.P2POp(dist.isend, mine, 1 - rank)]
            for work in dist.batch_isend_irecv(ops):
                work.wait()
            with dist._coalescing_manager(device=torch.device("cuda")):
                dist.all_reduce(mine)
                dist.all_reduce(theirs)
            results = read(mine), read(theirs)
            torch.cuda.current_stream().synchronize()
            assert [only(result) for result in results] == [2 * seed + 1] * 2 and kept

        each_seed(once)
        return True

    assert ranks.same(2, body)


def test_memory_that_is_dropped_before_its_call_has_ended_is_not_given_to_others():
    def body(rank, size):
        def once(seed):
            work = dist.all_reduce(pinned(seed + rank).cuda(), async_op=True)
            # Gets the memory that the tensor would have left.
            other = torch.empty(COUNT, device="cuda")
            kept = fill(other, 99)
            sums = read(work.result()[0])
            del sums
            work.wait()
            result = read(other)
            torch.cuda.current_stream().synchronize()
            assert only(result) == 99 and kept is not None

        each_seed(once)
        return True

    assert ranks.same(2, body)


def test_tensors_of_any_layout_are_copied_in_the_order_of_the_stream():
    def body(rank, size):
        gpu.use_cpu_for_copies()
        tensor = torch.arange(12.0).add(rank).cuda().reshape(3, 4).t()
        expected = 2 * torch.arange(12.0).reshape(3, 4).t() + 1
        dist.all_reduce(tensor)
        assert torch.equal(tensor.cpu(), expected)
        work = dist.all_reduce(tensor, async_op=True)
        work.wait()
        assert torch.equal(tensor.cpu(), 2 * expected)
        parts = [torch.empty(4, 3, device="cuda").t() for _ in range(size)]
        dist.all_gather(parts, torch.full((3, 4), float(rank)).cuda())
        return [part.cpu().flatten().tolist() for part in parts] == [[0.0] * 12, [1.0] * 12]

    assert ranks.same(2, body)
