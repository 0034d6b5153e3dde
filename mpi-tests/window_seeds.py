#!/usr/bin/env python3
"""Runs random programs on windows on 1 to 8 ranks, by shared memory, by TCP, and by both on two pretended hosts.

    window_seeds.py --prefix PREFIX                              1,000 programs by each
    window_seeds.py --prefix PREFIX --seeds 80 --ranks 3 --by tcp

random_windows.c compares each with a model. The number of a program chooses its ranks, so that the programs that failed can be run
again: a failure names them.
"""

import argparse
import sys
import time
from pathlib import Path

from programs import build, describe
from setting import job, launch, ours
from windows_apart import command

RANKS = range(1, 9)
WAYS = ("shm", "tcp", "two hosts")
# Of the programs of one job. It only ends what hangs.
SECONDS = 3600


def words(tool, program, ranks, way):
    """Returns a command, and variables for it."""
    if way == "two hosts":
        return command(tool, program, ranks, 2), {}
    return launch(tool, ranks, [program]), {"ANYCCL_TRANSPORT": way}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", type=Path, required=True, help="where anyccl is installed")
    parser.add_argument("--seeds", type=int, default=1000, help="number of programs (%(default)s)")
    parser.add_argument("--ranks", type=int, action="append", choices=RANKS, help="only these numbers of ranks")
    parser.add_argument("--by", action="append", choices=WAYS, help="only this way")
    options = parser.parse_args()
    library, tool, failed = ours(options.prefix, "std"), options.prefix.resolve() / "bin" / "anyccl", 0
    program = build("random_windows", library.abi)
    for way in options.by or WAYS:
        for ranks in options.ranks or RANKS:
            step = len(RANKS)
            seeds = range(ranks - 1, options.seeds, step)
            started = time.monotonic()
            run, variables = words(tool, program, ranks, way)
            # Half of the programs also have a thread that serves others.
            variables |= {"ANYCCL_ASYNC_PROGRESS": str(ranks % 2), "WINDOWS_FIRST": str(seeds.start), "WINDOWS_STEP": str(step),
                          "WINDOWS_SEEDS": str(len(seeds))}
            ended = job(run, library, SECONDS, **variables)
            what = f"{len(seeds)} programs by {way}, {ranks} ranks"
            if ended.status == 0 and f"{len(seeds)} programs" in ended.out:
                print(f"ok      {what} ({time.monotonic() - started:.0f} s)", flush=True)
            else:
                failed += 1
                print(f"FAILED  {what}: {describe(ended, SECONDS)}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
