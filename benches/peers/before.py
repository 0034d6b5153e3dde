#!/usr/bin/env python3
"""Measures this version of anyccl beside that of another commit, and prints the cells in which it is slower.

    before.py v0.1.0                            the version of a tag
    before.py HEAD~1 --mode tcp --ranks 2       what the last commit cost over TCP
    before.py main --sizes 65536 --rounds 8     one size, more rounds

The other commit is built once, and installed in target/before/COMMIT. Further options are those of compare.py. The ratio of a cell
is the time before, divided by the time now. A cell counts as slower below 0.97. Cells of one run differ by a few percent without a
reason: what is slower in three runs of three is a loss.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import results
from contestants import HERE, OURS, PEERS, PREFIX, ROOT

# The ratio below which a cell is printed.
SLOWER_BELOW = 0.97


def install(commit):
    """Installs the version of a commit, unless it is installed. Returns the folder."""
    home = ROOT / "target" / "before" / commit[:12]
    prefix, sources = home / "prefix", home / "sources"
    if (home / "installed").exists():
        return prefix
    print(f"building {commit[:12]}, which takes some minutes", file=sys.stderr)
    sources.mkdir(parents=True, exist_ok=True)
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout
    subprocess.run(["tar", "-x", "-C", sources], input=archive, check=True)
    # It has a build folder of its own: flags and profiles may differ.
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MFLAGS", "PREFIX")}
    subprocess.run(["make", "install", f"PREFIX={prefix}"], cwd=sources, check=True,
                   env=environment | {"CARGO_TARGET_DIR": str(sources / "target")})
    (home / "installed").touch()
    return prefix


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commit", help="a tag, a branch or a commit")
    args, options = parser.parse_known_args()
    named = subprocess.run(["git", "rev-parse", "--verify", f"{args.commit}^{{commit}}"], cwd=ROOT, capture_output=True, text=True)
    if named.returncode:
        sys.exit(f"{args.commit} is no commit of this repository")
    before = install(named.stdout.strip())
    report = PEERS / "before.json"
    report.unlink(missing_ok=True)
    subprocess.run([sys.executable, HERE / "install.py", "--build", OURS], check=True)
    subprocess.run([sys.executable, HERE / "compare.py", "--peers", f"{OURS}-before", "--json", report, *options],
                   check=True, env=os.environ | {"BEFORE": str(before), "PREFIX": str(PREFIX)})
    slower = [result for result in results.load(report).behind() if result.ratio < SLOWER_BELOW]
    print(f"slower than {args.commit} (below {SLOWER_BELOW}): {len(slower)} cells")
    for result in slower:
        cell = result.cell
        print(f"  {cell.collective}, {cell.ranks} ranks, {results.size_text(cell.bytes)}, {cell.placement}: "
              f"{result.ours:.2f} us, before {result.best:.2f} us: {result.ratio:.2f}")


if __name__ == "__main__":
    main()
