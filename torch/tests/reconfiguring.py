"""Ranks for tests of reconfigure().

The handles go from rank to rank through a store that no rank owns, so it does not end with a rank.
"""

import os
import signal

import pytest
import ranks
import torch
import torch.distributed as dist

where_there_is_one = pytest.mark.skipif(
    not hasattr(dist, "_reconfigure"), reason="this release of torch has no reconfigure"
)
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
