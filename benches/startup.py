#!/usr/bin/env python3
"""Measures how long a job takes to start, and how much memory a rank needs, on this host.

    startup.py --ranks 2,8,16 --runs 20 [--json FILE] [--before PREFIX]

A world is ready when the last rank has returned from anyccl_init. Its time counts from the start of `anyccl run`. Memory is the
proportional share (Pss) of the rank that needs most, with the shared memory of links. Both are medians over the runs. anyccl must
be installed in PREFIX. With --before, a version that is installed elsewhere takes turns with it, and its figures go to
FILE-before.json.
"""

import argparse
import json
import os
import statistics
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PREFIX = Path(os.environ.get("PREFIX", ROOT / "target" / "demo-prefix")).resolve()
COLUMNS = ["init_ms", "world_ms", "pss_before_mib", "pss_world_mib", "pss_used_mib"]


def build(prefix, name):
    program = ROOT / "target" / name
    subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-O2", str(ROOT / "benches" / "startup.c"), "-o", str(program),
                    f"-I{prefix}/include", f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-lanyccl"], check=True)
    return prefix, program


def run(version, ranks):
    """Runs one job and returns {column: value}. Each value is that of the worst rank."""
    prefix, program = version
    start = time.monotonic_ns()
    command = [str(prefix / "bin" / "anyccl"), "run", "--no-prefix", "-n", str(ranks), str(program), str(start)]
    said = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout
    lines = [[float(word) for word in line.split()] for line in said.splitlines()]
    assert len(lines) == ranks, f"a line of each rank, not {said!r}"
    worst = [max(column) for column in zip(*lines)]
    worst[2:] = [kib / 1024 for kib in worst[2:]]
    return dict(zip(COLUMNS, worst))


def measured(versions, ranks, runs):
    """Lets the versions take turns, and returns a row of each."""
    found = list(zip(*([run(version, ranks) for version in versions] for _ in range(runs))))
    return [{"ranks": ranks} | {name: round(statistics.median(one[name] for one in of_version), 2) for name in COLUMNS}
            for of_version in found]


def report(rows):
    print(f"{'ranks':>6} {'in init':>10} {'world':>10} {'before':>10} {'in world':>10} {'in use':>10}")
    for row in rows:
        print(f"{row['ranks']:6} {row['init_ms']:7.1f} ms {row['world_ms']:7.1f} ms"
              + "".join(f" {row[name]:6.2f} MiB" for name in COLUMNS[2:]))


def save(rows, runs, path):
    lines = ",\n".join("    " + json.dumps(row) for row in rows)
    path.write_text(f'{{\n  "runs": {runs},\n  "rows": [\n{lines}\n  ]\n}}\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", default="2,4,8,16", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--before", type=lambda text: Path(text).resolve(), metavar="PREFIX")
    args = parser.parse_args()
    versions = [build(PREFIX, "startup")] + ([build(args.before, "startup-before")] if args.before else [])
    now, *before = zip(*(measured(versions, ranks, args.runs) for ranks in args.ranks))
    report(now)
    for rows in before:
        print(f"in {args.before}:")
        report(rows)
    if args.json:
        save(now, args.runs, args.json)
        for rows in before:
            save(rows, args.runs, args.json.with_stem(args.json.stem + "-before"))


if __name__ == "__main__":
    main()
