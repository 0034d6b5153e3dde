"""A Python program for profiler.c, with 5 sends to the right and 3 reductions in each rank."""
import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
values, got, sums = numpy.zeros(10, "i"), numpy.zeros(10, "i"), numpy.zeros(10, "i")
for i in range(5):
    request = world.Irecv(got, MPI.ANY_SOURCE)
    world.Send(values[: 2 * i], (world.rank + 1) % world.size)
    request.Wait()
values[0] = world.rank
for _ in range(3):
    world.Allreduce(values, sums)
assert sums[0] == world.size * (world.size - 1) // 2
