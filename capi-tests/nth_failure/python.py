"""A job of the Python package whose every kind of call may fail: prints "done" if all is right, else the error."""

import array
import os
import sys
import traceback

import anyccl

COUNT = 30000


def job():
    with anyccl.Communicator.world() as comm:
        rank, size = comm.rank, comm.size
        mine, sums = array.array("i", range(rank, rank + COUNT)), array.array("i", bytes(4 * COUNT))
        comm.Allreduce(mine, sums)
        everybodys = comm.allgather({"rank": rank, "text": "x" * 8 * COUNT})
        request = comm.irecv((rank + size - 1) % size, 3)
        comm.send([rank, b"x" * 8 * COUNT], (rank + 1) % size, 3)
        got = request.wait()
        with comm.split(rank % 2, rank) as half:
            half.barrier()
        left = (rank + size - 1) % size
        if (sums != array.array("i", (size * i + size * (size - 1) // 2 for i in range(COUNT))) or got != [left, b"x" * 8 * COUNT]
                or [one["rank"] for one in everybodys] != list(range(size))):
            print("WRONG VALUE", flush=True)
            os.abort()


try:
    job()
except anyccl.Error as error:
    if len(error.message) < 20:
        print("WRONG SENTENCE")
    sys.exit(f"anyccl.{type(error).__name__}: {error}")
except BaseException:
    # The package has exceptions of its own for all that can go wrong here.
    print("WRONG EXCEPTION")
    traceback.print_exc()
    sys.exit(1)
print("done")
