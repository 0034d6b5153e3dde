"""Windows: memory of all ranks that each of them writes into, and signals between them."""

import os
import signal
import threading
from datetime import timedelta

import pytest
import ranks
import torch
import torch.distributed as dist
from ranks import Ended, Failed

pytestmark = pytest.mark.skipif(not hasattr(dist, "_new_window"), reason="this torch has no windows")
SIZES = [1, 2, 3, 4]


def backend_of(group=None):
    return (group or dist.group.WORLD)._get_backend(torch.device("cpu"))


def shared(*sizes, dtype=torch.float32, value=0, group=None):
    """Returns a tensor that other processes can map."""
    count = torch.Size(sizes).numel()
    return backend_of(group).allocate_tensor(count, dtype=dtype, device=torch.device("cpu")).view(sizes).fill_(value)


def wait_options(milliseconds):
    options = torch._C._distributed_c10d.WaitSignalOptions()
    options.timeout = timedelta(milliseconds=milliseconds)
    return options


@pytest.mark.parametrize("size", SIZES)
def test_each_rank_puts_into_all_windows_and_signals_that_it_has(size):
    def body(rank, size):
        assert dist._supports_window()
        tensor = shared(size + 1, 3, value=-1)
        window = dist._new_window(tensor)
        for round in range(20):
            for target in range(size):
                window.put(torch.full((3,), 100.0 * round + rank), target, 3 * rank, False).wait()
                window.signal(target, False)
            for source in range(size):
                window.wait_signal(source, False)
            assert tensor[:size, 0].tolist() == [100 * round + source for source in range(size)], round
            # Nobody puts the next values before all have looked.
            dist.barrier()
        assert tensor[size].tolist() == [-1] * 3 and tensor[:size].std(1).max() == 0
        assert window.get_attr(0).access_type == torch._C._distributed_c10d.WindowAccessType.UNIFIED
        return True

    assert ranks.same(size, body)


@pytest.mark.parametrize("size", SIZES)
def test_a_mapped_tensor_is_the_memory_of_the_other_rank(size):
    def body(rank, size):
        # Ranks may have tensors of different shapes and types, and empty ones.
        tensor = shared(rank, 2, dtype=torch.int64 if rank % 2 else torch.float64, value=rank)
        window = dist._new_window(tensor)
        right = (rank + 1) % size
        view = window.map_remote_tensor(right)
        assert view.shape == (right, 2) and view.dtype is (torch.int64 if right % 2 else torch.float64)
        assert (view == right).all()
        dist.barrier()
        view += 10
        dist.barrier()
        # The view outlives the window.
        del window
        view += 10
        dist.barrier()
        return (tensor == rank + 20).all().item()

    assert ranks.same(size, body)


def test_signals_are_counted_and_do_not_mix_between_windows():
    def body(rank, size):
        windows = [dist._new_window() for _ in range(20)]
        if rank == 0:
            for number, window in enumerate(windows):
                for _ in range(number):
                    window.signal(1, True)
        dist.barrier()
        if rank == 1:
            for number, window in enumerate(windows):
                for _ in range(number):
                    window.wait_signal(0, False)
                with pytest.raises(dist.DistBackendError, match="Timed out"):
                    window.wait_signal(0, False, wait_options(1))
                # A rank may signal itself.
                window.signal(1, False)
                window.wait_signal(1, False)
        return True

    assert ranks.same(2, body)


def test_a_late_signal_ends_a_wait_that_sleeps_and_one_that_is_asynchronous():
    ready = ranks.Sign()

    def body(rank, size):
        window = dist._new_window()
        if rank == 0:
            ready.wait()
            for _ in range(3):
                window.signal(1, False)
            return True
        works = [window.wait_signal(0, True) for _ in range(2)]
        assert not any(work.is_completed() for work in works)
        with pytest.raises(dist.DistBackendError, match="wait_signal from rank 0.*Timed out after 50 ms"):
            works[0].wait(timedelta(milliseconds=50))
        ready.give()
        window.wait_signal(0, False)
        works[1].wait()
        assert ranks.comes_true(works[0].is_completed) and works[1].is_completed()
        return True

    assert ranks.same(2, body)


def test_tensors_that_are_not_contiguous_and_lazy_views_are_put_as_they_look():
    def body(rank, size):
        tensor = shared(4, 3, dtype=torch.complex64)
        window = dist._new_window(tensor)
        source = torch.arange(6.0).reshape(3, 2).to(torch.complex64) * (1 + 2j)
        window.put(source.t().conj(), 1 - rank, 3, False)
        window.put(tensor[0], 1 - rank, 9, False)
        window.put(torch.empty(0, dtype=torch.complex64), 1 - rank, 12, False)
        dist.barrier()
        return torch.equal(tensor[1:3], source.t().conj().resolve_conj()) and (tensor[3] == 0).all().item()

    assert ranks.same(2, body)


def test_a_tensor_is_registered_and_deregistered_many_times():
    def body(rank, size):
        window = dist._new_window()
        with pytest.raises(RuntimeError, match="has no tensor; call tensor_register"):
            window.put(torch.ones(1), 0, 0, False)
        with pytest.raises(RuntimeError, match="no tensor to deregister"):
            window.tensor_deregister()
        for round in range(1, 30):
            tensor = shared(round)
            window.tensor_register(tensor, owning=round % 2 == 0)
            with pytest.raises(RuntimeError, match="call tensor_deregister"):
                window.tensor_register(tensor)
            window.put(torch.full((1,), float(rank + 1)), 1 - rank, round - 1, False)
            window.signal(1 - rank, False)
            window.wait_signal(1 - rank, False)
            assert tensor[-1] == 2 - rank
            window.tensor_deregister()
        return True

    assert ranks.same(2, body)


MISUSES = {
    "another type": (lambda window: window.put(torch.ones(1, dtype=torch.int32), 0, 0, False), "elements of Int"),
    "behind the end": (lambda window: window.put(torch.ones(2), 0, 3, False), "2 elements from element 3"),
    "far behind the end": (lambda window: window.put(torch.ones(2), 0, 2**62, False), "which has 4"),
    "before the beginning": (lambda window: window.put(torch.ones(2), 0, -1, False), "from element -1"),
    "a rank that is not there": (lambda window: window.put(torch.ones(1), 2, 0, False), "rank 2 does not exist"),
    "a negative rank": (lambda window: window.signal(-1, False), "rank -1 does not exist"),
    "a wait for nobody": (lambda window: window.wait_signal(2, False), "rank 2 does not exist"),
    "a map of nobody": (lambda window: window.map_remote_tensor(7), "rank 7 does not exist"),
    "attributes of nobody": (lambda window: window.get_attr(7), "rank 7 does not exist"),
    "another device": (lambda window: window.put(torch.ones(1, device="meta"), 0, 0, False), "on the CPU"),
    "a sparse tensor": (lambda window: window.put(torch.ones(1).to_sparse(), 0, 0, False), "dense"),
}


def test_what_does_not_fit_is_refused_and_changes_nothing():
    def body(rank, size):
        tensor = shared(4, value=7)
        window = dist._new_window(tensor)
        for name, (call, words) in MISUSES.items():
            with pytest.raises(ValueError, match=words):
                call(window)
        dist.barrier()
        return tensor.tolist()

    assert ranks.same(2, body) == [7] * 4


FOREIGN = {
    "ordinary memory": (lambda: torch.frombuffer(bytearray(16), dtype=torch.float32), "rank 1 has a tensor in memory that other processes cannot map"),
    "another device": (lambda: torch.ones(4, device="meta"), "rank 1 has a tensor that is not a dense one on the CPU"),
    "not contiguous": (lambda: shared(4, 2)[:, 0], "rank 1 has a tensor that is not contiguous"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_tensor_that_cannot_be_shared_is_refused_on_all_ranks_with_one_sentence(name):
    make, words = FOREIGN[name]

    def body(rank, size):
        with pytest.raises(ValueError, match=words) as at_once:
            dist._new_window(make() if rank == 1 else shared(4))
        window = dist._new_window()
        with pytest.raises(ValueError, match=words) as later:
            window.tensor_register(make() if rank == 1 else shared(4))
        tensor = shared(4)
        window.tensor_register(tensor)
        window.put(torch.ones(1), 1 - rank, 2, False)
        dist.barrier()
        assert tensor.tolist() == [0, 0, 1, 0]
        return [str(error.value).splitlines()[0].partition(": ")[2] for error in (at_once, later)]

    first, second = ranks.same(2, body)
    assert first == second


def test_two_threads_wait_for_one_signal_each_with_its_limit():
    late = ranks.Sign()

    def body(rank, size):
        window = dist._new_window()
        if rank == 1:
            late.wait()
            window.signal(0, False)
            dist.barrier()
            return True
        work = window.wait_signal(1, True)
        other = threading.Thread(target=work.wait)
        other.start()
        # The thread waits already, most likely; the limit holds in both cases.
        with pytest.raises(dist.DistBackendError, match="Timed out after 100 ms"):
            work.wait(timedelta(milliseconds=100))
        late.give()
        other.join()
        assert work.is_completed()
        dist.barrier()
        return True

    assert ranks.same(2, body)


def test_a_tensor_on_some_of_the_ranks_only_is_refused_on_all():
    def body(rank, size):
        with pytest.raises(ValueError, match="new_window: rank 0 has 1 tensors, and rank 1 has 0"):
            dist._new_window(None if rank else shared(4))
        window = dist._new_window()
        with pytest.raises(ValueError, match="has a tensor that is not a dense one"):
            window.tensor_register(shared(4).to_sparse() if rank else shared(4))
        return True

    assert ranks.same(2, body)


def test_ranks_that_share_no_memory_are_all_told_so(monkeypatch):
    monkeypatch.setenv("ANYCCL_TRANSPORT", "tcp")

    def body(rank, size):
        assert not dist._supports_window()
        with pytest.raises(NotImplementedError) as error:
            dist._new_window(shared(4))
        tensor = torch.ones(1)
        dist.all_reduce(tensor)
        assert tensor == 3
        return str(error.value).splitlines()[0]

    text = ranks.same(3, body)
    assert "new_window: rank 0 cannot use memory of rank 1" in text and "shares memory" in text


def test_a_rank_that_does_not_come_to_a_window_is_named():
    over = ranks.Sign()

    def body(rank, size):
        if rank == 1:
            over.wait()
            return True
        with pytest.raises(dist.DistBackendError, match="rank 1"):
            dist._new_window()
        over.give()
        return True

    assert ranks.same(2, body, timeout=timedelta(milliseconds=500), clean=False)


def test_a_wait_ends_with_the_time_of_the_group_and_the_group_works_on():
    def body(rank, size):
        window = dist._new_window()
        dist.barrier()
        if rank == 0:
            dist.distributed_c10d._set_pg_timeout(timedelta(milliseconds=300))
            watch = ranks.Stopwatch()
            with pytest.raises(dist.DistBackendError, match="wait_signal from rank 1.*Timed out after 300 ms"):
                window.wait_signal(1, False)
            assert watch.seconds() >= 0.3 and watch.own_seconds() < ranks.SOON
            dist.distributed_c10d._set_pg_timeout(ranks.PATIENCE)
        tensor = torch.ones(1)
        dist.all_reduce(tensor)
        window.signal(1 - rank, False)
        window.wait_signal(1 - rank, False)
        return tensor.item()

    assert ranks.same(2, body) == 2


def test_a_killed_rank_ends_a_wait_and_is_named():
    def body(rank, size):
        window = dist._new_window(shared(4))
        dist.barrier()
        if rank == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        watch = ranks.Stopwatch()
        work = window.wait_signal(1, True)
        with pytest.raises(dist.DistBackendError, match="wait_signal from rank 1.*rank 1"):
            window.wait_signal(1, False)
        # A program may also ask again and again.
        assert ranks.comes_true(work.is_completed)
        with pytest.raises(dist.DistBackendError, match="wait_signal from rank 1.*rank 1"):
            work.wait()
        assert watch.own_seconds() < ranks.SOON
        # Its memory is still there, and nobody reads it.
        window.put(torch.ones(4), 1, 0, False)
        window.signal(1, False)
        return True

    results = ranks.run(3, body, clean=False)
    assert isinstance(results[1], Ended) and [results[0], results[2]] == [True, True], results


@pytest.mark.parametrize("who", [0, 1], ids=["by this rank", "by the other rank"])
def test_an_abort_ends_a_wait(who):
    def body(rank, size):
        group = dist.new_group([0, 1])
        window = dist._new_window(group=group)
        dist.barrier()
        watch = ranks.Stopwatch()
        if rank == who:
            thread = threading.Timer(0.2, backend_of(group).abort)
            thread.start()
        with pytest.raises(dist.DistBackendError, match="abort"):
            window.wait_signal(1 - rank, False)
        if rank == who:
            thread.join()
        return watch.own_seconds()

    assert max(ranks.values(2, body, clean=False)) < ranks.SOON


def test_ctrl_c_ends_a_wait():
    ended = ranks.Sign()

    def body(rank, size):
        window = dist._new_window()
        dist.barrier()
        if rank == 0:
            # A shell lets programs that it starts in the background ignore the signal.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
            with pytest.raises(KeyboardInterrupt):
                window.wait_signal(1, False)
            ended.give()
        else:
            ended.wait()
        window.signal(1 - rank, False)
        window.wait_signal(1 - rank, False)
        return True

    assert ranks.same(2, body)


def test_windows_and_tensors_are_dropped_in_any_order():
    def body(rank, size):
        kept = []
        for round in range(30):
            tensor = shared(1000, value=rank)
            window = dist._new_window(tensor)
            window.signal(1 - rank, False)
            window.wait_signal(1 - rank, False)
            del tensor
            kept.append(window)
            if rank == 0:
                # Rank 1 still uses the memory of this one.
                del kept[0]
                del window
                other = [shared(1000, value=5) for _ in range(2)]
            dist.barrier()
            if rank == 1:
                window.put(torch.full((1000,), 9.0), 0, 0, False)
                window.signal(0, False)
            dist.barrier()
            if rank == 0:
                assert all((tensor == 5).all() for tensor in other)
        return True

    assert ranks.same(2, body)


def test_a_window_of_a_destroyed_group_says_so():
    def body(rank, size):
        group = dist.new_group([0, 1])
        window = dist._new_window(shared(4), group=group)
        dist.destroy_process_group(group)
        calls = [
            lambda: window.put(torch.ones(1), 0, 0, False),
            lambda: window.signal(0, False),
            lambda: window.wait_signal(0, False),
            lambda: window.map_remote_tensor(0),
            lambda: window.tensor_deregister(),
        ]
        for call in calls:
            with pytest.raises(RuntimeError, match="was destroyed"):
                call()
        return True

    assert ranks.same(2, body)


def test_windows_on_split_groups_have_the_ranks_of_those():
    def body(rank, size):
        group, _ = dist.new_subgroups_by_enumeration([[0, 2], [1, 3]])
        tensor = shared(2, value=-1, group=group)
        window = dist._new_window(tensor, group=group)
        for target in range(2):
            window.put(torch.tensor([float(rank)]), target, rank // 2, False)
            window.signal(target, False)
        for source in range(2):
            window.wait_signal(source, False)
        return tensor.tolist()

    assert ranks.values(4, body) == [[0, 2], [1, 3], [0, 2], [1, 3]]


def test_threads_may_use_a_window_at_the_same_time():
    rounds, count = 200, 4

    def body(rank, size):
        tensor = shared(count, dtype=torch.int64)
        window = dist._new_window(tensor)
        failures = []

        def work(number):
            try:
                for round in range(rounds):
                    window.put(torch.tensor([round]), 1 - rank, number, False)
                    window.signal(1 - rank, False)
                    window.wait_signal(1 - rank, False)
            except BaseException as failure:
                failures.append(failure)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        dist.barrier()
        with pytest.raises(dist.DistBackendError, match="Timed out"):
            window.wait_signal(1 - rank, False, wait_options(1))
        return failures or tensor.tolist()

    assert ranks.same(2, body) == [rounds - 1] * count


def test_a_child_of_fork_cannot_use_a_window():
    def body(rank, size):
        window = dist._new_window(shared(4))
        child = os.fork()
        if child == 0:
            status = 1
            try:
                window.put(torch.ones(1), 1 - rank, 0, False)
            except RuntimeError as error:
                status = 0 if "made before fork()" in str(error) else 2
            finally:
                os._exit(status)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    assert ranks.same(2, body) == 0


def test_no_window_where_the_group_has_failed():
    def body(rank, size):
        group = dist.new_group([0, 1])
        backend_of(group).abort()
        with pytest.raises(dist.DistBackendError, match="abort"):
            dist._new_window(group=group)
        return True

    results = ranks.run(2, body, clean=False)
    assert not any(isinstance(result, Failed) for result in results), results
