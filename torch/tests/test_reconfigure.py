"""reconfigure(): groups become smaller or larger, are reordered or merged. What gloo supports is tested with
gloo, too."""

import collections
import contextlib
import os
import signal

import pytest
import ranks
import torch
import torch.distributed as dist
from ranks import Ended
from reconfiguring import Rank, both, connect, members, run, table, tables, values, where_there_is_one  # noqa: F401

pytestmark = where_there_is_one


@both
def test_before_the_first_reconfigure_every_call_says_what_is_missing(table, backend):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)
        assert dist._supports_reconfigure() and dist._get_reconfigure_handle() == dist._get_reconfigure_handle()
        assert (dist.get_rank(), dist.get_world_size()) == (rank, size)
        for call in (lambda: dist.all_reduce(torch.ones(1)), dist.barrier, lambda: dist.send(torch.ones(1), 1 - rank)):
            with pytest.raises(RuntimeError, match=r"reconfigure\(\)"):
                call()
        me.form(1, range(size))
        return members(rank)

    assert values(2, body, table, backend) == [[0, 1]] * 2


@both
def test_a_list_of_handles_gives_ranks_by_position(table, backend):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)
        me.form(1, [2, 0, 1])
        first = members(rank)
        me.form(2, [1, 2, 0])
        return first, members(rank), dist.get_rank()

    results = values(3, body, table, backend)
    assert results == [([2, 0, 1], [1, 2, 0], [1, 2, 0].index(rank)) for rank in range(3)]


def test_a_set_of_handles_keeps_the_order_of_ranks(table):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)
        dist._reconfigure(1, set(me.handles("first", range(size)))).wait()
        first = members(rank)
        me.form(2, [3, 2, 1, 0])
        dist._reconfigure(3, set(me.handles("third", range(size)))).wait()
        return first, members(rank)

    assert values(4, body, table) == [([0, 1, 2, 3], [3, 2, 1, 0])] * 4


def test_a_set_of_handles_is_a_group_of_all_with_gloo_too(tables):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)
        dist._reconfigure(1, set(me.handles("first", range(size)))).wait()
        return sorted(members(rank))

    assert values(3, body, tables(), "gloo") == values(3, body, tables()) == [[0, 1, 2]] * 3


@both
def test_a_group_shrinks_when_a_rank_was_killed(table, backend):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)
        me.form(1, range(size))
        assert members(rank) == [0, 1, 2]
        if rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        with pytest.raises(RuntimeError):
            dist.all_reduce(torch.ones(1))
        me.form(2, [0, 2])
        return members(rank)

    results = run(3, body, table, backend)
    assert isinstance(results[1], Ended) and results[1].status == -signal.SIGKILL
    assert [results[0], results[2]] == [[0, 2]] * 2, results


@both
def test_a_group_grows_and_shrinks(table, backend):
    def body(rank, size, backend, port):
        me, seen = Rank(rank, size, backend, port), []
        for uuid, now in enumerate([[0], [0, 1], [0, 1, 2, 3], [1, 2, 3], [3, 0]]):
            if rank in now:
                me.form(uuid, now)
                seen.append(members(rank))
        return seen

    results = values(4, body, table, backend)
    assert results[0] == [[0], [0, 1], [0, 1, 2, 3], [3, 0]]
    assert results[3] == [[0, 1, 2, 3], [1, 2, 3], [3, 0]]


def test_two_jobs_with_a_store_each_become_one_and_part_again(table, tables):
    stores = [tables(), tables()]

    def body(rank, size, backend, port):
        half = [[0, 1], [2, 3]][rank // 2]
        me = Rank(rank, 2, backend, port, stores[rank // 2].port)
        me.form(10 + rank // 2, half)
        apart = members(rank)
        me.form(20, range(size))
        together = members(rank)
        me.form(30 + rank // 2, half)
        return apart, together, members(rank)

    assert values(4, body, table) == [(half, [0, 1, 2, 3], half) for half in ([0, 1], [0, 1], [2, 3], [2, 3])]


def train(rank, size, backend, port):
    """Trains with DDP. Rank 1 is killed in one of the steps; the others continue from the last step that all
    have made."""
    me = Rank(rank, size, backend, port)
    me.form(1, range(size))
    torch.manual_seed(0)
    net = torch.nn.Linear(4, 2)
    group, step, losses = torch.nn.parallel.DistributedDataParallel(net), 0, []
    while step < 6:
        before = {name: value.clone() for name, value in net.state_dict().items()}
        if rank == 1 and step == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        batch = torch.arange(8.0).reshape(2, 4) + dist.get_rank() + step
        try:
            loss = group(batch).square().mean()
            loss.backward()
        except RuntimeError:
            assert step == 3
            me.form(2, [0, 2])
            net.load_state_dict(before)
            net.zero_grad()
            group = torch.nn.parallel.DistributedDataParallel(net)
            continue
        with torch.no_grad():
            for parameter in net.parameters():
                parameter -= 1e-3 * parameter.grad
                parameter.grad = None
        losses.append(loss.item())
        step += 1
    return losses, [parameter.tolist() for parameter in net.parameters()]


def test_training_that_loses_a_rank_comes_to_what_it_comes_to_with_gloo(tables):
    ours, gloos = run(3, train, tables()), run(3, train, tables(), "gloo")
    assert isinstance(ours[1], Ended) and isinstance(gloos[1], Ended)
    for rank in (0, 2):
        (losses, weights), (gloo_losses, gloo_weights) = ours[rank], gloos[rank]
        assert len(losses) == 6 and losses == pytest.approx(gloo_losses, rel=1e-4)
        for mine, other in zip(weights, gloo_weights):
            torch.testing.assert_close(torch.tensor(mine), torch.tensor(other))


def test_numbers_of_calls_begin_anew_with_each_group(table):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)
        if rank == 0:
            me.form(1, [0])
            dist.all_reduce(torch.ones(1))
            dist.monitored_barrier()
        me.form(2, range(size))
        count = dist.group.WORLD._get_backend(torch.device("cpu"))._get_sequence_number_for_group()
        dist.monitored_barrier()
        return count

    assert values(2, body, table) == [0, 0]


def test_groups_made_from_it_are_there_at_once(table):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)
        me.form(1, range(size))
        tensor, rest = torch.ones(1), None
        if rank != 1:
            rest = dist.shrink_group([1])
            dist.all_reduce(tensor, group=rest)
        return tensor.item()

    assert values(3, body, table, clean=False) == [2, 1, 2]


def resources():
    """Counts what this process has: descriptors by what they lead to, threads, and mappings of shared memory."""
    counts = collections.Counter(threads=len(os.listdir("/proc/self/task")))
    with open("/proc/self/maps", encoding="utf-8") as maps:
        counts["mappings"] = sum("anyccl" in line and ".so" not in line for line in maps)
    for descriptor in os.listdir("/proc/self/fd"):
        # Another thread may close it first.
        with contextlib.suppress(FileNotFoundError):
            counts[os.readlink(f"/proc/self/fd/{descriptor}").partition(":")[0]] += 1
    return counts


def test_fifty_reconfigures_leave_nothing_behind(table):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)

        def form(uuid):
            me.form(uuid, range(size))
            work = dist.irecv(torch.ones(1), 1 - rank)
            dist.all_reduce(torch.ones(1000))
            return work

        works, before = [], collections.Counter()
        for uuid in range(5):
            works.append(form(uuid))
            # The most of each: a thread may be about to open what every group has.
            before |= resources()
        # A group keeps an event for each of its threads that have slept at the same time.
        before["anon_inode"] += 2
        works += [form(uuid) for uuid in range(5, 55)]
        for work in works[:-1]:
            with pytest.raises(dist.DistBackendError):
                work.wait()
        after = resources()

        def are_given_back():
            nonlocal after
            # A later look may count a descriptor that another thread has open for a moment.
            if after - before:
                after = resources()
            return not after - before

        ranks.comes_true(are_given_back)
        return after - before

    for left_behind in values(2, body, table):
        assert not left_behind


def test_a_group_that_was_not_deferred_is_formed_anew_as_well(table):
    def body(rank, size, backend, port):
        store = connect(port)
        dist.init_process_group(backend, store=dist.PrefixStore("group", store), rank=rank, world_size=size)
        store.set(f"handle/{rank}", dist._get_reconfigure_handle())
        dist._reconfigure(1, [store.get(f"handle/{number}").decode() for number in (1, 0)]).wait()
        return members(rank)

    assert values(2, body, table) == [[1, 0]] * 2
