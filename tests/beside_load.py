#!/usr/bin/env python3
"""Runs a command again and again beside busy loops: tests/beside_load.py [--times N] [--busy N] COMMAND...

A test that judges time, ports or other programs fails here sooner or later. Ends with 1 if a run failed. The output of each failed
run is in target/beside-load.
"""

import argparse
import signal
import subprocess
import sys
import time
from pathlib import Path

LOGS = Path(__file__).resolve().parent.parent / "target" / "beside-load"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--times", type=int, default=50, help="number of runs (default: 50)")
    parser.add_argument("--busy", type=int, default=4, help="number of busy loops beside them (default: 4)")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND")
    options = parser.parse_args()
    LOGS.mkdir(parents=True, exist_ok=True)
    failed = 0
    # Also when it is ended from outside, the loops end with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.busy)]
    try:
        for number in range(1, options.times + 1):
            begun = time.monotonic()
            log = LOGS / f"{number}.log"
            with open(log, "w", encoding="utf-8") as output:
                status = subprocess.run(options.command, stdout=output, stderr=subprocess.STDOUT, check=False).returncode
            failed += status != 0
            ended = f"failed with {status}: {log}" if status else "passed"
            print(f"run {number} of {options.times}: {time.monotonic() - begun:.0f} s, {ended}", flush=True)
            if not status:
                log.unlink()
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    print(f"{options.times - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
