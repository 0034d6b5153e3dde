"""reconfigure(): groups become smaller or larger, are reordered or merged. What gloo supports is tested with
gloo, too.

The handles go from rank to rank through a store that no rank owns, so it does not end with a rank.
"""

import os
import signal
import threading
import time
from datetime import timedelta

import pytest
import ranks
import torch
import torch.distributed as dist
from ranks import Ended, Failed

pytestmark = pytest.mark.skipif(not hasattr(dist, "_reconfigure"), reason="this release of torch has no reconfigure")
both = pytest.mark.parametrize("backend", ["gloo", "anyccl"])


class Table:
    """A store in a process of its own. As threads of the test's process, a store would not survive the forks,
    and would not end well."""

    def __init__(self):
        told, tell = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            try:
                store = dist.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
                os.write(tell, str(store.port).encode())
                signal.pause()
            finally:
                os._exit(1)
        os.close(tell)
        self.port = int(os.read(told, 16))
        os.close(told)

    def close(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)


@pytest.fixture
def tables():
    """Makes as many tables as the test asks for."""
    made = []

    def new():
        made.append(Table())
        return made[-1]

    yield new
    for one in made:
        one.close()


@pytest.fixture
def table(tables):
    return tables()


def connect(port):
    return dist.TCPStore("127.0.0.1", port, is_master=False, wait_for_workers=False, timeout=ranks.PATIENCE)


class Rank:
    """A process of the default group, with the number that it was made with."""

    def __init__(self, number, size, backend, port, group_port=None, group="group"):
        self.number, self.store = number, connect(port)
        own = dist.PrefixStore(group, connect(group_port or port))
        dist.init_process_group(
            backend, store=own, rank=number, world_size=size, timeout=ranks.PATIENCE, enable_reconfigure=True
        )

    def tell(self, what, numbers, value="here"):
        """Publishes a value, and returns the values of `numbers`. Waits until all of these have published
        theirs."""
        self.store.set(f"{what}/{self.number}", value)
        return [self.store.get(f"{what}/{number}").decode() for number in numbers]

    def handles(self, what, numbers):
        return self.tell(what, numbers, dist._get_reconfigure_handle())

    def form(self, uuid, numbers, timeout=ranks.PATIENCE):
        dist._reconfigure(uuid, self.handles(f"handles {uuid}", numbers), timeout=timeout).wait()


def members(value):
    """Returns the values of all ranks of the group, in their order."""
    mine, all_ = torch.tensor([value]), [torch.zeros(1, dtype=torch.int64) for _ in range(dist.get_world_size())]
    dist.all_gather(all_, mine)
    return [one.item() for one in all_]


def run(size, body, table, backend="anyccl", **options):
    return ranks.run(size, body, backend, table.port, form_group=False, **options)


def values(size, body, table, backend="anyccl", **options):
    return ranks.values(size, body, backend, table.port, form_group=False, **options)


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
            begin = time.monotonic()
            with pytest.raises(dist.DistBackendError) as told:
                dist._reconfigure(2, handles, timeout=timedelta(milliseconds=700))
            assert 0.7 <= time.monotonic() - begin < ranks.SOON
            pids = me.tell("pids", [1, 2], str(os.getpid()))
            assert all(f"rank {number}" in str(told.value) for number in (1, 2)), told.value
            assert all(f"process {pid}@" in str(told.value) for pid in pids), told.value
        else:
            me.tell("pids", [0], str(os.getpid()))
            # Too late: rank 0 has written into its note that it has given up.
            begin = time.monotonic()
            with pytest.raises(dist.DistBackendError, match="rank 0.* has given up: not there"):
                dist._reconfigure(2, handles)
            assert time.monotonic() - begin < ranks.SOON
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
        begin = time.monotonic()
        with pytest.raises(RuntimeError):
            dist._reconfigure(1, handles, timeout=timedelta(seconds=1)).wait()
        over.give()
        return time.monotonic() - begin

    assert values(2, body, table, backend, clean=False)[0] < ranks.SOON


def test_members_with_other_handles_are_told_at_once(table):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)
        handles = me.handles("handles", range(size))
        begin = time.monotonic()
        with pytest.raises(dist.DistBackendError, match=r"rank [01].* was given other handles|has given up"):
            dist._reconfigure(1, [handles[:2], handles, handles][rank])
        return time.monotonic() - begin

    assert max(values(3, body, table)) < ranks.SOON


def test_a_member_that_refuses_does_not_hold_the_others_up(table):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)
        if rank == 0:
            dist._reconfigure(5, [dist._get_reconfigure_handle()])
        # A connection to a store of torch sometimes takes seconds.
        me.tell("connected", range(size))
        begin = time.monotonic()
        # The note of the group that rank 0 formed alone stays until rank 0 replaces it by its refusal.
        refused = "uuid 5 was already used"
        told = refused if rank == 0 else f"rank 0, .* (has given up: {refused}|was given other handles)"
        with pytest.raises(RuntimeError, match=told):
            me.form(5, range(size))
        me.form(6, range(size))
        return time.monotonic() - begin, members(rank)

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


def test_an_abort_is_made_good_and_the_time_out_stays(table):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)
        group = dist.group.WORLD._get_backend(torch.device("cpu"))
        group.set_timeout(timedelta(seconds=21))
        me.form(1, range(size), timeout=timedelta(seconds=20))
        assert members(rank) == [0, 1]
        group.abort()
        me.form(2, range(size), timeout=timedelta(seconds=20))
        assert group.options._timeout == timedelta(seconds=21) and group.options.enable_reconfigure
        return members(rank)

    assert values(2, body, table) == [[0, 1]] * 2


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


def resources():
    with open("/proc/self/maps", encoding="utf-8") as maps:
        shared = sum("anyccl" in line and ".so" not in line for line in maps)
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task")), shared


def test_fifty_reconfigures_leave_nothing_behind(table):
    def body(rank, size, backend, port):
        me = Rank(rank, size, backend, port)

        def form(uuid):
            me.form(uuid, range(size))
            work = dist.irecv(torch.ones(1), 1 - rank)
            dist.all_reduce(torch.ones(1000))
            return work

        works = [form(uuid) for uuid in range(5)]
        before = resources()
        works += [form(uuid) for uuid in range(5, 55)]
        for work in works[:-1]:
            with pytest.raises(dist.DistBackendError):
                work.wait()
        after = resources()

        def are_given_back():
            nonlocal after
            # A later look may count a descriptor that another thread has open for a moment.
            if any(now > then for now, then in zip(after, before)):
                after = resources()
            return all(now <= then for now, then in zip(after, before))

        ranks.comes_true(are_given_back)
        return before, after

    for before, after in values(2, body, table):
        assert all(now <= then for now, then in zip(after, before)), (before, after)


def test_a_group_that_was_not_deferred_is_formed_anew_as_well(table):
    def body(rank, size, backend, port):
        store = connect(port)
        dist.init_process_group(backend, store=dist.PrefixStore("group", store), rank=rank, world_size=size)
        store.set(f"handle/{rank}", dist._get_reconfigure_handle())
        dist._reconfigure(1, [store.get(f"handle/{number}").decode() for number in (1, 0)]).wait()
        return members(rank)

    assert values(2, body, table) == [[1, 0]] * 2


def test_two_backends_in_one_group_are_refused_by_torch(table):
    def body(rank, size, backend, port):
        dist.init_process_group("cpu:anyccl,cuda:gloo", store=connect(port), rank=rank, world_size=size, enable_reconfigure=True)
        with pytest.raises(RuntimeError, match="multiple backends"):
            dist._supports_reconfigure()
        return True

    results = run(1, body, table)
    assert not isinstance(results[0], Failed), results
