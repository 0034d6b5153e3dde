#!/usr/bin/env python3
"""Runs `make test`: prints which parts are left out and why, runs the others, and prints the time of each.

    make_test.py [--jobs N] [--preflight] [PART...]
    make_test.py --long [PART...]

A part is the target part-PART of the Makefile. Each part belongs to a lane, and of each lane one part runs at a time: cargo and the
Rust tests keep all processors busy by themselves, the other parts mostly one, and tests that wait none. What the parts need from
PyPI is downloaded meanwhile. Each line of output begins with the name of its part; the whole output of a part is in
target/test-logs, too.

With --long, the parts are those of `make test-long`, one at a time.
"""

import argparse
import contextlib
import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path
from typing import NamedTuple

import kept_crates

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target"
LOGS = TARGET / "test-logs"
sys.path[:0] = [str(ROOT / "torch" / "tests"), str(ROOT / "capi-tests"), str(ROOT / "tests")]
import install as torch  # noqa: E402
import nightly  # noqa: E402
import pypi  # noqa: E402


class Plan(NamedTuple):
    """When a part may begin: its lane is free, and the parts that it needs have ended."""

    lane: str
    needs: tuple = ()


# In each lane, the parts begin in this order.
PARTS = {
    # Programs and libraries, the prefix and the examples that the other parts use.
    "build": Plan("cargo"),
    "compile": Plan("cargo", ("build",)),
    "unit": Plan("cargo", ("compile",)),
    "check": Plan("cargo", ("compile",)),
    # Rust tests that mostly wait.
    "waiting": Plan("waiting", ("compile",)),
    "c-api": Plan("programs", ("build",)),
    "torch": Plan("programs", ("build",)),
    "python": Plan("programs", ("build",)),
    "mpi-quick": Plan("programs", ("build",)),
    "backends": Plan("programs", ("build",)),
    "nccl": Plan("programs", ("build",)),
    # With torchrun, if torch has installed it.
    "launchers": Plan("programs", ("build",)),
    "examples": Plan("programs", ("build",)),
    "benches": Plan("programs", ("build",)),
}
# Of `make test-long`.
LONG = {
    "build": Plan("all"),
    # First, while nothing else runs.
    "before": Plan("all"),
    "full": Plan("all", ("build",)),
    "seeds": Plan("all", ("build",)),
    "worlds": Plan("all"),
    "rustdoc": Plan("all"),
    "features": Plan("all"),
    "release": Plan("all", ("build",)),
    "mpi": Plan("all", ("build",)),
    "windows": Plan("all", ("build",)),
    "learners": Plan("all", ("build",)),
    "releases": Plan("all", ("build",)),
    "wire": Plan("all", ("build",)),
    "fuzz": Plan("all"),
    "miri": Plan("all"),
    "asan": Plan("all", ("build",)),
    "tsan": Plan("all"),
    "repeats": Plan("all", ("build",)),
    "wheels": Plan("all"),
    "bare-machine": Plan("all"),
}
# Lines by which cargo, nextest, pytest, our own runners and compilers name what failed, by which a watchdog of the Rust tests names
# what hangs, and by which cargo tells how a test program ended.
NAMES_FAILED_TEST = re.compile(
    r"\.\.\. FAILED$|^FAILED|^ +(FAIL|TIMEOUT|SIG\w+|ABORT) \[|^error[:\[]|^HANGS: |process didn't exit successfully")
BEGINS_REASON = re.compile(r"panicked at|^E  ")
MOST_LINES = 20


def preflight(parts):
    """Return {part: why it is left out}, and sentences about tests that are left out of other parts."""
    left_out, smaller = {}, []
    for tool in ("cargo-fmt", "cargo-clippy"):
        if not shutil.which(tool):
            left_out["check"] = f"{tool} is missing: rustup component add rustfmt clippy"
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        left_out |= {part: "needs root and debootstrap: apt-get install debootstrap" for part in ("wheels", "bare-machine")}
    for part in ("miri", "asan", "tsan"):
        if part in parts and (why := nightly.why_missing(*nightly.NEEDED[part])):
            left_out[part] = why
    if "fuzz" in parts and ((why := nightly.why_missing()) or not shutil.which("cargo-fuzz")):
        left_out["fuzz"] = why or "needs cargo-fuzz: cargo install cargo-fuzz"
    unreachable = pypi.why_unreachable()
    if unreachable:
        left_out["releases"] = unreachable
        if not (TARGET / "numpy" / "installed.txt").exists():
            left_out["python"] = f"NumPy is not in target/, and {unreachable}"
        if not shutil.which("cmake") and not (TARGET / "cmake" / "installed.txt").exists():
            left_out["c-api"] = f"cmake is missing, and {unreachable}"
        if not torch.has_torch():
            left_out["torch"] = f"PyTorch is not in {torch.HOME}, and {unreachable}"
        smaller.append(f"{unreachable}: of MPICH, Intel MPI, Open MPI, oneCCL, NCCL, cupy and Doxygen, those missing in target/ are left out")
    headers = Path(sysconfig.get_path("include"), "Python.h")
    if not headers.exists():
        left_out["torch"] = f"{headers} is missing: install python3-dev (Debian), python3-devel (Fedora)"
    if "torch" not in left_out and not torch.has_torch():
        smaller.append("PyTorch is downloaded first: 5 GB")
    if not shutil.which("valgrind"):
        smaller.append("valgrind is missing: instructions are not counted, and AddressSanitizer looks for leaks instead")
    if not shutil.which("pkg-config") and not shutil.which("pkgconf"):
        smaller.append("pkg-config is missing: the test that builds a program with it is left out")
    for shell in filter(lambda shell: not shutil.which(shell), ("zsh", "fish")):
        smaller.append(f"{shell} is missing: the completion for it is made, but not loaded")
    if not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))):
        smaller.append("chromium is missing: the page of perf is made, but its script does not run")
    if not shutil.which("cargo-deny"):
        smaller.append("cargo deny is missing: licences of crates are checked, advisories are not")
    if os.geteuid() != 0 or not all(map(shutil.which, ("ip", "tc"))):
        smaller.append("network namespaces need root and iproute2: jobs on several hosts run on simulated hosts only")
    free, wanted = shutil.disk_usage(ROOT).free / 1e9, 8 if "torch" in left_out else 16
    if free < wanted:
        smaller.append(f"{free:.0f} GB are free here; the tests need up to {wanted} GB")
    # Both parts test the Python package, one with PyTorch and one without; the one with PyTorch is enough.
    if "torch" not in left_out:
        left_out.pop("python", None)
    return {part: why for part, why in left_out.items() if part in parts}, smaller


class Part:
    """One part of the tests, which runs or has ended."""

    say = threading.Lock()

    def __init__(self, name):
        self.name, self.ok, self.seconds, self.processor_seconds = name, False, 0.0, 0.0

    def run(self, make):
        begun = time.monotonic()
        with open(LOGS / f"{self.name}.log", "w", encoding="utf-8") as log:
            # make waits for all processes of the part.
            process = subprocess.Popen([*make, f"part-{self.name}"], cwd=ROOT, text=True, errors="replace", stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            for line in process.stdout:
                log.write(line)
                with Part.say:
                    print(f"{self.name:9} | {line}", end="", flush=True)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.ok = process.returncode == 0
        self.seconds, self.processor_seconds = time.monotonic() - begun, usage.ru_utime + usage.ru_stime


def print_failures(name):
    """Prints which tests of a part failed, so that the end of the output tells it."""
    lines = (LOGS / f"{name}.log").read_text(encoding="utf-8").splitlines()
    names = [line for line in lines if NAMES_FAILED_TEST.search(line)]
    # The line behind a panic's place is its message.
    reasons = [pair for pair in itertools.pairwise(lines) if BEGINS_REASON.search(pair[0])]
    found = [*names, *itertools.chain.from_iterable(reasons)] or lines[-MOST_LINES:]
    print(f"\n{name} failed; target/test-logs/{name}.log has all of it:")
    for line in found[:MOST_LINES]:
        print(f"  {line[:300]}")
    if len(found) > MOST_LINES:
        print(f"  and {len(found) - MOST_LINES} lines more")


class Schedule:
    """The order of the parts. A part begins when the parts that it needs have ended and its lane is free. A failed part does not stop
    the others."""

    def __init__(self, names, plans, most):
        self.waiting, self.running, self.ended = list(names), {}, {}
        self.plans, self.most, self.changed = plans, most, threading.Condition()

    def may_begin(self, name):
        open_ones = {*self.waiting, *self.running}
        lanes = {self.plans[other].lane for other in self.running}
        return self.plans[name].lane not in lanes and not open_ones.intersection(self.plans[name].needs)

    def run(self, make):
        """Run all parts, at most `most` at a time."""
        with self.changed:
            while self.waiting or self.running:
                name = next(filter(self.may_begin, self.waiting), None)
                if name is None or len(self.running) >= self.most:
                    self.changed.wait()
                    continue
                self.waiting.remove(name)
                self.running[name] = Part(name)
                # A daemon, so that it begins nothing more when the main thread is interrupted.
                threading.Thread(target=self.run_part, args=[self.running[name], make], daemon=True).start()

    def run_part(self, part, make):
        part.run(make)
        with self.changed:
            self.ended[part.name] = self.running.pop(part.name)
            self.changed.notify_all()


@contextlib.contextmanager
def downloading(names):
    """Download in the background. The downloads have a session of their own, so that pip ends with them."""
    with open(LOGS / "downloads.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen([sys.executable, ROOT / "capi-tests" / "download_all.py", *names], stdin=subprocess.DEVNULL,
                                   stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def make_command():
    """Return the make command of a part. `build` has made the prefix and the examples, so INSTALLED=1 keeps make from making them again
    while other parts use them. The job server of an outer `make -j` is not passed on."""
    flags = os.environ.get("MAKEFLAGS", "").split()
    os.environ["MAKEFLAGS"] = " ".join(word for word in flags if not word.startswith(("-j", "--jobserver")))
    return [os.environ.get("MAKE", "make"), "--no-print-directory", "INSTALLED=1"]


def with_needs(wanted, plans):
    """Return these parts and all that they need, in the order of the plans."""
    names, more = set(), set(wanted)
    while more:
        names |= more
        more = {other for name in more for other in plans[name].needs} - names
    return [name for name in plans if name in names]


def use_what_is_built():
    """Let the parts use what `build` has built. `cargo xtask` and `cargo build` would wait for the cargo of another part."""
    os.environ |= {"XTASK": str(TARGET / "debug" / "xtask"), "ANYCCL_TEST_BUILT": "1"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--jobs", type=int, default=3, help="most parts that run at a time (default: 3, one of each lane)")
    parser.add_argument("--preflight", action="store_true", help="print what would be left out, and exit")
    parser.add_argument("--long", action="store_true", help="the parts of `make test-long`")
    parser.add_argument("parts", nargs="*", metavar="PART", help="parts to run (default: all)")
    options = parser.parse_args()
    plans = LONG if options.long else PARTS
    names = with_needs(options.parts or plans, plans)
    left_out, smaller = preflight(names)
    if "torch" in names and "torch" not in left_out and not options.parts:
        names.remove("python")
    names = [name for name in names if name not in left_out]
    for part, why in left_out.items():
        print(f"left out: {part}: {why}")
    for sentence in smaller:
        print(f"note: {sentence}")
    print(f"parts: {', '.join(names)}", flush=True)
    if options.preflight:
        return
    LOGS.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    schedule = Schedule(names, plans, options.jobs)
    with downloading(names):
        kept_crates.restore()
        if "build" in names:
            use_what_is_built()
        schedule.run(make_command())
    print()
    for name in names:
        part = schedule.ended[name]
        print(f"{'passed' if part.ok else 'FAILED':9}{name:12}{part.seconds:6.0f} s{part.processor_seconds:8.0f} s of processors")
    for part, why in left_out.items():
        print(f"left out {part:12}{why}")
    failed = [name for name in names if not schedule.ended[name].ok]
    # Whatever else has failed: now all crates are built.
    if {"compile", "check"}.issubset({*names} - {*failed}):
        kept_crates.keep()
    for name in failed:
        print_failures(name)
    spent = sum(part.processor_seconds for part in schedule.ended.values())
    print(f"{time.monotonic() - begun:.0f} s in all, {spent:.0f} s of processors")
    print(f"{len(names) - len(failed)} passed, {len(failed)} failed, {len(left_out)} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
