"""A program compiled by Numba. It calls MPI through numba-mpi, which finds the loaded library by its file name."""

import numba
import numba_mpi as mpi
import numpy as np


@numba.njit()
def exchange(items):
    rank, size = mpi.rank(), mpi.size()
    mine = np.arange(items) * 1.5 + rank
    total, high = np.zeros(items), np.zeros(1)
    assert mpi.allreduce(mine, total, operator=mpi.Operator.SUM) == 0
    assert mpi.allreduce(mine[:1].copy(), high, operator=mpi.Operator.MAX) == 0
    word = np.full(3, 7 * (rank + 1), dtype=np.int32)
    assert mpi.bcast(word, size - 1) == 0
    got = np.zeros(items)
    _, first = mpi.irecv(got, source=(rank - 1) % size, tag=11)
    _, second = mpi.isend(mine, dest=(rank + 1) % size, tag=11)
    assert mpi.wait(first) == 0 and mpi.wait(second) == 0
    mpi.barrier()
    return rank, size, total.sum(), high[0], word[0], word[2], got.sum()


print(f"{exchange(1000)}\n", end="", flush=True)
