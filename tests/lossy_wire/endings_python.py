"""A correct program that ends in one of several ways: endings_python.py HOW. Errors end it."""

import sys
from array import array

import anyccl

COUNT = 600


def check_sum(comm):
    sums = array("i", bytes(4 * COUNT))
    comm.Allreduce(array("i", range(COUNT)), sums)
    assert sums == array("i", [comm.size * i for i in range(COUNT)])


def send_from_last(comm):
    """The last rank sends to all others, and makes no other call."""
    last = comm.size - 1
    if comm.rank == last:
        for peer in range(last):
            comm.send(COUNT * "a", peer, 3)
    else:
        assert comm.recv(last, 3) == COUNT * "a"


def main(how):
    comm = anyccl.Communicator.world()
    if how == "closed":
        check_sum(comm)
        comm.close()
    elif how == "exited":
        with comm:
            check_sum(comm)
            sys.exit()
    elif how == "freed":
        with comm:
            copy = comm.dup()
            check_sum(copy)
            copy.close()
    elif how == "sent":
        with comm:
            send_from_last(comm)
    else:
        sys.exit(f"unknown: {how}")


main(sys.argv[1])
