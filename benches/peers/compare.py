#!/usr/bin/env python3
"""Measures anyccl beside the libraries that install.py has installed, on this machine.

    compare.py --mode shm --ranks 2,4,8 --rounds 3 --json results.json
    compare.py --ours anyccl-mem_alloc --peers anyccl       # what buffers of anyccl_mem_alloc gain
    compare.py --ours anyccl-mpi --peers anyccl             # what MPI's functions cost
    compare.py --ours anyccl-as-openmpi --peers anyccl-as-mpich   # what one ABI costs beside another
    BEFORE=PREFIX compare.py --peers anyccl-before          # this version beside the one that is installed in PREFIX

All contestants take turns, and each round begins with the next of them. Before and after each run, the script probes the cache
placement: the time of a cache line between two cores. A run in which the placement changed is thrown away and repeated. Figures are
compared within one placement only. results.py defines the ratio.
"""

import argparse
import csv
import os
import platform
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import contestants
import results
from contestants import HERE, OURS, PEERS
from results import Results

SIZES = "8,1024,65536,4194304,33554432"
# Time of a cache line from which two cores count as far. It lies between the times of cores that share a cache and of others
# (docs/lab/constants.md).
FAR_FROM_NS = 100


class Probe:
    """Probes the cache placement by the time of a cache line between two cores (placement.c)."""

    def __init__(self):
        self.binary = PEERS / "programs" / "placement"
        subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-O2", "-pthread", str(HERE / "placement.c"), "-o",
                        str(self.binary)], check=True)

    def placement(self):
        said = subprocess.run([str(self.binary)], capture_output=True, text=True, check=True).stdout
        return "near" if float(said) < FAR_FROM_NS else "far"


def run(contestant, ranks, args):
    """Runs a contestant once. Returns {(collective, bytes): median microseconds}, and what went wrong, or None."""
    with tempfile.TemporaryDirectory() as fresh:
        environment = {name: value.replace("{fresh}", fresh) for name, value in contestant.environment.items()}
        command = [*contestant.command_for(ranks, args.cores), "--sizes", args.sizes, "--seconds", str(args.seconds)]
        if args.collectives:
            command += ["--collectives", args.collectives]
        # The launcher has a session of its own, so that at a time-out it can be killed with all its ranks.
        process = subprocess.Popen([str(word) for word in command], env=os.environ | environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            said, complaints = process.communicate(timeout=args.timeout)
            trouble = None if process.returncode == 0 else f"exit {process.returncode}: {complaints.strip()[-300:]}"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
            trouble = "timeout"
    return cells_of(said, contestant.name), trouble


def cells_of(text, name):
    """Returns the cells of a run. A cell with wrong results is reported and left out."""
    cells = {}
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith("collective,")), len(lines))
    for row in csv.DictReader(lines[start:]):
        if row.get("check") == "ok":
            cells[row["collective"], int(row["bytes"])] = float(row["median_us"])
        elif row.get("check"):
            print(f"{name}: WRONG RESULT: {row['collective']}, {row['bytes']} bytes", file=sys.stderr)
    return cells


def measure(turns, args):
    """Runs all rounds, and returns {Cell: {name: microseconds}}."""
    probe, times, hopeless = Probe(), {}, set()
    for number in range(args.rounds):
        for ranks in args.ranks:
            first = number % len(turns)
            for contestant in turns[first:] + turns[:first]:
                if (contestant.name, ranks) in hopeless:
                    continue
                for attempt in range(args.attempts):
                    before = probe.placement()
                    cells, trouble = run(contestant, ranks, args)
                    placement = before if probe.placement() == before else None
                    print(f"# round {number + 1}, {ranks} ranks, {contestant.name}: {len(cells)} cells, "
                          f"{placement or 'the placement changed'}" + (f", {trouble}" if trouble else ""), file=sys.stderr)
                    if trouble:
                        hopeless.add((contestant.name, ranks))
                    if placement or trouble:
                        break
                if placement is None:
                    continue
                for (collective, size), us in cells.items():
                    of_cell = times.setdefault(results.Cell(collective, ranks, size, placement), {})
                    of_cell[contestant.name] = min(us, of_cell.get(contestant.name, us))
    return times


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mode", default="shm", choices=["shm", "tcp"])
    parser.add_argument("--ranks", default="2", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--ours", default=OURS, help="the contestant that the others are compared with")
    parser.add_argument("--peers", default="", help="libraries or contestants; default: all but anyccl's own variants")
    parser.add_argument("--collectives", default="", help="default: all")
    parser.add_argument("--sizes", default=SIZES, help="bytes of the larger buffer of a rank")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.04, help="per cell and run")
    parser.add_argument("--timeout", type=float, default=90, help="seconds of one run; a contestant that needs more is "
                        "not run again with so many ranks, what it had measured counts")
    parser.add_argument("--attempts", type=int, default=3, help="runs until one is at a single placement")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)), help="that ranks may be bound to")
    parser.add_argument("--json", type=Path, help="the cells, for plots.py and report.py")
    parser.add_argument("--add", action="store_true", help="to what that file has; of each time the lesser counts")
    args = parser.parse_args()
    if args.add and not args.json:
        parser.error("--add needs --json")
    return args


def main():
    args = arguments()
    everybody = contestants.installed(args.mode)
    wanted = [name for name in args.peers.split(",") if name]
    turns = [c for c in everybody if c.name == args.ours]
    if not turns:
        sys.exit(f"{args.ours} is not installed: benches/peers/install.py")
    turns += [c for c in contestants.installed(args.mode, wanted) if c.name != args.ours
              and (wanted and c.name in wanted or not c.name.startswith(OURS))]
    if len(turns) == 1:
        sys.exit("there is nobody to compare with: benches/peers/install.py")
    about = {"processor": processor(), "cores": str(args.cores), "kernel": platform.release(),
             "program": "benches/peers/bench.c", "rounds": str(args.rounds),
             "contestants": ", ".join(c.name for c in turns if c.name != args.ours)}
    found = Results(args.mode, about, args.ours, measure(turns, args))
    if args.add and args.json.exists():
        found = found.add(results.load(args.json))
    if not found.list:
        sys.exit("no cell was measured on both sides")
    print(results.table(found))
    print(results.summary(found))
    if args.json:
        found.save(args.json)


if __name__ == "__main__":
    main()
