#!/usr/bin/env python3
"""Measures accesses to windows on anyccl, MPICH, Open MPI and Intel MPI, in turn, and prints a table of the least times.

    window_speed.py --library target/release [--rounds 7] [--ranks 2] [--transport shm]

--library is a folder with anyccl's libraries, an installed prefix or a build folder of Cargo; it runs the program that was built for
MPICH. The others come from PyPI into target/peers, with the settings of benches/peers. A library that cannot be had is left out.
"""

import argparse
import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from setting import HERE, ROOT, WORK, clean_environment, ended_job, ours, pypi

sys.path.append(str(ROOT / "benches" / "peers"))
import contestants  # noqa: E402

SOURCE = HERE / "window_speed.c"
LIBRARIES = ("mpich", "openmpi", "intelmpi")
LINE = re.compile(r"^(.+?) +(\d+) bytes +([\d.]+) us$", re.M)
SECONDS = 60


def build(library):
    """Returns the program for a library. Raises pypi.Missing."""
    home, target = contestants.PEERS / library, WORK / f"window_speed-{library}"
    pypi.environment(home, contestants.PACKAGES[library])
    place = ["-I", home / "include", "-L", home / "lib", f"-Wl,-rpath,{home / 'lib'}", "-lmpi"]
    # Intel MPI's packages have no mpicc.
    words = ["cc", "-O2", SOURCE, *place] if library == "intelmpi" else [home / "bin" / "mpicc", "-O2", SOURCE]
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([str(word) for word in [*words, "-o", target]], check=True)
    return target


def commands(mode, ranks, folder, programs):
    """Returns the command and the environment of each contestant, by its name."""
    found = {}
    for library, program in programs.items():
        # Open MPI's windows use shared memory within a host, whatever its messages use.
        if (library, mode) != ("openmpi", "tcp"):
            one = getattr(contestants, library)(mode)[0]
            words = [program if word == str(contestants.program(library)) else word
                     for word in one.command_for(ranks, os.cpu_count())]
            found[library] = (words, one.environment)
    mine = ours(folder, "mpich")
    tool = next(place for place in (folder / "anyccl", folder / "bin" / "anyccl") if place.exists())
    words = [tool.resolve(), "run", "--no-prefix", "-n", ranks, programs["mpich"]]
    return {"anyccl": (words, {"LD_LIBRARY_PATH": str(mine.folder), "ANYCCL_TRANSPORT": mode})} | found


def measured(words, more):
    """Returns {(access, bytes): microseconds} of one run."""
    ended = ended_job([str(word) for word in words], clean_environment() | more, SECONDS)
    if ended.status != 0:
        print(f"{words[0]}: status {ended.status}: {ended.err.strip()[-300:]}", file=sys.stderr)
        return {}
    return {(name, int(size)): float(time) for name, size, time in LINE.findall(ended.out)}


def table(mode, ranks, rounds, started):
    times = defaultdict(lambda: defaultdict(list))
    for _ in range(rounds):
        for name, (words, more) in started.items():
            for cell, time in measured(words, more).items():
                times[cell][name].append(time)
    names = list(started)
    print(f"\n{mode}, {ranks} ranks, least of {rounds} runs, microseconds\n")
    print("| access | " + " | ".join(names) + " |\n| --- |" + " --- |" * len(names))
    for (access, size), of in times.items():
        cells = [f"{min(of[name]):.2f}" if of[name] else "failed" for name in names]
        print(f"| {access}, {'8 B' if size == 8 else '1 MiB'} | " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--transport", choices=("shm", "tcp"))
    options = parser.parse_args()
    programs = {}
    for library in LIBRARIES:
        try:
            programs[library] = build(library)
        except (pypi.Missing, subprocess.CalledProcessError) as reason:
            print(f"{library} is left out: {reason}", file=sys.stderr)
    if "mpich" not in programs:
        sys.exit("MPICH cannot be had, for which the program is built")
    for mode in [options.transport] if options.transport else ("shm", "tcp"):
        table(mode, options.ranks, options.rounds, commands(mode, options.ranks, options.library, programs))


if __name__ == "__main__":
    main()
