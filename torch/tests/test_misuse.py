"""Errors: every rank gets an exception that names both sides; nothing hangs, and nothing aborts."""

import os
import signal
import threading
from datetime import timedelta

import pytest
import ranks
import torch
import torch.distributed as dist
from ranks import Ended, Failed

MISMATCHES = {
    "another number of elements": (
        lambda rank: dist.all_reduce(torch.ones(3 + rank)),
        ["all_reduce(float32 sum, count 3", "all_reduce(float32 sum, count 4"],
    ),
    "another datatype": (
        lambda rank: dist.all_reduce(torch.ones(3, dtype=[torch.float32, torch.int32][rank])),
        ["float32", "int32"],
    ),
    "another operator": (
        lambda rank: dist.all_reduce(torch.ones(3), [dist.ReduceOp.SUM, dist.ReduceOp.MAX][rank]),
        ["sum", "max"],
    ),
    "another root": (
        # A root may return before the other rank has come, so a barrier follows.
        lambda rank: dist.broadcast(torch.ones(3), rank) or dist.barrier(),
        ["root 0", "root 1"],
    ),
    "another call": (
        lambda rank: dist.barrier() if rank else dist.all_reduce(torch.ones(3)),
        ["all_reduce", "barrier"],
    ),
    "another number of elements, asynchronously": (
        lambda rank: dist.all_reduce(torch.ones(3 + rank), async_op=True).wait(),
        ["count 3", "count 4"],
    ),
    "other sizes in all_gather": (
        lambda rank: dist.all_gather([torch.empty(2 + rank) for _ in range(2)], torch.ones(2 + rank)),
        ["all_gather"],
    ),
    "other sizes in all_to_all": (
        # Rank 1 expects 3 elements from rank 0, which sends 7.
        lambda rank: dist.all_to_all(
            [[torch.empty(2), torch.empty(2)], [torch.empty(3), torch.empty(2)]][rank],
            [[torch.ones(2), torch.ones(7)], [torch.ones(2), torch.ones(2)]][rank],
        )
        # Rank 0 has all that it expects, so it may return without an error.
        or dist.barrier(),
        ["7", "3"],
    ),
    "other splits in all_to_all_single": (
        # Rank 1 sends 5 rows to rank 0, which expects half of its 14.
        lambda rank: dist.all_to_all_single(torch.empty(14), torch.ones(14))
        or dist.barrier()
        if rank == 0
        else dist.all_to_all_single(torch.empty(8), torch.ones(6), [7, 1], [5, 1]) or dist.barrier(),
        ["5", "7"],
    ),
    "a message longer than its room": (
        lambda rank: dist.send(torch.ones(5), 1) or dist.barrier() if rank == 0 else dist.recv(torch.ones(3), 0),
        ["5", "3"],
    ),
}


@pytest.mark.parametrize("name", MISMATCHES)
def test_ranks_that_disagree_are_all_told_what_both_did(name):
    call, words = MISMATCHES[name]

    def body(rank, size):
        watch = ranks.Stopwatch()
        try:
            call(rank)
        except dist.DistBackendError as error:
            return str(error), watch.own_seconds()

    for rank, (text, took) in enumerate(ranks.values(2, body, clean=False)):
        assert all(word in text for word in words), f"rank {rank}: {text}"
        assert took < ranks.SOON


REFUSALS = {
    "a tensor of another type in the list": (
        lambda size: dist.group.WORLD.allgather([[torch.ones(1), torch.ones(1, dtype=torch.int32)]], [torch.ones(1)]),
        "tensors of",
    ),
    "a list that is too short": (lambda size: dist.group.WORLD.allgather([[torch.ones(1)]], [torch.ones(1)]), "1 output"),
    "an output of the wrong size": (
        lambda size: dist.all_gather_into_tensor(torch.ones(3), torch.ones(2)),
        "into a tensor of 3",
    ),
    "rows that cannot be dealt out": (lambda size: dist.all_to_all_single(torch.ones(3), torch.ones(3)), "evenly"),
    "splits that do not add up": (
        lambda size: dist.all_to_all_single(torch.ones(4), torch.ones(4), [2, 2], [1, 2]),
        "add up",
    ),
    "a sparse tensor where none is taken": (
        lambda size: dist.group.WORLD.broadcast([torch.ones(2).to_sparse()], dist.BroadcastOptions()),
        "",
    ),
    "a bitwise operator on floats": (lambda size: dist.all_reduce(torch.ones(2), dist.ReduceOp.BAND), "accepted on float32"),
    "a negative tag": (lambda size: dist.send(torch.ones(1), 1 - dist.get_rank(), tag=-1), "tag -1"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_a_rank_alone_does_wrong_is_refused_and_the_group_works_on(name):
    call, words = REFUSALS[name]

    def body(rank, size):
        with pytest.raises((ValueError, RuntimeError), match=words):
            call(size)
        tensor = torch.ones(2)
        dist.all_reduce(tensor)
        return tensor[0].item()

    assert ranks.same(2, body) == 2


def test_a_tensor_of_a_device_that_is_not_served_is_refused():
    def body(rank, size):
        backend = dist.group.WORLD._get_backend(torch.device("cpu"))
        with pytest.raises(ValueError, match="serves the CPU and CUDA devices"):
            backend.allreduce([torch.ones(2, device="meta")], dist.AllreduceOptions())
        return True

    assert ranks.same(1, body)


def test_a_rank_that_does_not_come_is_named_when_the_time_is_over():
    over = ranks.Sign()

    def body(rank, size):
        if rank == 2:
            over.wait(2)
            return None
        watch = ranks.Stopwatch()
        with pytest.raises(dist.DistBackendError, match="rank 2"):
            dist.all_reduce(torch.ones(1))
        assert watch.seconds() >= 1 and watch.own_seconds() < ranks.SOON
        over.give()
        return True

    assert ranks.values(3, body, timeout=timedelta(seconds=1), clean=False)[:2] == [True, True]


@pytest.mark.parametrize("is_async", [False, True], ids=["waiting", "asynchronously"])
def test_a_killed_rank_is_named_at_once(is_async):
    def body(rank, size):
        dist.barrier()
        if rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        watch = ranks.Stopwatch()
        with pytest.raises(dist.DistBackendError, match="rank 1"):
            work = dist.all_reduce(torch.ones(1 << 20), async_op=is_async)
            if is_async:
                work.wait()
        return watch.own_seconds()

    results = ranks.run(3, body, clean=False)
    assert isinstance(results[1], Ended) and results[1].status == -signal.SIGKILL
    assert all(not isinstance(results[rank], Failed) and results[rank] < ranks.SOON for rank in (0, 2)), results


CALLS_OF_ALL = {
    "all_reduce": lambda size: dist.all_reduce(torch.ones(3)),
    "all_reduce, asynchronously": lambda size: dist.all_reduce(torch.ones(3), async_op=True).wait(),
    "reduce_scatter": lambda size: dist.reduce_scatter_tensor(torch.empty(3), torch.ones(3 * size)),
    "all_gather": lambda size: dist.all_gather_into_tensor(torch.empty(3 * size), torch.ones(3)),
    "all_to_all": lambda size: dist.all_to_all_single(torch.empty(3 * size), torch.ones(3 * size)),
    "barrier": lambda size: dist.barrier(),
}


@pytest.mark.parametrize("name", CALLS_OF_ALL)
def test_a_stopped_rank_that_goes_on_when_the_others_have_given_up_gets_an_error_and_no_value(name):
    """When the stopped rank goes on, the data of the others for the call has arrived, and they are alive."""
    call, given_up, over = CALLS_OF_ALL[name], ranks.Sign(), ranks.Sign()

    def body(rank, size):
        for _ in range(20):
            call(size)
        processes = [None] * size
        dist.all_gather_object(processes, os.getpid())
        if rank == 1:
            os.kill(os.getpid(), signal.SIGSTOP)
            try:
                with pytest.raises(dist.DistBackendError, match="Timed out.*reported by rank"):
                    call(size)
            finally:
                for _ in range(size - 1):
                    over.give()
            return True
        dist.distributed_c10d._set_pg_timeout(timedelta(milliseconds=500))
        watch = ranks.Stopwatch()
        with pytest.raises(dist.DistBackendError, match="Timed out.*rank 1"):
            call(size)
        assert watch.own_seconds() < ranks.SOON
        given_up.give()
        if rank == 0:
            given_up.wait(size - 1)
            os.kill(processes[1], signal.SIGCONT)
        over.wait()
        return True

    assert ranks.same(3, body, clean=False)


@pytest.mark.since(7, "abort()")
@pytest.mark.parametrize("is_async", [False, True], ids=["waiting", "asynchronously"])
def test_an_abort_ends_a_blocked_call_on_all_ranks(is_async):
    def body(rank, size):
        group = dist.new_group([0, 1])
        backend = group._get_backend(torch.device("cpu"))
        dist.barrier()
        if rank == 1:
            # Rank 1 is in a receive to which nobody sends.
            watch = ranks.Stopwatch()
            with pytest.raises(dist.DistBackendError, match="abort"):
                dist.recv(torch.ones(1), 0, group=group)
            return watch.own_seconds()
        calls = backend._get_sequence_number_for_group()

        def abort():
            # The sequence number grows when the call begins.
            ranks.comes_true(lambda: backend._get_sequence_number_for_group() > calls)
            backend.abort()

        watch = ranks.Stopwatch()
        thread = threading.Thread(target=abort)
        thread.start()
        with pytest.raises(dist.DistBackendError, match="abort"):
            work = dist.all_reduce(torch.ones(1), group=group, async_op=is_async)
            if is_async:
                work.wait()
        thread.join()
        return watch.own_seconds()

    assert max(ranks.values(2, body, clean=False)) < ranks.SOON


@pytest.mark.since(14, "monitored_barrier() of other names than gloo")
def test_a_monitored_barrier_names_all_who_are_missing_and_leaves_the_group_in_order():
    over, both_here = ranks.Sign(), [ranks.Sign(), ranks.Sign()]

    def body(rank, size):
        late = rank in (1, 3)
        if late:
            over.wait()
        else:
            # Only then is rank 2 not late, too.
            both_here[rank // 2].give()
            both_here[1 - rank // 2].wait()
        with pytest.raises(dist.DistBackendError, match="Ranks 1, 3 failed to pass monitoredBarrier in 500 ms"):
            dist.monitored_barrier(timeout=timedelta(milliseconds=500), wait_all_ranks=True)
        if not late:
            over.give()
        dist.monitored_barrier()
        tensor = torch.ones(1)
        dist.all_reduce(tensor)
        return tensor.item()

    assert ranks.same(4, body) == 4


@pytest.mark.since(14, "monitored_barrier() of other names than gloo")
def test_the_last_tag_is_like_others_in_a_group_without_monitored_barriers():
    def body(rank, size):
        last, found = 2**31 - 1, torch.empty(1)
        group, other = dist.new_group(), dist.new_group()
        sent = dist.isend(torch.full((1,), float(rank)), 1 - rank, group, last)
        dist.recv(found, 1 - rank, group, last)
        sent.wait()
        with pytest.raises(ValueError, match="monitored_barrier needs tag 2147483647"):
            dist.monitored_barrier(group)
        dist.monitored_barrier(other)
        with pytest.raises(ValueError, match="tag 2147483647 belongs to the monitored barriers"):
            dist.isend(torch.ones(1), 1 - rank, other, last)
        for one in (group, other):
            dist.all_reduce(torch.ones(1), group=one)
        return found.item()

    assert ranks.values(2, body) == [1, 0]


@pytest.mark.since(14, "monitored_barrier() of other names than gloo")
def test_a_monitored_barrier_without_rank_0_ends_in_time():
    over = ranks.Sign()

    def body(rank, size):
        if rank == 0:
            over.wait()
            return None
        with pytest.raises(dist.DistBackendError, match="Rank 0 failed"):
            dist.monitored_barrier(timeout=timedelta(milliseconds=300))
        over.give()
        return True

    assert ranks.values(2, body, clean=False)[1] is True


@pytest.mark.since(14, "monitored_barrier() of other names than gloo")
def test_a_monitored_barrier_without_time_names_who_is_not_there_yet():
    over = ranks.Sign()

    def body(rank, size):
        if rank == 1:
            over.wait()
        else:
            watch = ranks.Stopwatch()
            with pytest.raises(dist.DistBackendError, match="Rank 1 failed to pass monitoredBarrier in 0 ms"):
                dist.monitored_barrier(timeout=timedelta(0))
            assert watch.own_seconds() < ranks.SOON
            over.give()
        tensor = torch.ones(1)
        dist.all_reduce(tensor)
        return tensor.item()

    assert ranks.same(2, body) == 2


BLOCKED = {
    "all_reduce": lambda: dist.all_reduce(torch.ones(1)),
    "recv": lambda: dist.recv(torch.empty(1), 0),
    "barrier": lambda: dist.barrier(),
    "work.wait": lambda: dist.all_reduce(torch.ones(1), async_op=True).wait(),
    "work.wait for a limited time": lambda: dist.all_reduce(torch.ones(1), async_op=True).wait(ranks.PATIENCE),
    "monitored_barrier": lambda: dist.monitored_barrier(),
    "new_group": lambda: dist.new_group([0, 1]),
}


@pytest.mark.parametrize("name", BLOCKED)
def test_ctrl_c_ends_a_blocked_call_at_once(name, tmp_path):
    over = ranks.Sign()

    def body(rank, size):
        # Calls of a FileStore cannot be interrupted.
        ranks.form_with_a_served_store(rank, size, tmp_path)
        if rank == 0:
            over.wait()
            return None
        took = ranks.interrupted(BLOCKED[name])
        over.give()
        return took

    assert ranks.values(2, body, form_group=False, clean=False)[1] < 1


def test_a_call_that_ctrl_c_has_interrupted_goes_on_and_the_group_works():
    over = ranks.Sign()

    def body(rank, size):
        first, second = torch.ones(1000), torch.full((1000,), 2.0)
        if rank == 0:
            ranks.interrupted(lambda: dist.all_reduce(first))
            over.give()
        else:
            over.wait()
            dist.all_reduce(first)
        dist.all_reduce(second)
        return first[0].item(), second[0].item()

    assert ranks.same(2, body) == (2, 4)


def test_a_child_of_fork_is_told_and_harms_nobody():
    def body(rank, size):
        work = dist.all_reduce(torch.ones(10), async_op=True)
        work.wait()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                with pytest.raises(RuntimeError, match="before fork"):
                    dist.all_reduce(torch.ones(1))
                with pytest.raises(RuntimeError, match="before fork"):
                    dist.all_reduce(torch.ones(1), async_op=True)
                dist.destroy_process_group()
                status = 0
            finally:
                os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        tensor = torch.ones(1)
        dist.all_reduce(tensor)
        dist.all_reduce(tensor, async_op=True).wait()
        return tensor.item()

    assert ranks.same(2, body) == 4


def test_children_of_fork_may_form_a_group_of_their_own(tmp_path):
    def body(rank, size):
        dist.all_reduce(torch.ones(10), async_op=True).wait()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                dist.destroy_process_group()
                ranks.form(rank, size, tmp_path)
                tensor = torch.ones(1)
                dist.all_reduce(tensor, async_op=True).wait()
                status = 0 if tensor.item() == size else 2
            finally:
                os._exit(status)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    assert ranks.same(2, body) == 0


def test_workers_of_a_data_loader_fork_after_init():
    def body(rank, size):
        loader = torch.utils.data.DataLoader(torch.arange(64.0), batch_size=8, num_workers=2)
        seen = torch.stack([batch.sum() for batch in loader])
        dist.all_reduce(seen)
        return seen.sum().item()

    assert ranks.same(2, body) == 2 * sum(range(64))


def test_after_a_failure_every_call_says_so_until_the_group_is_destroyed():
    def body(rank, size):
        group = dist.new_group([0, 1])
        for _ in range(2):
            with pytest.raises(dist.DistBackendError, match="count 3"):
                dist.all_reduce(torch.ones(3 + rank), group=group)
        dist.destroy_process_group(group)
        tensor = torch.ones(1)
        dist.all_reduce(tensor)
        return tensor.item()

    assert ranks.same(2, body) == 2
