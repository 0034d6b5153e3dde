"""A correct program of PyTorch that ends in one of several ways: endings_torch.py HOW FILE. Errors end it."""

import os
import sys

import torch
import torch.distributed as dist

COUNT = 600


def check_sum(group=None):
    sums = torch.arange(COUNT)
    dist.all_reduce(sums, group=group)
    assert torch.equal(sums, dist.get_world_size() * torch.arange(COUNT))


def send_from_last():
    """The last rank sends to all others, and makes no other call."""
    last = dist.get_world_size() - 1
    if dist.get_rank() == last:
        for peer in range(last):
            dist.send(torch.full((COUNT,), 7), peer)
    else:
        got = torch.zeros(COUNT, dtype=torch.int64)
        dist.recv(got, last)
        assert got.eq(7).all()


def main(how, file):
    rank, size = int(os.environ["ANYCCL_RANK"]), int(os.environ["ANYCCL_WORLD_SIZE"])
    dist.init_process_group("anyccl", init_method=f"file://{file}", rank=rank, world_size=size)
    if how == "sent":
        send_from_last()
    elif how == "freed":
        group = dist.new_group()
        check_sum(group)
        dist.destroy_process_group(group)
    else:
        check_sum()
    if how != "left open":
        dist.destroy_process_group()


main(*sys.argv[1:])
