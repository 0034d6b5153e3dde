"""Groups: many, overlapping, of one rank, made from each other, destroyed in any order, or not at all."""

import os
import select
import socket
import subprocess
import sys
import tempfile
import threading
from datetime import timedelta
from pathlib import Path

import pytest
import ranks
import sample
import torch
import torch.distributed as dist


def total(group=None, start=1.0):
    tensor = torch.full((3,), start)
    dist.all_reduce(tensor, group=group)
    return tensor[0].item()


def open_files():
    return len(os.listdir("/proc/self/fd"))


def test_groups_overlap_and_do_not_disturb_each_other():
    def body(rank, size):
        members = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [1, 3], [0, 1, 2], [rank_ for rank_ in range(size)]]
        groups = [dist.new_group(one) for one in members]
        works = []
        for round_ in range(10):
            for one, group in zip(members, groups):
                if rank in one:
                    tensor = torch.full((50,), float(rank + round_))
                    works.append((dist.all_reduce(tensor, group=group, async_op=True), tensor, one, round_))
        for work, tensor, one, round_ in works:
            work.wait()
            assert tensor[0].item() == sum(one) + len(one) * round_
        return True

    assert ranks.same(4, body)


def test_a_group_of_one_rank_does_everything_alone():
    def body(rank, size):
        alone = [dist.new_group([one]) for one in range(size)][rank]
        assert total(alone) == 1
        out = torch.empty(3)
        dist.all_gather_into_tensor(out, torch.ones(3), group=alone)
        dist.reduce_scatter_tensor(out, torch.ones(3), group=alone)
        dist.all_to_all_single(out, torch.full((3,), 5.0), group=alone)
        dist.barrier(alone)
        return out.tolist()

    assert ranks.same(2, body) == [5, 5, 5]


@pytest.mark.since(7, "destroy_process_group() that ends the group, also with a reference left")
def test_groups_are_made_and_destroyed_in_loops_without_leaks():
    def body(rank, size):
        # A rank opens its eventfd when it first sleeps, which may be in any of these groups.
        files = open_files() + 1
        for _ in range(40):
            group = dist.new_group([0, 1])
            assert total(group) == 2
            dist.destroy_process_group(group)
        # The communicators are destroyed in the background.
        assert ranks.comes_true(lambda: open_files() <= files), (files, open_files())
        return True

    assert ranks.same(2, body)


def test_the_default_group_is_made_and_destroyed_again_and_again():
    def body(rank, size, folder):
        for round_ in range(10):
            dist.init_process_group(
                "anyccl", store=dist.FileStore(f"{folder}/{round_}", size), rank=rank, world_size=size, timeout=ranks.PATIENCE
            )
            assert total() == 2
            dist.destroy_process_group()
        return True

    with tempfile.TemporaryDirectory() as folder:
        assert ranks.same(2, body, folder, form_group=False)


def test_ranks_give_groups_up_in_different_orders():
    def body(rank, size):
        groups = [dist.new_group([0, 1]) for _ in range(4)]
        assert all(total(group) == 2 for group in groups)
        for group in groups if rank else reversed(groups):
            dist.destroy_process_group(group)
        return total()

    assert ranks.same(2, body) == 2


def end_of_all():
    """Destroys all groups. Returns the error that this raises; the second attempt then raises none."""
    with pytest.raises(dist.DistBackendError) as raised:
        dist.destroy_process_group()
    dist.destroy_process_group()
    assert not dist.is_initialized()
    return str(raised.value)


@pytest.mark.since(7, "destroy_process_group() that ends the group, also with a reference left")
def test_different_calls_that_no_call_has_noticed_are_raised_when_the_groups_are_destroyed():
    """Each rank is the root of its broadcast, so it receives nothing."""

    def body(rank, size):
        dist.broadcast(torch.ones(3), rank)
        return end_of_all()

    for text in ranks.values(2, body):
        assert "the end of the group" in text and "root 0" in text and "root 1" in text, text


@pytest.mark.since(7, "destroy_process_group() that ends the group, also with a reference left")
def test_different_calls_in_a_destroyed_group_are_raised_with_the_last_group_of_the_process():
    def body(rank, size):
        group = dist.new_group([0, 1])
        dist.broadcast(torch.ones(3), rank, group=group)
        # Does not wait for the other rank.
        dist.destroy_process_group(group)
        assert total() == 2
        return end_of_all()

    for text in ranks.values(2, body):
        assert "root 0" in text and "root 1" in text, text


def test_different_calls_that_a_call_has_raised_are_not_raised_at_the_end():
    def body(rank, size):
        with pytest.raises(dist.DistBackendError, match="root 1"):
            dist.broadcast(torch.ones(3), rank)
            dist.barrier()
        dist.destroy_process_group()
        return dist.is_initialized()

    assert ranks.same(2, body) is False


@pytest.mark.since(7, "destroy_process_group() that ends the group, also with a reference left")
def test_a_wait_for_the_end_of_the_other_ranks_can_be_interrupted():
    over = ranks.Sign()

    def body(rank, size):
        total()
        if rank == 1:
            over.wait()
            return True
        assert ranks.interrupted(dist.destroy_process_group) < ranks.SOON
        over.give()
        return True

    assert ranks.same(2, body)


def test_the_end_of_a_rank_that_has_not_destroyed_its_groups_is_no_error():
    def body(rank, size):
        total()
        if rank == 0:
            dist.destroy_process_group()
        return True

    assert ranks.same(2, body, clean=False)


def test_a_group_that_is_given_up_by_one_rank_only_does_not_hold_it_up():
    def body(rank, size):
        group = dist.new_group([0, 1])
        assert total(group) == 2
        if rank == 0:
            watch = ranks.Stopwatch()
            dist.destroy_process_group(group)
            assert watch.own_seconds() < ranks.SOON
        return total()

    assert ranks.same(2, body) == 2


class StoreThatIsNotCloned(dist.Store):
    """Passes every call to another store, and must not be cloned: a clone of a store of torch is a new
    connection, which may take seconds."""

    def __init__(self, store):
        super().__init__()
        self.inner = store

    def clone(self):
        raise AssertionError("the store was cloned")

    def set(self, key, value):
        self.inner.set(key, value)

    def get(self, key):
        return self.inner.get(key)

    def add(self, key, value):
        return self.inner.add(key, value)

    def check(self, keys):
        return self.inner.check(keys)

    def wait(self, keys, timeout=ranks.PATIENCE):
        self.inner.wait(keys, timeout)


def test_making_a_group_opens_no_connection_to_the_store():
    def body(rank, size, folder):
        store = StoreThatIsNotCloned(dist.FileStore(f"{folder}/store", size))
        dist.init_process_group("anyccl", store=store, rank=rank, world_size=size, timeout=ranks.PATIENCE)
        return [total(dist.new_group([0, 1])) for _ in range(3)]

    with tempfile.TemporaryDirectory() as folder:
        assert ranks.same(2, body, folder, form_group=False) == [2, 2, 2]


class CountedRequests:
    """A proxy between one client and a server of this host that counts requests. The client makes one request
    at a time."""

    def __init__(self):
        self.count = 0

    def through(self, port):
        listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._hand_on, args=[listener, port], daemon=True).start()
        return listener.getsockname()[1]

    def _hand_on(self, listener, port):
        client, server = listener.accept()[0], socket.create_connection(("127.0.0.1", port))
        others = {client: server, server: client}
        while True:
            for ready in select.select(list(others), [], [])[0]:
                text = ready.recv(1 << 16)
                if not text:
                    return
                self.count += ready is client
                others[ready].sendall(text)


def test_a_rank_asks_the_store_once_for_what_is_there(tmp_path):
    def body(rank, size):
        requests = CountedRequests()
        store = ranks.form_with_a_served_store(rank, size, tmp_path, requests.through)
        before = store.num_keys()
        dist.barrier()
        if rank == 0:
            return total(dist.new_group([0, 1])), 1
        # Rank 0 has put its address into the store.
        assert ranks.comes_true(lambda: store.num_keys() > before)
        before = requests.count
        group = dist.new_group([0, 1])
        return total(group), requests.count - before

    assert ranks.same(2, body, form_group=False) == (2, 1)


def test_the_time_out_of_a_group_that_does_not_come_to_be_holds_in_total():
    over = ranks.Sign()

    def body(rank, size):
        if rank == 1:
            over.wait()
            return None
        watch = ranks.Stopwatch()
        with pytest.raises(dist.DistBackendError, match="Timed out"):
            dist.new_group([0, 1], timeout=timedelta(seconds=2))
        waited, took = watch.seconds(), watch.own_seconds()
        over.give()
        return waited, took

    waited, took = ranks.values(2, body, clean=False)[0]
    assert waited >= 2 and took < 4


@pytest.mark.since(15, "split_group() of groups without a device")
def test_split_groups_have_their_own_options():
    def body(rank, size):
        parent = dist.group.WORLD
        options = parent._get_backend(torch.device("cpu")).options
        assert options._timeout == ranks.PATIENCE
        mine = dist.split_group(split_ranks=[[0, 2], [1, 3]], timeout=timedelta(seconds=7), group_desc="half")
        assert dist.get_process_group_ranks(mine) == ([0, 2] if rank % 2 == 0 else [1, 3])
        assert total(mine, float(rank)) == (2.0 if rank % 2 == 0 else 4.0)
        assert mine._get_backend(torch.device("cpu")).options._timeout == timedelta(seconds=7)
        assert options._timeout == ranks.PATIENCE
        return total()

    assert ranks.values(4, body) == [4.0] * 4


@pytest.mark.since(10, "shrink_group()")
def test_a_shrunk_group_goes_on_without_a_rank():
    def body(rank, size):
        group = dist.new_group([0, 1, 2])
        assert total(group) == 3
        if rank == 1:
            return 2.0
        rest = dist.shrink_group([1], group=group)
        return total(rest)

    assert ranks.values(3, body, clean=False) == [2.0] * 3


def test_options_of_a_group_are_taken_and_those_of_others_refused():
    def body(rank, size):
        from anyccl import torch_backend

        options = torch_backend.Options()
        options.interface = "lo"
        group = dist.new_group([0, 1], pg_options=options)
        assert total(group) == 2
        with pytest.raises(TypeError, match="torch_backend.Options"):
            dist.new_group([0, 1], pg_options="fast")
        return True

    assert ranks.same(2, body, clean=False)


def test_the_handle_is_that_of_a_communicator_of_the_library():
    import ctypes

    def body(rank, size):
        library = ctypes.CDLL(find_library())
        handle = dist.group.WORLD._get_backend(torch.device("cpu")).handle()
        result = ctypes.c_int()
        assert library.anyccl_comm_size(ctypes.c_void_p(handle), ctypes.byref(result)) == 0
        return result.value

    assert ranks.same(2, body) == 2


def find_library():
    from anyccl import torch_backend

    torch_backend.load()
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return next(line.split()[-1] for line in maps if "libanyccl.so" in line)


SCRIPT = """
import os, torch, torch.distributed as dist
os.dup2(os.open("errors." + os.environ["RANK"], os.O_WRONLY | os.O_CREAT), 2)
dist.init_process_group("anyccl")
work = dist.all_reduce(torch.ones(1000), async_op=True)
work.get_future().then(lambda f: f.value())
tensor = torch.ones(5)
dist.all_reduce(tensor)
assert tensor[0] == dist.get_world_size()
{end}
print("good", dist.is_initialized())
"""


@pytest.mark.parametrize("size", [2, 4] if sample.IS_LONG else [2])
@pytest.mark.parametrize("end", ["", "dist.destroy_process_group()"], ids=["with no word", "destroyed"])
def test_torchrun_with_nothing_imported_ends_cleanly(tmp_path, size, end):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(end=end))
    command = [sys.executable, "-W", "ignore", "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={size}"]
    done = subprocess.run([*command, script], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("good") == size, done.stdout
    # torch may warn there.
    said = [Path(tmp_path, f"errors.{rank}").read_text() for rank in range(size)]
    assert not any(word in one for one in said for word in ("rror", "Exception", "FATAL")), said


def test_importing_the_package_does_not_import_torch():
    code = "import sys, anyccl; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, cwd="/")


def test_an_extension_of_another_torch_says_what_to_do(monkeypatch):
    from anyccl import _torch_version, torch_backend

    monkeypatch.setattr(_torch_version, "BUILT_FOR", "1.99.0")
    monkeypatch.setattr(torch_backend, "_extension", None)
    with pytest.raises(ImportError, match=r"beside torch 1\.99\.0.*pip install --force-reinstall"):
        torch_backend.load()
