"""reconfigure() when something goes wrong: members that stay away, refuse or disagree, calls under way, ranks that
are left out."""

import os
import threading
from datetime import timedelta

import pytest
import ranks
import torch
import torch.distributed as dist
from ranks import Failed
from reconfiguring import Rank, both, connect, members, run, table, tables, values, where_there_is_one  # noqa: F401

pytestmark = where_there_is_one


@both
def test_a_uuid_is_taken_once(table, backend):
    def body(rank, size, backend, port):
        Rank(rank, size, backend, port)
        dist._reconfigure(7 + rank, [dist._get_reconfigure_handle()]).wait()
        with pytest.raises(RuntimeError, match=f"{7 + rank} was already used"):
            dist._reconfigure(7 + rank, [dist._get_reconfigure_handle()]).wait()
        return True

    assert values(2, body, table, backend) == [True] * 2


@both
def test_handles_that_cannot_be_meant_are_refused(table, backend):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)
        mine, other = me.handles("handles", [rank, 1 - rank])
        me.form(1, range(size))
        # A rank of gloo closes its connections where it is refused, and the other one may not be done.
        me.tell("formed", range(size))
        current = dist._get_reconfigure_handle()
        bad = [[], ["nonsense"], [other], [current, current]]
        # gloo does not notice that a handle is an old one.
        bad += [[mine]] if backend == "anyccl" else []
        for uuid, handles in enumerate(bad, start=2):
            with pytest.raises(RuntimeError):
                dist._reconfigure(uuid, handles, timeout=timedelta(seconds=1)).wait()
        return members(rank) if backend == "anyccl" else None

    results = values(2, body, table, backend)
    assert backend == "gloo" or results == [[0, 1]] * 2


def test_members_that_stay_away_are_named_and_the_group_works_on(table):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)
        me.form(1, range(size))
        handles = me.handles("second", range(size))
        if rank == 0:
            watch = ranks.Stopwatch()
            with pytest.raises(dist.DistBackendError) as told:
                dist._reconfigure(2, handles, timeout=timedelta(milliseconds=700))
            assert watch.seconds() >= 0.7 and watch.own_seconds() < ranks.SOON
            pids = me.tell("pids", [1, 2], str(os.getpid()))
            assert all(f"rank {number}" in str(told.value) for number in (1, 2)), told.value
            assert all(f"process {pid}@" in str(told.value) for pid in pids), told.value
        else:
            me.tell("pids", [0], str(os.getpid()))
            # Too late: rank 0 has written into its note that it has given up.
            watch = ranks.Stopwatch()
            with pytest.raises(dist.DistBackendError, match="rank 0.* has given up: not there"):
                dist._reconfigure(2, handles)
            assert watch.own_seconds() < ranks.SOON
        assert members(rank) == [0, 1, 2]
        me.form(3, range(size))
        return members(rank)

    assert values(3, body, table) == [[0, 1, 2]] * 3


@both
def test_a_reconfigure_without_all_of_its_members_ends_in_time(table, backend):
    over = ranks.Sign()

    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)
        handles = me.handles("first", range(size))
        if rank == 1:
            over.wait()
            return None
        watch = ranks.Stopwatch()
        with pytest.raises(RuntimeError):
            dist._reconfigure(1, handles, timeout=timedelta(seconds=1)).wait()
        over.give()
        return watch.own_seconds()

    assert values(2, body, table, backend, clean=False)[0] < ranks.SOON


def test_members_with_other_handles_are_told_at_once(table):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)
        handles = me.handles("handles", range(size))
        watch = ranks.Stopwatch()
        with pytest.raises(dist.DistBackendError, match=r"rank [01].* was given other handles|has given up"):
            dist._reconfigure(1, [handles[:2], handles, handles][rank])
        return watch.own_seconds()

    assert max(values(3, body, table)) < ranks.SOON


def test_a_member_that_refuses_does_not_hold_the_others_up(table):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)
        if rank == 0:
            dist._reconfigure(5, [dist._get_reconfigure_handle()])
        # A connection to a store of torch sometimes takes seconds.
        me.tell("connected", range(size))
        watch = ranks.Stopwatch()
        # The note of the group that rank 0 formed alone stays until rank 0 replaces it by its refusal.
        refused = "uuid 5 was already used"
        told = refused if rank == 0 else f"rank 0, .* (has given up: {refused}|was given other handles)"
        with pytest.raises(RuntimeError, match=told):
            me.form(5, range(size))
        me.form(6, range(size))
        return watch.own_seconds(), members(rank)

    for took, ranks_ in values(2, body, table):
        assert took < ranks.SOON and ranks_ == [0, 1]


def test_what_was_under_way_ends_with_an_error(table):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)
        me.form(1, range(size))
        if rank == 1:
            me.form(2, range(size))
            return members(rank)
        works, errors = [dist.irecv(torch.ones(1), 1), dist.all_reduce(torch.ones(1), async_op=True)], []
        group = dist.group.WORLD._get_backend(torch.device("cpu"))
        calls = group._get_sequence_number_for_group()

        def blocked():
            try:
                dist.all_reduce(torch.ones(1))
            except dist.DistBackendError as error:
                errors.append(error)

        thread = threading.Thread(target=blocked)
        thread.start()
        # The sequence number grows when the call begins.
        ranks.comes_true(lambda: group._get_sequence_number_for_group() > calls)
        me.form(2, range(size))
        thread.join(ranks.SOON)
        assert len(errors) == 1
        for work in works:
            with pytest.raises(dist.DistBackendError):
                work.wait()
        return members(rank)

    assert values(2, body, table) == [[0, 1]] * 2


def test_a_rank_that_is_left_out_is_told_and_may_come_back(table):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)
        me.form(1, range(size))
        if rank < 2:
            me.form(2, [0, 1])
        me.tell("shrunk", range(size))
        if rank == 2:
            with pytest.raises(dist.DistBackendError):
                dist.all_reduce(torch.ones(1))
        me.form(3, range(size))
        return members(rank)

    assert values(3, body, table) == [[0, 1, 2]] * 3


def test_an_abort_is_made_good_and_the_time_out_stays(table):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)
        group = dist.group.WORLD._get_backend(torch.device("cpu"))
        group.set_timeout(timedelta(seconds=21))
        me.form(1, range(size), timeout=timedelta(seconds=20))
        assert members(rank) == [0, 1]
        # An abort may end a call that the other rank has not finished.
        me.tell("counted", range(size))
        group.abort()
        me.form(2, range(size), timeout=timedelta(seconds=20))
        assert group.options._timeout == timedelta(seconds=21) and group.options.enable_reconfigure
        return members(rank)

    assert values(2, body, table) == [[0, 1]] * 2


def test_a_destroyed_group_is_not_formed_again(table):
    def body(rank, size, backend, port):
        Rank(rank, size, backend, port)
        group = dist.group.WORLD
        dist.destroy_process_group()
        with pytest.raises(RuntimeError, match="was destroyed"):
            group.reconfigure(options([group.get_reconfigure_handle()]))
        return True

    def options(handles):
        made = torch._C._distributed_c10d.ReconfigureOptions()
        made.uuid, made.handles = 1, handles
        return made

    assert values(1, body, table) == [True]


def test_two_backends_in_one_group_are_refused_by_torch(table):
    def body(rank, size, backend, port):
        dist.init_process_group(
            "cpu:anyccl,cuda:gloo", store=connect(port), rank=rank, world_size=size, enable_reconfigure=True
        )
        with pytest.raises(RuntimeError, match="multiple backends"):
            dist._supports_reconfigure()
        return True

    results = run(1, body, table)
    assert not isinstance(results[0], Failed), results
