#!/usr/bin/env python3
"""A benchmark of messages of anyccl's MPI library beside other MPIs, in one interleaved run: latency, a window, a vector.

    messages.py [--rounds 5] [--peers mpich,intelmpi]

Needs the libraries that install.py installs. A figure is the least of all rounds. With a ratio above 1, anyccl is faster than the
best other MPI.
"""

import argparse
import os
import subprocess
import sys

import contestants
from contestants import HERE, OUR_MPI, PEERS

TIMEOUT = 120


def build(library):
    """Builds messages.c for a library. Returns False if the library is not installed."""
    if not contestants.program(library).exists():
        return False
    target = PEERS / "programs" / f"{library}-messages"
    for command in contestants.build_commands(library):
        words = [word for word in command if word not in (HERE / "bench.c", HERE / "cases.c")]
        words = [HERE / "messages.c" if word == HERE / "mpi.c" else word for word in words]
        words = [target if word == contestants.program(library) else word for word in words]
        subprocess.run([str(word) for word in words], check=True)
    return True


def run(contestant, library, cores):
    command = [str(word) for word in contestant.command_for(2, cores)]
    command = [f"{word}-messages" if word == str(contestants.program(library)) else word for word in command]
    done = subprocess.run(command, env=os.environ | contestant.environment, capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode != 0:
        print(f"{contestant.name}: exit {done.returncode}: {done.stderr.strip()[-300:]}", file=sys.stderr)
    rows = (line.rsplit(",", 1) for line in done.stdout.splitlines() if "," in line)
    return {name: float(microseconds) for name, microseconds in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers", default="mpich,openmpi,intelmpi")
    args = parser.parse_args()
    libraries = [name for name in [OUR_MPI, *args.peers.split(",")] if build(name)]
    if len(libraries) < 2 or libraries[0] != OUR_MPI:
        sys.exit("nothing to compare: benches/peers/install.py")
    cores = len(os.sched_getaffinity(0))
    turns = []
    for library in libraries:
        known = contestants.installed("shm", ["anyccl"] if library == OUR_MPI else [library])
        turns += [(c, library) for c in known if library != OUR_MPI or c.name == OUR_MPI]
    least = {}
    for number in range(args.rounds):
        for contestant, library in turns[number % len(turns):] + turns[:number % len(turns)]:
            for name, microseconds in run(contestant, library, cores).items():
                cells = least.setdefault(name, {})
                cells[contestant.name] = min(microseconds, cells.get(contestant.name, microseconds))
    for name, cells in least.items():
        ours = cells.pop(OUR_MPI)
        best = min(cells, key=cells.get)
        others = ", ".join(f"{peer} {cells[peer]:.3f}" for peer in cells)
        print(f"{name}: {OUR_MPI} {ours:.3f} us; {others}; best other over ours: {cells[best] / ours:.2f}")


if __name__ == "__main__":
    main()
