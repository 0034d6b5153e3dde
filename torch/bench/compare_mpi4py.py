#!/usr/bin/env python3
"""Compares mpi4py over MPICH and anyccl, in one run.

    python3 torch/bench/compare_mpi4py.py --prefix target/demo-prefix
    python3 torch/bench/compare_mpi4py.py --calls Allreduce,bcast --rounds 31 --markdown

mpi4py, MPICH and NumPy come from PyPI into target/mpi4py-bench. MPICH's mpiexec starts two ranks, and each rank has
a communicator of both libraries. So both use the same processes on the same cores. Each point is measured in
rounds. In each round both libraries take their turn; their order changes from round to round, so other load of the
machine affects both. A turn has as many calls as take about `--milliseconds`. Its time is that of the slowest rank,
per call. The table has the median of each library, and the median of the rounds' ratios: mpi4py's time by anyccl's.
A ratio above 1 means that anyccl is faster. Send/Recv and send/recv are half of a round trip.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["mpi4py==4.1.2", "mpich==5.0.2", "numpy"]
SIZES = (8, 1 << 10, 1 << 16, 1 << 22)
# Sent by the calls in lower case.
OBJECTS = {"int": 7, "dict": {"step": 3, "loss": 0.5, "name": "epoch"}, "100 floats": [k / 3 for k in range(100)]}
LIBRARIES = ("mpi4py", "anyccl")


def cases(comm, sum_of):
    """Yields (name, what is sent, function to measure, calls that one run of it counts as) for a communicator of either
    library: most methods have the same names."""
    import numpy

    peer = 1 - comm.rank
    yield "Barrier", "", comm.Barrier, 1
    for size in SIZES:
        label = f"{size} B" if size < 1024 else f"{size >> 10} KiB" if size < 1 << 20 else f"{size >> 20} MiB"
        send, recv = numpy.ones(size // 8), numpy.empty(size // 8)
        yield "Allreduce", label, lambda s=send, r=recv: comm.Allreduce(s, r), 1
        yield "Bcast", label, lambda s=send: comm.Bcast(s, 0), 1
        if size >= 16:
            yield "Alltoall", label, lambda s=send, r=recv: comm.Alltoall(s, r), 1
        else:
            small = numpy.ones(2, "float32"), numpy.empty(2, "float32")
            yield "Alltoall", label, lambda s=small[0], r=small[1]: comm.Alltoall(s, r), 1

        def ping_pong(s=send, r=recv):
            if comm.rank == 0:
                comm.Send(s, peer, 1)
                comm.Recv(r, peer, 1)
            else:
                comm.Recv(r, peer, 1)
                comm.Send(s, peer, 1)

        yield "Send/Recv", label, ping_pong, 2
        yield "Sendrecv", label, lambda s=send, r=recv: comm.Sendrecv(s, peer, 1, r, peer, 1), 1
    for label, thing in OBJECTS.items():
        # Sums of dictionaries are not defined, and those of lists grow.
        if isinstance(thing, int):
            yield "allreduce", label, lambda t=thing: comm.allreduce(t, sum_of), 1
        yield "bcast", label, lambda t=thing: comm.bcast(t if comm.rank == 0 else None, 0), 1
        yield "sendrecv", label, lambda t=thing: comm.sendrecv(t, peer, 1, source=peer, recvtag=1), 1
        yield "allgather", label, lambda t=thing: comm.allgather(t), 1

        def ping_pong_objects(t=thing):
            if comm.rank == 0:
                comm.send(t, peer, 1)
                comm.recv(source=peer, tag=1)
            else:
                comm.recv(source=peer, tag=1)
                comm.send(t, peer, 1)

        yield "send/recv", label, ping_pong_objects, 2


def measure(options):
    """Runs on each rank."""
    from mpi4py import MPI

    import anyccl

    world = MPI.COMM_WORLD
    name = world.bcast(anyccl.unique_id() if world.rank == 0 else None)
    with anyccl.Communicator.from_id(name, world.size, world.rank) as ours:
        both = zip(cases(world, MPI.SUM), cases(ours, anyccl.SUM))
        for (call, label, theirs_once, count), (_, _, ours_once, _) in both:
            if options.calls and call not in options.calls.split(","):
                continue
            once = {"mpi4py": theirs_once, "anyccl": ours_once}
            took = {library: [] for library in LIBRARIES}
            times = {library: repeats(once[library], options.milliseconds, world) for library in LIBRARIES}
            for turn in range(options.rounds):
                for library in LIBRARIES[:: 1 if turn % 2 else -1]:
                    took[library].append(run(once[library], times[library], world) / count)
            if world.rank == 0:
                show(call, label, took, options.markdown)


def run(once, times, world):
    """Returns the seconds per call of the slowest rank."""
    world.Barrier()
    begin = time.perf_counter()
    for _ in range(times):
        once()
    return max(world.allgather((time.perf_counter() - begin) / times))


def repeats(once, milliseconds, world):
    """Returns how often a call is made in a turn."""
    run(once, 5, world)
    return max(3, min(20_000, int(milliseconds / 1000 / run(once, 20, world))))


def show(call, label, took, markdown):
    theirs, ours = (1e6 * statistics.median(took[library]) for library in LIBRARIES)
    ratio = statistics.median(a / b for a, b in zip(took["mpi4py"], took["anyccl"]))
    if markdown:
        print(f"| {call} | {label} | {theirs:.2f} | {ours:.2f} | {ratio:.2f} |", flush=True)
    else:
        print(f"{call:10} {label:10} mpi4py {theirs:9.2f} us  anyccl {ours:9.2f} us  ratio {ratio:5.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--prefix", type=Path, default=ROOT / "target" / "demo-prefix", help="where anyccl is installed")
    parser.add_argument("--calls", help="only these, with commas")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--milliseconds", type=float, default=10, help="length of a turn")
    parser.add_argument("--markdown", action="store_true", help="rows of a table")
    parser.add_argument("--rank", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rank:
        return measure(options)
    sys.path.append(str(ROOT / "capi-tests"))
    import pypi

    python = pypi.environment(ROOT / "target" / "mpi4py-bench", PACKAGES)
    environment = {**os.environ, "ANYCCL_LIB": str(options.prefix.resolve() / "lib"), "OMP_NUM_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT / "torch"), os.environ.get("PYTHONPATH")]))
    command = [python.parent / "mpiexec", "-n", 2, python, __file__, "--rank", *sys.argv[1:]]
    return subprocess.run([str(word) for word in command], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
