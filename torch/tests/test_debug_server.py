"""What torch's debug server shows of the groups."""

import json
import urllib.request

import pytest
import ranks
import torch
import torch.distributed as dist

control_plane = pytest.importorskip("torch.distributed.debug", reason="torch has no debug server before 2.15")


def asked(port):
    request = urllib.request.Request(f"http://localhost:{port}/handler/anyccl_groups", method="POST")
    with urllib.request.urlopen(request, timeout=ranks.PATIENCE.total_seconds()) as answer:
        return json.load(answer)


def test_the_handler_tells_who_has_made_fewest_calls_and_what_is_under_way():
    late = ranks.Sign()

    def body(rank, size):
        server = torch._C._distributed_c10d._WorkerServer("localhost", 0)
        before = {group["group"]: group for group in asked(server.port)["groups"]}
        work = dist.all_reduce(torch.ones(4), async_op=True) if rank == 0 else None
        if rank == 1:
            dist.send(torch.ones(1), 0)
        answer = asked(server.port)["groups"]
        if rank == 1:
            late.wait()
            dist.all_reduce(torch.ones(4))
        else:
            dist.recv(torch.ones(1), 1)
            late.give()
            work.wait()
        dist.destroy_process_group()
        assert asked(server.port)["groups"] == []
        server.shutdown()
        return before, answer

    for rank, (before, answer) in enumerate(ranks.values(2, body)):
        ((name, start),) = before.items()
        (group,) = answer
        assert (start["collectives"], start["last_call"], start["failure"]) == (0, None, None)
        assert (group["group"], group["rank"], group["size"], group["failure"]) == (name, rank, 2, None)
        assert group["collectives"] == 1 - rank and group["under_way"] == 1 - rank and group["messages"] == rank
        assert group["last_call"] == ("anyccl:all_reduce", "anyccl:send")[rank]
        assert 0 <= group["seconds_since_last_call"] < ranks.PATIENCE.total_seconds()


def test_the_page_has_those_who_are_behind_first():
    from anyccl import torch_debug

    group = {"group": "0", "size": 2, "messages": 0, "under_way": 1, "last_call": None, "failure": None}
    ahead = {**group, "rank": 0, "collectives": 7, "seconds_since_last_call": 1.25}
    behind = {**group, "rank": 1, "collectives": 6, "seconds_since_last_call": None}
    text = torch_debug.table([{"groups": [ahead]}, {"groups": [behind]}, None], ["a", "b", "c"])
    first, second = text.splitlines()[3:5]
    assert first.split() == ["1", "2", "6", "0", "1", "-", "-", "-"] and second.split()[:3] == ["0", "2", "7"], text
    assert text.startswith('no answer from c\ngroup "0"\n')
    (route,), (link,) = torch_debug.GroupsHandler().routes(), torch_debug.GroupsHandler().nav_links()
    assert route.path == link.path == "/anyccl"
