#!/usr/bin/env python3
"""Tests the plug-ins for learners with releases from PyPI: LightGBM, Ray, JAX and vLLM; and frameworks that train over gloo.

    python3 torch/tests/learners/run.py [--prefix INSTALLED] [TEST...]

The package is that of this checkout, with the library of the prefix. The releases are installed into target/.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TORCH = HERE.parents[1]
sys.path[:0] = [str(TORCH.parent / "capi-tests"), str(TORCH / "tests"), str(TORCH / "tests/python")]
import frameworks  # noqa: E402
import install  # noqa: E402
import pypi  # noqa: E402
import vllm_release  # noqa: E402
from ports import unheld_port  # noqa: E402

LIGHTGBM = ["lightgbm==4.7.0", "numpy", "scipy"]
JAX = ["jax==0.10.2", "jaxlib==0.10.2"]
SECONDS = 300


def run(*command, **more):
    return subprocess.run(list(map(str, command)), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, **more)


def passed(done):
    assert done.returncode == 0, done.stdout
    return done.stdout


def over_sockets(python, kind, file, ranks):
    ports = [unheld_port() for _ in range(ranks)]
    started = [subprocess.Popen(list(map(str, [python, HERE / "train_trees.py", kind, file, "--rank", rank, "--ports", *ports])),
                                text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for rank in range(ranks)]
    for one in started:
        said = one.communicate(timeout=SECONDS)[0]
        assert one.returncode == 0, said


def trees(prefix, folder):
    """LightGBM trains the trees over anyccl that it trains over its sockets."""
    python = pypi.environment(pypi.TARGET / "lightgbm", LIGHTGBM)
    for kind, ranks in [("data", 2), ("data", 3), ("data", 4), ("voting", 3)]:
        ours, theirs = folder / f"anyccl-{kind}-{ranks}", folder / f"sockets-{kind}-{ranks}"
        over_sockets(python, kind, theirs, ranks)
        passed(run(prefix / "bin/anyccl", "run", "-n", ranks, "--bind", "none", python, HERE / "train_trees.py", kind, ours))
        for rank in range(ranks):
            mine, its = (Path(f"{file}-{rank}").read_text(encoding="utf-8") for file in (ours, theirs))
            assert mine.count("\nTree=") == 20 and mine == its, f"{kind} on {ranks}: rank {rank} has other trees"


def death(prefix, folder):
    """A rank of LightGBM that loses another one ends with the reason."""
    python = pypi.environment(pypi.TARGET / "lightgbm", LIGHTGBM)
    done = run(prefix / "bin/anyccl", "run", "-n", 2, "--bind", "none", "--keep-going", python, HERE / "train_trees.py", "data",
               folder / "death", "--killed", 1)
    assert done.returncode != 0 and not list(folder.glob("death-*")), done.stdout
    assert "rank 0 ends, because LightGBM takes no error" in done.stdout and "PeerLostError" in done.stdout, done.stdout


def ray(_prefix, _folder):
    """Two actors of Ray make every call, with arrays of NumPy, and with tensors of PyTorch where it is installed."""
    python, environment = pypi.environment(pypi.TARGET / "ray", frameworks.RAY), dict(os.environ)
    passed(run(python, HERE / "ray_group.py", env=environment))
    if not install.has_torch():
        print("skipped: Ray with tensors of PyTorch, which is not in target/")
        return
    install.make_environment()
    packages = next(install.PACKAGES.glob("lib/python*/site-packages"))
    environment["PYTHONPATH"] += f"{os.pathsep}{packages}"
    passed(run(python, HERE / "ray_group.py", "--torch", env=environment))


def jax(prefix, _folder):
    """Processes of JAX on CPUs make collectives 150 times, and train as one process does."""
    python = pypi.environment(pypi.TARGET / "jax", JAX)
    for ranks in (2, 4):
        said = passed(run(prefix / "bin/anyccl", "run", "--as", "jax", "-n", ranks, "--bind", "none", python, HERE / "jax_calls.py"))
        assert said.count(" is right") == ranks and "MPI is anyccl" in said, said


def page(prefix, folder):
    """The programs of docs/frameworks.md run."""
    text = (TORCH.parent / "docs/frameworks.md").read_text(encoding="utf-8")
    files = [folder / "train.py", folder / "actors.py"]
    for file, source in zip(files, re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL), strict=True):
        file.write_text(source, encoding="utf-8")
    passed(run(prefix / "bin/anyccl", "run", "-n", 2, pypi.environment(pypi.TARGET / "lightgbm", LIGHTGBM), files[0]))
    assert "[array([2., 2., 2.]), array([2., 2., 2.])]" in passed(run(pypi.environment(pypi.TARGET / "ray", frameworks.RAY), files[1]))


TESTS = (trees, death, ray, jax, page, vllm_release.vllm_calls, vllm_release.vllm_model, *frameworks.tests())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--prefix", type=Path, default=TORCH.parent / "target/test-prefix", help="where anyccl is installed")
    every = {test.__name__: test for test in TESTS}
    parser.add_argument("tests", nargs="*", choices=[*every, []], help="all of them by default")
    options = parser.parse_args()
    prefix = options.prefix.resolve()
    os.environ.update(PYTHONPATH=str(TORCH), ANYCCL_LIB=str(prefix / "lib"), OMP_NUM_THREADS="1", RAY_AUTH_MODE="disabled",
                      RAY_USAGE_STATS_ENABLED="0", RAY_worker_niceness="0")
    failed = 0
    for test in [every[name] for name in options.tests] or every.values():
        with tempfile.TemporaryDirectory() as folder:
            try:
                test(prefix, Path(folder))
                print(f"ok      {test.__name__}: {test.__doc__}", flush=True)
            except pypi.Missing as reason:
                print(f"skipped: {test.__name__}: {reason}", flush=True)
            except (AssertionError, subprocess.TimeoutExpired) as wrong:
                failed += 1
                print(f"FAILED  {test.__name__}: {wrong}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
