#!/usr/bin/env python3
"""Times the steps of a small transformer by Accelerate and DeepSpeed, over gloo and over anyccl in its place.

    python3 torch/bench/compare_steps.py [--prefix INSTALLED] [--ranks 2,4] [--rounds 6] [--steps 12]

Each framework is started twice by its own command, and the two jobs train by turns (torch/tests/learners). The table has
medians over the steps, of the slowest rank. The first turn of a job and the first step of a turn do not count.
"""

import argparse
import concurrent.futures
import statistics
import sys
import tempfile
from pathlib import Path

TORCH = Path(__file__).resolve().parents[1]
TESTS = TORCH / "tests"
sys.path[:0] = list(map(str, (TORCH.parent / "capi-tests", TESTS, TESTS / "python", TESTS / "learners")))
import frameworks  # noqa: E402

# Width, layers, and tokens of a sample.
MODELS = [(64, 2, 32), (256, 4, 64), (512, 2, 8)]


def milliseconds(reports, steps):
    """Returns the median of a job's steps."""
    slowest = [max(times) for times in zip(*(one["seconds"] for one in reports))]
    return 1e3 * statistics.median(time for number, time in enumerate(slowest) if number >= steps and number % steps)


def measure(name, ranks, model, options):
    """Returns the times of a step over gloo and over anyccl."""
    sizes = dict(zip(("TINY_WIDTH", "TINY_LAYERS", "TINY_LENGTH"), map(str, model)))
    sizes["TINY_STEPS"] = str(options.rounds * options.steps)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ProcessPoolExecutor(2) as pool:
        jobs = [pool.submit(frameworks.train, name, ranks, options.prefix, TURNS=f"{folder}:{number}:{options.steps}", **sizes,
                            **more) for number, more in enumerate([{}, frameworks.AS_GLOO])]
        return [milliseconds(job.result(), options.steps) for job in jobs]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", type=Path, default=TORCH.parent / "target/test-prefix", help="where anyccl is installed")
    parser.add_argument("--frameworks", default="accelerate,deepspeed")
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--rounds", type=int, default=6, help="turns of each job")
    parser.add_argument("--steps", type=int, default=12, help="steps of a turn")
    options = parser.parse_args()
    options.prefix = options.prefix.resolve()
    frameworks.package(options.prefix)
    print("| framework | ranks | width x layers | tokens of a rank | gloo | anyccl | gloo / anyccl |\n|---|---|---|---|---|---|---|")
    for name in options.frameworks.split(","):
        for ranks in map(int, options.ranks.split(",")):
            for width, layers, length in MODELS:
                gloo, ours = measure(name, ranks, (width, layers, length), options)
                row = name, ranks, f"{width} x {layers}", 4 * length, f"{gloo:.2f} ms", f"{ours:.2f} ms", f"{gloo / ours:.2f}"
                print("|", " | ".join(map(str, row)), "|", flush=True)


if __name__ == "__main__":
    main()
