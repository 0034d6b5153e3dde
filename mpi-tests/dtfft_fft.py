"""Computes three-dimensional Fourier transforms by dtFFT, compares them with NumPy's, and transforms them back.

dtFFT is written in Fortran, and calls MPI through MPICH's Fortran library.
"""

import dtfft
import numpy as np
from mpi4py import MPI

DIMS = [12, 10, 8]
rank = MPI.COMM_WORLD.rank
whole = np.random.default_rng(1).random((*DIMS, 2)) @ np.array([1, 1j])
expected = np.fft.fftn(whole)

for backend in ("MPI_DATATYPE", "MPI_P2P", "MPI_A2A", "MPI_P2P_SCHEDULED"):
    config = dtfft.Config(backend=getattr(dtfft.Backend, backend), enable_z_slab=False)
    plan = dtfft.PlanC2C(DIMS, executor=dtfft.Executor.FFTW3, config=config)
    first, counts, last, last_counts, size = plan.local_sizes
    before, after, again = (np.zeros(size, complex) for _ in range(3))
    # In Fortran's order, the first dimension is contiguous. After the transform, the last dimension is.
    mine = whole[tuple(slice(s, s + c) for s, c in zip(first, counts))].ravel(order="F")
    before[:mine.size] = mine
    plan.execute(before.copy(), after, dtfft.Execute.FORWARD)
    its = expected.transpose(2, 0, 1)[tuple(slice(s, s + c) for s, c in zip(last, last_counts))].ravel(order="F")
    assert np.allclose(after[:its.size], its), f"{backend}: not NumPy's transform on rank {rank}"
    plan.execute(after, again, dtfft.Execute.BACKWARD)
    assert np.allclose(again[:mine.size] / whole.size, mine), f"{backend}: not what went in, on rank {rank}"
    print(f"{rank} {backend} of {plan.backend}: {mine.size} values\n", end="", flush=True)
    plan.destroy()
