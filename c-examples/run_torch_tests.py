"""Builds and runs the examples for PyTorch against the installed package: torch-extension, torch-ddp.

    python c-examples/run_torch_tests.py [--prefix INSTALLED]

The examples run in the Python that runs this script. It needs torch, NumPy and anyccl. The operator is compiled into
target/torch-extension, and compiled again only when it, torch, anyccl's headers or the place of its library have changed.
"""

import argparse
import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import anyccl
import torch

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "capi-tests"))
import pypi  # noqa: E402

TARGET = pypi.TARGET
BUILT = TARGET / "torch-extension"
SECONDS = 300


class Failure(Exception):
    """Why a test did not pass."""


def run(*command, cwd=None, **variables):
    """Runs a command and returns its output. A command that fails or hangs is a failure."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", **variables}
    try:
        done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=SECONDS, env=environment, cwd=cwd)
    except subprocess.TimeoutExpired as expired:
        raise Failure(f"not finished after {SECONDS} s; so far:\n{expired.stdout}") from None
    if done.returncode != 0:
        raise Failure(f"exit status {done.returncode}:\n{done.stdout}")
    return done.stdout


def build_extension():
    """Runs setup.py in place of pip, for the folder target/torch-extension."""
    made_of = [(HERE / "torch-extension" / name).read_text() for name in ("exchange.cpp", "setup.py")]
    made_of += [header.read_text() for header in sorted(Path(anyccl.get_include()).rglob("*.h*"))]
    made_of += [torch.__version__, anyccl.get_library_dir()]
    folder, wanted = pypi.kept(BUILT, *made_of), hashlib.sha256("\0".join(made_of).encode()).hexdigest()
    folder.mkdir(parents=True, exist_ok=True)
    stamp = folder / "made_of"
    if not stamp.exists() or stamp.read_text() != wanted:
        run(sys.executable, "setup.py", "--quiet", "build_ext", "--build-lib", folder, "--build-temp", folder / "temp",
            cwd=HERE / "torch-extension")
        stamp.write_text(wanted)


def extension(prefix, ranks):
    printed = run(prefix / "bin" / "anyccl", "run", "-n", ranks, "--no-prefix", sys.executable,
                  HERE / "torch-extension" / "exchange.py", PYTHONPATH=os.pathsep.join(
                      filter(None, [str(BUILT), os.environ.get("PYTHONPATH")])))
    expected = [
        f"rank {rank}: got {[x for other in range(ranks) for x in (2.0 * rank + 100 * other, 2.0 * rank + 1 + 100 * other)]}, "
        f"gradient {[k + 1.0 for k in range(ranks)]}" for rank in range(ranks)
    ]
    if sorted(printed.splitlines()) != expected:
        raise Failure("expected:\n" + "\n".join(expected) + "\nprinted:\n" + printed)


def training():
    printed = run(sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 2,
                  HERE / "torch-ddp" / "train.py", HERE / "05-train" / "digits.csv.gz")
    print(printed, end="")
    rows = re.findall(r"^(\w+) +([\d.]+) ms per step  accuracy ([\d.]+) %$", printed, re.MULTILINE)
    if [row[0] for row in rows] != ["gloo", "anyccl"]:
        raise Failure("does not tell of both backends:\n" + printed)
    apart = float(re.search(r"largest difference of a weight: (\S+)", printed)[1])
    if apart > 1e-3:
        raise Failure(f"the two nets are {apart} apart:\n" + printed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--prefix", type=Path, default=TARGET / "demo-prefix", help="where anyccl is installed")
    options = parser.parse_args()
    prefix = options.prefix.resolve()
    passed = failed = 0
    for name, test in (
        ("torch-extension is built", build_extension),
        ("torch-extension on 1", lambda: extension(prefix, 1)),
        ("torch-extension on 2", lambda: extension(prefix, 2)),
        ("torch-ddp on 2", training),
    ):
        try:
            test()
        except Failure as failure:
            failed += 1
            print(f"FAILED  {name}: {failure}", flush=True)
        else:
            passed += 1
            print(f"ok      {name}", flush=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
