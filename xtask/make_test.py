#!/usr/bin/env python3
"""`make test`: says what will be left out, and why; runs the parts; says what each took.

    make_test.py [--jobs N] [--preflight] [PART...]

A part is the target test-PART of the Makefile. What is built for debugging and what is built for release are independent, so parts
run beside each other, N at a time. What they need from PyPI is downloaded meanwhile. Each line of output begins with the
name of its part; the whole output of a part is in target/test-logs, too.
"""

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target"
LOGS = TARGET / "test-logs"
sys.path.append(str(ROOT / "capi-tests"))
import pypi  # noqa: E402

# What must have ended before: `build` makes the prefix and the examples that the others use.
NEEDS = {
    "check": [],
    "build": [],
    # Both build for debugging: at the same time, one would wait for the other.
    "unit": ["check"],
    "c-api": ["build"],
    "examples": ["build"],
    "nccl": ["build"],
    "mpi-quick": ["build"],
    "benches": ["build"],
    "torch": ["build"],
    "python": ["build"],
    # torch brings a torchrun.
    "launchers": ["build", "torch"],
    "backends": ["build"],
}
TORCH_VENV = Path(os.environ.get("TORCH_VENV", TARGET / "torch-venv"))


def has_torch():
    return any(TORCH_VENV.glob("lib/python*/site-packages/torch/version.py"))


def preflight(parts):
    """{part: why it is left out}, and sentences about what is left out of others."""
    left_out, smaller = {}, []
    for tool in ("cargo-fmt", "cargo-clippy"):
        if not shutil.which(tool):
            left_out["check"] = f"{tool} is missing: rustup component add rustfmt clippy"
    unreachable = pypi.why_unreachable()
    if unreachable:
        if not (TARGET / "numpy" / "installed.txt").exists():
            left_out["python"] = f"NumPy is not in target/, and {unreachable}"
        if not shutil.which("cmake") and not (TARGET / "cmake" / "installed.txt").exists():
            left_out["c-api"] = f"cmake is missing, and {unreachable}"
        if not has_torch():
            left_out["torch"] = f"PyTorch is not in {TORCH_VENV}, and {unreachable}"
        smaller.append(f"{unreachable}: what target/ does not have yet is left out, of MPICH, Intel MPI, Open MPI, oneCCL, NCCL, cupy, Doxygen")
    headers = Path(sysconfig.get_path("include"), "Python.h")
    if not headers.exists():
        left_out["torch"] = f"{headers} is missing: install python3-dev (Debian), python3-devel (Fedora)"
    if "torch" not in left_out and not has_torch():
        smaller.append("PyTorch is downloaded first: 5 GB")
    if not shutil.which("valgrind"):
        smaller.append("valgrind is missing: instructions are not counted; AddressSanitizer looks for leaks in its place")
    if not shutil.which("pkg-config") and not shutil.which("pkgconf"):
        smaller.append("pkg-config is missing: no program is built by it")
    if not shutil.which("cargo-deny"):
        smaller.append("cargo deny is missing: licences of crates are compared, advisories are not looked up")
    if os.geteuid() != 0 or not all(map(shutil.which, ("ip", "tc"))):
        smaller.append("network namespaces need root and iproute2: jobs on several hosts run on pretended ones only")
    free, wanted = shutil.disk_usage(ROOT).free / 1e9, 8 if "torch" in left_out else 16
    if free < wanted:
        smaller.append(f"{free:.0f} GB are free here; all of it takes up to {wanted} GB")
    # The package is tested in either part, with PyTorch and without.
    if "torch" not in left_out:
        left_out.pop("python", None)
    return {part: why for part, why in left_out.items() if part in parts}, smaller


class Part:
    """A part that runs, or has run."""

    say = threading.Lock()

    def __init__(self, name):
        self.name, self.ok, self.seconds, self.processor_seconds = name, False, 0.0, 0.0

    def run(self, make):
        begun = time.monotonic()
        with open(LOGS / f"{self.name}.log", "w", encoding="utf-8") as log:
            # All of it belongs to one job, whose processes are waited for by make.
            process = subprocess.Popen([*make, f"test-{self.name}"], cwd=ROOT, text=True, errors="replace", stdin=subprocess.DEVNULL,
                                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            for line in process.stdout:
                log.write(line)
                with Part.say:
                    print(f"{self.name:9} | {line}", end="", flush=True)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.ok = process.returncode == 0
        self.seconds, self.processor_seconds = time.monotonic() - begun, usage.ru_utime + usage.ru_stime


class Schedule:
    """Parts in their order, each once what it needs has ended; a failed part does not stop the others."""

    def __init__(self, names):
        self.waiting, self.ended, self.changed = list(names), {}, threading.Condition()

    def next(self):
        """The next part that may begin; None at the end. Waits where nothing may begin yet."""
        with self.changed:
            while self.waiting:
                open_ones = set(self.waiting) | {name for name, part in self.ended.items() if part is None}
                for name in self.waiting:
                    if not open_ones.intersection(NEEDS[name]):
                        self.waiting.remove(name)
                        self.ended[name] = None
                        return name
                self.changed.wait()
            return None

    def work(self, make):
        while (name := self.next()) is not None:
            part = Part(name)
            part.run(make)
            with self.changed:
                self.ended[name] = part
                self.changed.notify_all()


@contextlib.contextmanager
def downloading(names):
    """In the background, a session of its own: pip, which it starts, ends with it."""
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
    """`build` has made the prefix and the examples; nobody may make them anew while others use them. The jobs of a `make -j` around us
    are not handed on."""
    flags = os.environ.get("MAKEFLAGS", "").split()
    os.environ["MAKEFLAGS"] = " ".join(word for word in flags if not word.startswith(("-j", "--jobserver")))
    return [os.environ.get("MAKE", "make"), "--no-print-directory", "INSTALLED=1"]


def build_xtask():
    """First of all, so that parts run it as it is: `cargo xtask` would wait until a part that builds for debugging has ended."""
    if subprocess.run(["cargo", "build", "--quiet", "--package", "xtask"], cwd=ROOT, check=False).returncode == 0:
        os.environ["XTASK"] = str(TARGET / "debug" / "xtask")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--jobs", type=int, default=2, help="how many parts run at a time (2)")
    parser.add_argument("--preflight", action="store_true", help="say what would be left out, and end")
    parser.add_argument("parts", nargs="*", default=list(NEEDS), metavar="PART", help="only these")
    options = parser.parse_args()
    if "build" not in options.parts and any("build" in NEEDS[part] for part in options.parts):
        options.parts.insert(0, "build")
    left_out, smaller = preflight(options.parts)
    if "torch" not in left_out:
        options.parts = [name for name in options.parts if name != "python"]
    names = [name for name in options.parts if name not in left_out]
    for part, why in left_out.items():
        print(f"left out: {part}: {why}")
    for sentence in smaller:
        print(f"note: {sentence}")
    print(f"parts: {', '.join(names)}", flush=True)
    if options.preflight:
        return
    LOGS.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    schedule = Schedule(names)
    # Daemons: when this thread is interrupted, they begin nothing more.
    workers = [threading.Thread(target=schedule.work, args=[make_command()], daemon=True) for _ in range(options.jobs)]
    with downloading(names):
        build_xtask()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    print()
    for name in names:
        part = schedule.ended[name]
        print(f"{'passed' if part.ok else 'FAILED':9}{name:10}{part.seconds:6.0f} s{part.processor_seconds:8.0f} s of processors")
    for part, why in left_out.items():
        print(f"left out {part:10}{why}")
    failed = [name for name in names if not schedule.ended[name].ok]
    print(f"{time.monotonic() - begun:.0f} s in all")
    print(f"{len(names) - len(failed)} passed, {len(failed)} failed, {len(left_out)} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
