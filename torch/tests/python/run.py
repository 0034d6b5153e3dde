"""Tests the Python package: the binding, anyccl.Communicator under several launchers, and the programs of
docs/python.md. Where torch is installed, it also tests anyccl.sar, the module for SAR's `ccl`, and
docs/sar.md.

    python torch/tests/python/run.py [--prefix INSTALLED] [--source] [NAME...]

The tests run with the Python that runs this script. --source: tests the package of this checkout instead of
the installed one, with the library of the prefix. Some programs run twice: frequent calls go through the extension of
torch/fast_path, and then through ctypes, as where there is no extension.
"""

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ports import free_port

HERE = Path(__file__).resolve().parent
TORCH = HERE.parents[1]
ROOT = TORCH.parent
SECONDS = 300
HAS_TORCH = importlib.util.find_spec("torch") is not None


def launched(prefix, ranks, *words, options=()):
    return [prefix / "bin" / "anyccl", "run", "-n", ranks, "--bind", "none", *options, sys.executable, *words]


def driver_double(prefix):
    """Returns the folder of the CUDA driver for tests. None: it was not built."""
    folders = [Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "cuda-double", prefix / "lib/anyccl/cuda-double"]
    return next((folder for folder in folders if (folder / "libcuda.so.1").exists()), None)


def forked(ranks, *words):
    return [sys.executable, HERE / "forked.py", ranks, *words]


def torchrun(ranks, *words):
    return [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", ranks, *words]


def blocks(page):
    """Returns the Python programs that a page shows. Each block is a program of its own."""
    text = page.read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def tests(prefix, folder):
    """Yields (name, command) of all tests."""
    yield "library", [sys.executable, HERE / "test_library.py"]
    yield "types", [sys.executable, HERE / "test_types.py"]
    for program in ("collectives", "messages", "buffers", "groups", "fast_path"):
        for ranks in (1, 2, 4):
            yield f"{program} on {ranks}", launched(prefix, ranks, HERE / f"ranks_{program}.py")
        yield f"{program} on 2 by ctypes", ["env", "ANYCCL_PYTHON_CTYPES=1",
                                            *launched(prefix, 2, HERE / f"ranks_{program}.py")]
    if double := driver_double(prefix):
        for ranks in (1, 2, 4):
            yield f"gpu on {ranks}", ["env", f"LD_LIBRARY_PATH={double}", *launched(prefix, ranks, HERE / "ranks_gpu.py")]
    for ranks in (1, 2, 4):
        yield f"lightgbm on {ranks}", launched(prefix, ranks, HERE / "ranks_lightgbm.py")
    yield "survivor", launched(prefix, 2, HERE / "ranks_survivor.py", options=["--keep-going"])
    if HAS_TORCH:
        yield "torch and torchrun", torchrun(2, HERE / "ranks_torch.py")
        yield "sar on 3", forked(3, HERE / "ranks_sar.py", "anyccl", "gloo")
        yield "ccl on 2", forked(2, HERE / "ranks_ccl.py")
    for page, needs_torch in (("python.md", False), ("sar.md", True)):
        for number, source in enumerate(blocks(ROOT / "docs" / page), 1):
            if needs_torch and not HAS_TORCH:
                continue
            program = Path(folder) / f"{page.removesuffix('.md')}_{number}.py"
            # The page shows the default port of SAR. The test uses a free one.
            program.write_text(source.replace("12345", str(free_port())), encoding="utf-8")
            yield f"{page} block {number}", forked(2, program) if needs_torch else launched(prefix, 2, program)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--prefix", type=Path, default=ROOT / "target" / "demo-prefix", help="where anyccl is installed")
    parser.add_argument("--source", action="store_true", help="the package of this checkout")
    parser.add_argument("names", nargs="*", help="only tests whose names begin with one of these")
    options = parser.parse_args()
    # oneccl_bindings_for_pytorch is not installed, because few programs need it.
    paths = [str(TORCH / "ccl-compat"), os.environ.get("PYTHONPATH")]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    if options.source:
        sys.path.insert(0, str(TORCH))
        import fast_path_extension

        problem = fast_path_extension.compile_fast_path(TORCH / "anyccl" / fast_path_extension.FILE, ROOT / "include")
        if problem:
            print(f"skipped: frequent calls through the extension: {problem}")
        environment["ANYCCL_LIB"] = str(options.prefix.resolve() / "lib")
        paths.insert(0, str(TORCH))
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, command in tests(options.prefix.resolve(), folder):
            if options.names and not name.startswith(tuple(options.names)):
                continue
            begun = time.perf_counter()
            try:
                done = subprocess.run(list(map(str, command)), env=environment, cwd=folder, text=True, timeout=SECONDS,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                wrong = f"exit status {done.returncode}:\n{done.stdout}" if done.returncode else None
            except subprocess.TimeoutExpired as expired:
                so_far = (expired.stdout or b"").decode(errors="replace")
                wrong = f"not finished after {SECONDS} s; so far:\n{so_far}"
            passed, failed = passed + (not wrong), failed + bool(wrong)
            seconds = time.perf_counter() - begun
            print(f"FAILED  {name}: {wrong}" if wrong else f"ok      {name} ({seconds:.1f} s)", flush=True)
            for line in [] if wrong else done.stdout.splitlines():
                if "skipped" in line and "needs two ranks" not in line:
                    print(f"        {line}", flush=True)
    if not driver_double(options.prefix.resolve()):
        print("skipped: what needs the CUDA driver for tests: build it by `cargo xtask cuda-double`")
    if not HAS_TORCH:
        print("skipped: what needs torch, which is not installed")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
