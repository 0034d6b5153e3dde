#!/usr/bin/env python3
"""Measures how long a job takes to start, and how much memory a rank needs, on this host.

    startup.py --ranks 2,8,16 --runs 20 [--json FILE]

A world is ready when the last rank has returned from anyccl_init. Its time counts from the start of `anyccl run`. Memory is the
proportional share (Pss) of the rank that needs most, with the shared memory of links. Both are medians over the runs. anyccl must
be installed in PREFIX.
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
PROGRAM = ROOT / "target" / "startup"
COLUMNS = ["init_ms", "world_ms", "pss_before_mib", "pss_world_mib", "pss_used_mib"]


def build():
    subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-O2", str(ROOT / "benches" / "startup.c"), "-o", str(PROGRAM),
                    f"-I{PREFIX}/include", f"-L{PREFIX}/lib", f"-Wl,-rpath,{PREFIX}/lib", "-lanyccl"], check=True)


def run(ranks):
    """Runs one job and returns {column: value}. Each value is that of the worst rank."""
    start = time.monotonic_ns()
    command = [str(PREFIX / "bin" / "anyccl"), "run", "--no-prefix", "-n", str(ranks), str(PROGRAM), str(start)]
    said = subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout
    lines = [[float(word) for word in line.split()] for line in said.splitlines()]
    assert len(lines) == ranks, f"a line of each rank, not {said!r}"
    worst = [max(column) for column in zip(*lines)]
    worst[2:] = [kib / 1024 for kib in worst[2:]]
    return dict(zip(COLUMNS, worst))


def measured(ranks, runs):
    found = [run(ranks) for _ in range(runs)]
    return {"ranks": ranks} | {name: round(statistics.median(one[name] for one in found), 2) for name in found[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", default="2,4,8,16", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    build()
    rows = [measured(ranks, args.runs) for ranks in args.ranks]
    print(f"{'ranks':>5} {'in init':>10} {'world':>10} {'before':>10} {'in world':>10} {'in use':>10}")
    for row in rows:
        print(f"{row['ranks']:5} {row['init_ms']:7.1f} ms {row['world_ms']:7.1f} ms"
              + "".join(f" {row[name]:6.2f} MiB" for name in COLUMNS[2:]))
    if args.json:
        lines = ",\n".join("    " + json.dumps(row) for row in rows)
        args.json.write_text(f'{{\n  "runs": {args.runs},\n  "rows": [\n{lines}\n  ]\n}}\n')


if __name__ == "__main__":
    main()
