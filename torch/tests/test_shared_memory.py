"""Ordinary tensors in memory that the other ranks of the host read in place: ANYCCL_TORCH_MEMORY=shared."""

import copy
import ctypes
import io
import os
import resource
import threading
from pathlib import Path

import numpy
import pytest
import ranks
import torch
import torch.distributed as dist
from anyccl import torch_backend
from anyccl._capi import library
from torch.utils.data import DataLoader, Dataset

MIB = 1 << 20
# Elements of float32 in a tensor that is shared.
SHARED = 100_000


@pytest.fixture(autouse=True)
def asks_for_shared_memory(monkeypatch):
    """What the ranks inherit. This process has no group, so it shares nothing itself."""
    monkeypatch.setenv("ANYCCL_TORCH_MEMORY", "shared")


def is_shared(tensor):
    """Whether the tensor is in memory that other ranks read in place."""
    start, size = tensor.data_ptr(), tensor.untyped_storage().nbytes()
    shared, load = ctypes.c_int(), library.load()
    assert load.anyccl_mem_register(start, size, ctypes.byref(shared)) == 0
    assert load.anyccl_mem_deregister(start, size) == 0
    return shared.value == 1


def files():
    """The descriptors of this process whose memory other ranks read, and those of other ranks."""
    links = ((int(entry.name), os.readlink(entry)) for entry in Path("/proc/self/fd").iterdir() if entry.is_symlink())
    return [number for number, target in links if target.startswith("/memfd:anyccl ")]


def resident():
    """Bytes that the memory of this process has which other ranks can read. Its file is the largest of a lone rank."""
    return os.fstat(max(files(), key=lambda file: os.fstat(file).st_size)).st_blocks * 512


def mapped_for_reading():
    """Number of mappings of other ranks' memory. A rank makes one for the first message that it reads in place."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    return sum("/memfd:anyccl " in line and line.split()[1] == "r--s" for line in lines)


def in_child(body):
    """What `body()` returns in a child of fork."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        answer = b"failed"
        try:
            answer = repr(body()).encode()
        finally:
            os.write(writer, answer)
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        text = answer.read()
    assert os.waitpid(child, 0)[1] == 0 and text != "failed", text
    return eval(text)


def alone(body):
    """Runs a test in a process that is the only rank of its group."""
    assert ranks.values(1, lambda rank, size: body()) == [None]


def calls(rank, size):
    whole = torch.arange(SHARED * size, dtype=torch.float32) * (rank + 1)
    results = {}
    results["all_reduce"] = whole.clone()
    dist.all_reduce(results["all_reduce"])
    results["all_gather"] = torch.empty(SHARED * size)
    dist.all_gather_into_tensor(results["all_gather"], whole[:SHARED].clone())
    results["reduce_scatter"] = torch.empty(SHARED)
    dist.reduce_scatter_tensor(results["reduce_scatter"], whole)
    results["all_to_all"] = torch.empty(SHARED * size)
    dist.all_to_all_single(results["all_to_all"], whole)
    results["broadcast"] = whole.clone()
    dist.broadcast(results["broadcast"], size - 1)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(300, 300))
    torch.nn.init.constant_(model.module.weight, 0.001)
    model(whole[:3000].view(10, 300)).sum().backward()
    results["ddp"] = model.module.weight.grad
    return {name: (tensor.double().sum().item(), tensor.flatten()[[0, 7, -1]].tolist()) for name, tensor in results.items()}


@pytest.mark.parametrize("size", [2, 4])
def test_results_are_the_same_with_and_without(monkeypatch, size):
    shared = ranks.values(size, calls)
    monkeypatch.delenv("ANYCCL_TORCH_MEMORY")
    assert ranks.values(size, calls) == shared


def test_the_other_rank_reads_in_place(monkeypatch, capfd):
    def body(rank, size):
        part, whole = torch.full((SHARED,), rank + 1.0), torch.empty(SHARED * size)
        before = mapped_for_reading()
        dist.all_gather_into_tensor(whole, part)
        assert whole.view(size, -1)[:, -1].tolist() == [1, 2]
        return is_shared(part), mapped_for_reading() > before

    assert ranks.values(2, body) == [(True, True)] * 2
    assert "means nothing" not in capfd.readouterr().err, "the library knows the variable"
    monkeypatch.delenv("ANYCCL_TORCH_MEMORY")
    assert ranks.values(2, body) == [(False, False)] * 2


def test_only_tensors_of_some_size_are_shared():
    def body():
        before = torch.frombuffer(bytearray(4 * SHARED), dtype=torch.float32)
        assert is_shared(torch.empty(SHARED)) and is_shared(torch.ones(SHARED // 4, dtype=torch.float32))
        assert not is_shared(torch.empty(1000)) and not is_shared(before)
        assert not is_shared(torch.from_numpy(numpy.zeros(SHARED)))
        assert torch.empty(SHARED).data_ptr() % 64 == 0

    alone(body)


def test_another_value_is_an_error(monkeypatch):
    monkeypatch.setenv("ANYCCL_TORCH_MEMORY", "everywhere")
    [failed] = ranks.run(1, lambda rank, size: None)
    assert failed.type == "ValueError" and "ANYCCL_TORCH_MEMORY=everywhere" in failed.text, failed


def test_a_child_reads_what_was_there_when_it_was_forked():
    def body():
        # Its copy takes longer than the parent would need to write, if that did not wait.
        tensor = torch.arange(20 * SHARED)
        reader, writer = os.pipe()
        done = os.pipe()
        child = os.fork()
        if child == 0:
            # The parent has written before this goes on.
            os.read(reader, 1)
            is_right = torch.equal(tensor, torch.arange(20 * SHARED))
            os.write(done[1], b"y" if is_right else b"n")
            os._exit(0)
        tensor.fill_(-1)
        os.write(writer, b"!")
        assert os.read(done[0], 1) == b"y"
        os.waitpid(child, 0)
        assert is_shared(tensor)

    alone(body)


def test_what_a_child_writes_stays_in_the_child():
    def body():
        tensor = torch.zeros(SHARED)

        def write():
            tensor.add_(1)
            # A grandchild has a state of its own as well.
            of_grandchild = in_child(lambda: tensor.add_(1)[-1].item())
            return is_shared(tensor), of_grandchild, tensor[-1].item()

        assert in_child(write) == (False, 2, 1)
        assert tensor.sum().item() == 0

    alone(body)


def test_a_parent_may_drop_what_its_child_reads():
    def body():
        tensors = [torch.full((SHARED,), value) for value in range(20)]

        def read():
            os.write(started[1], b"!")
            os.read(reader, 1)
            return [tensor[-1].item() for tensor in tensors]

        reader, writer = os.pipe()
        started = os.pipe()
        seen = []
        thread = threading.Thread(target=lambda: seen.append(in_child(read)))
        thread.start()
        addresses = {tensor.data_ptr() for tensor in tensors}
        os.read(started[0], 1)
        del tensors[:]
        assert addresses & {torch.full((SHARED,), -1).data_ptr() for _ in range(20)}, "the memory is used again"
        os.write(writer, b"!")
        thread.join()
        assert seen == [list(range(20))]

    alone(body)


def test_a_child_that_drops_and_allocates_disturbs_nobody():
    def body():
        tensors = [torch.full((SHARED,), value) for value in range(20)]

        def churn():
            del tensors[::2]
            fresh = [torch.full((SHARED,), -1) for _ in range(40)]
            return [is_shared(fresh[0]), *(tensor[-1].item() for tensor in tensors)]

        assert in_child(churn) == [False, *range(1, 20, 2)]
        assert [tensor[-1].item() for tensor in tensors] == list(range(20))

    alone(body)


def test_a_child_may_share_tensors_of_its_own():
    def body():
        old = torch.full((SHARED,), 1)

        def share():
            # As a group of the child would.
            torch_backend.load().share_tensors(True)
            new = torch.full((SHARED,), 2)
            old.add_(4)
            of_grandchild = in_child(lambda: [(tensor.add_(1)[-1].item(), is_shared(tensor)) for tensor in (old, new)])
            return of_grandchild, is_shared(new), old[-1].item(), new[-1].item()

        assert in_child(share) == ([(6, False), (3, False)], True, 5, 2)
        assert old[-1].item() == 1 and is_shared(old)

    alone(body)


def test_memory_that_the_backend_allocates_is_copied_for_a_child():
    def body():
        backend = dist.distributed_c10d._get_default_group()._get_backend(torch.device("cpu"))
        tensor = backend.allocate_tensor(SHARED, dtype=torch.float32, device=torch.device("cpu")).fill_(1)
        assert is_shared(tensor)
        assert in_child(lambda: tensor.add_(1)[-1].item()) == 2
        assert tensor[-1].item() == 1

    alone(body)


def test_children_are_forked_while_threads_allocate():
    def body():
        is_over = threading.Event()

        def churn():
            while not is_over.is_set():
                assert torch.full((SHARED,), 7)[-1].item() == 7

        threads = [threading.Thread(target=churn) for _ in range(3)]
        for thread in threads:
            thread.start()
        kept = [torch.full((SHARED,), value) for value in range(5)]
        for _ in range(20):
            assert in_child(lambda: [tensor.add_(1)[0].item() for tensor in kept]) == [1, 2, 3, 4, 5]
        is_over.set()
        for thread in threads:
            thread.join()
        assert [tensor[0].item() for tensor in kept] == [0, 1, 2, 3, 4]

    alone(body)


def test_a_child_without_memory_ends_and_its_parent_goes_on():
    def body():
        tensor = torch.ones(64 * MIB // 4)
        status = Path("/proc/self/statm").read_text().split()
        limit = int(status[0]) * resource.getpagesize() + 32 * MIB
        unlimited = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (limit, unlimited[1]))
        child = os.fork()
        if child == 0:
            os._exit(0)
        resource.setrlimit(resource.RLIMIT_AS, unlimited)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
        assert tensor.sum().item() == tensor.numel()

    alone(body)


class Rows(Dataset):
    def __init__(self):
        self.rows = torch.arange(64).repeat_interleave(SHARED).view(64, SHARED)

    def __len__(self):
        return 64

    def __getitem__(self, index):
        # As an augmentation does that works in place.
        return self.rows[index].mul_(2)


def test_workers_of_a_data_loader_change_only_their_own_tensors():
    def body(rank, size):
        rows = Rows()
        assert is_shared(rows.rows)
        for _ in range(2):
            loader = DataLoader(rows, batch_size=16, num_workers=2, multiprocessing_context="fork")
            batches = torch.cat([batch[:, -1] for batch in loader])
            assert batches.tolist() == list(range(0, 128, 2))
        assert rows.rows[:, 0].tolist() == list(range(64))
        total = rows.rows[:, -1].clone()
        dist.all_reduce(total)
        return total.tolist() == list(range(0, 128, 2))

    assert ranks.same(2, body)


def test_tensors_are_saved_copied_resized_and_moved():
    def body():
        tensor = torch.rand(SHARED)
        file = io.BytesIO()
        torch.save({"tensor": tensor}, file)
        file.seek(0)
        assert torch.equal(torch.load(file)["tensor"], tensor)
        assert torch.equal(copy.deepcopy(tensor), tensor) and torch.equal(torch._lazy_clone(tensor), tensor)
        expected = tensor.tolist()
        grown = tensor.clone().resize_(3 * SHARED)
        assert is_shared(grown) and grown[:SHARED].tolist() == expected
        grown.untyped_storage().resize_(400)
        assert not is_shared(grown) and grown[:100].tolist() == expected[:100]
        tensor.share_memory_()
        assert tensor.is_shared() and not is_shared(tensor) and tensor.tolist() == expected
        assert in_child(lambda: tensor.fill_(3)[0].item()) == 3 and tensor[-1].item() == 3

    alone(body)


def test_memory_that_is_dropped_is_used_again_and_goes_back():
    def body():
        for _ in range(50):
            torch.empty(64 * MIB)
        assert resident() < 300 * MIB
        # More than is kept for later.
        tensors = [torch.empty(100 * MIB) for _ in range(3)]
        assert resident() >= 1200 * MIB
        del tensors
        assert resident() < 1100 * MIB

    alone(body)


def test_many_tensors_from_many_threads():
    def body():
        def fill(number, sums):
            kept = []
            for turn in range(300):
                kept.append(torch.full((16_384 + turn,), number * 1000 + turn))
                if turn % 3 == 0:
                    kept.pop(turn // 7 % len(kept))
            sums[number] = all(bool((tensor == tensor[0]).all()) for tensor in kept)

        sums = [False] * 4
        threads = [threading.Thread(target=fill, args=(number, sums)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(sums)
        kept = [torch.empty(16_384) for _ in range(3000)]
        assert is_shared(kept[-1]) and len({tensor.data_ptr() for tensor in kept}) == 3000

    alone(body)
