#!/usr/bin/env python3
"""Runs the targets of fuzzing, for some minutes each, and prints a table.

    run.py [--minutes N] [--jobs N] [--keep] [TARGET...]

Needs cargo-fuzz and a nightly toolchain. What a target finds is in target/fuzz/artifacts. The new inputs stay in
target/fuzz/corpus, where the next run finds them. With --keep, a small set of them that reaches the same code
replaces fuzz/corpus/TARGET; the files of crashes there, found-*, stay.
"""

import argparse
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

FUZZ = Path(__file__).resolve().parent
TARGET = FUZZ.parent / "target" / "fuzz"
PROGRAMS = TARGET / "x86_64-unknown-linux-gnu" / "release"
# Most files of a kept corpus, and the longest of them.
MOST_FILES, LONGEST = 30, 2048
# Seconds of one input, and megabytes of memory.
LIMITS = ["-timeout=10", "-rss_limit_mb=2048"]


class Result(NamedTuple):
    """What became of a target."""

    name: str
    executions: int
    seconds: int
    coverage: int
    inputs: int
    found: list


def names():
    return sorted(path.stem for path in (FUZZ / "fuzz_targets").glob("*.rs"))


def corpora(name):
    """Return the folder that grows, and the one of the repository."""
    grows = TARGET / "corpus" / name
    grows.mkdir(parents=True, exist_ok=True)
    kept = FUZZ / "corpus" / name
    kept.mkdir(parents=True, exist_ok=True)
    return [grows, kept]


def run(name, seconds):
    """Run one target, and return what became of it."""
    artifacts = TARGET / "artifacts" / name
    shutil.rmtree(artifacts, ignore_errors=True)
    artifacts.mkdir(parents=True)
    options = [f"-max_total_time={seconds}", "-print_final_stats=1", f"-artifact_prefix={artifacts}/", *LIMITS]
    log = TARGET / "logs" / f"{name}.log"
    log.parent.mkdir(exist_ok=True)
    with open(log, "w", encoding="utf-8") as to:
        subprocess.run([PROGRAMS / name, *corpora(name), *options], stdout=to, stderr=subprocess.STDOUT, check=False)
    text = log.read_text(encoding="utf-8", errors="replace")

    def latest(pattern):
        return int(([0] + re.findall(pattern, text))[-1])

    executions = max(latest(r"number_of_executed_units: (\d+)"), latest(r"\n#(\d+)"))
    found = sorted(path.name for path in artifacts.iterdir())
    result = Result(name, executions, seconds, latest(r" cov: (\d+)"), latest(r" corp: (\d+)/"), found)
    print(row(result), flush=True)
    return result


def row(result):
    found = ", ".join(result.found) or "nothing"
    return f"| {result.name} | {result.executions:,} | {result.seconds // 60} min | {result.coverage} | {result.inputs} | {found} |"


def keep(name):
    """Replace the corpus of the repository by a small set of inputs that reaches the same code."""
    small = TARGET / "small" / name
    shutil.rmtree(small, ignore_errors=True)
    small.mkdir(parents=True)
    grows, kept = corpora(name)
    subprocess.run([PROGRAMS / name, "-set_cover_merge=1", f"-max_len={LONGEST}", small, kept, grows, *LIMITS], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    files = sorted(small.iterdir(), key=lambda path: (path.stat().st_size, path.name))
    step = max(1, -(-len(files) // MOST_FILES))
    for path in kept.iterdir():
        if not path.name.startswith("found-"):
            path.unlink()
    # Short and long ones; the names are hashes of the contents.
    for path in files[::step]:
        shutil.copy(path, kept / path.name[:16])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--minutes", type=float, default=10, help="of each target (default: 10)")
    parser.add_argument("--jobs", type=int, default=2, help="targets that run at a time (default: 2)")
    parser.add_argument("--keep", action="store_true", help="replace fuzz/corpus by a small set of the inputs that were found")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="targets to run (default: all)")
    options = parser.parse_args()
    targets = options.targets or names()
    command = ["cargo", "+nightly", "fuzz", "build", "--target-dir", TARGET]
    subprocess.run(command + (options.targets if len(options.targets) == 1 else []), cwd=FUZZ.parent, check=True)
    print("| target | executions | time | edges | inputs | found |\n|---|---|---|---|---|---|", flush=True)
    with ThreadPoolExecutor(options.jobs) as threads:
        results = list(threads.map(lambda name: run(name, int(60 * options.minutes)), targets))
    if options.keep:
        for name in targets:
            keep(name)
    failed = [result.name for result in results if result.found or not result.executions]
    print(f"{sum(result.executions for result in results):,} executions; {len(failed)} of {len(results)} targets found something")
    sys.exit(f"found something, or did not run: {', '.join(failed)}; see {TARGET}/logs" if failed else 0)


if __name__ == "__main__":
    main()
