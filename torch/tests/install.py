#!/usr/bin/env python3
"""Makes target/torch-venv, with PyTorch and this package, for `make test-torch`.

    install.py               PyTorch from PyPI (5 GB, once), and the package from this folder
    install.py --only-us     the package alone
    install.py --numpy       neither: makes target/numpy, with NumPy, where the package is tested without PyTorch

A PyTorch that is already in the environment is kept, so a second run needs no network. TORCH names another
release; TORCH_VENV names another place. libanyccl is the one of ANYCCL_ROOT, or cargo builds it.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
sys.path.append(str(PACKAGE.parent / "capi-tests"))
import pypi  # noqa: E402

HOME = Path(os.environ.get("TORCH_VENV", PACKAGE.parent / "target" / "torch-venv"))
PYTHON = HOME / "bin" / "python"
NEEDED = [f"torch=={os.environ.get('TORCH', '2.15.0')}", "numpy", "ml_dtypes", "mypy", "pytest", "setuptools>=77", "wheel"]


def pip(*words):
    subprocess.run([PYTHON, "-m", "pip", "--disable-pip-version-check", "install", *map(str, words)], check=True)


def can_import(*modules):
    return subprocess.run([PYTHON, "-c", f"import {', '.join(modules)}"], capture_output=True, cwd="/").returncode == 0


def make_environment(*, only_us=False):
    """Installs PyTorch and what the tests need besides. A second process that calls this waits for the first."""
    with pypi.locked(HOME):
        if not PYTHON.exists():
            pypi.make_environment(HOME)
        if not only_us and not can_import("torch", "numpy", "ml_dtypes", "mypy", "pytest"):
            print(f"installing {', '.join(NEEDED)}: 5 GB, a few minutes", flush=True)
            pip("--quiet", *NEEDED)


def numpy_environment():
    """Makes the environment in which the package is tested without PyTorch. Returns its Python."""
    return pypi.environment(pypi.TARGET / "numpy", ["numpy", "ml_dtypes", "mypy"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only-us", action="store_true")
    parser.add_argument("--numpy", action="store_true")
    args = parser.parse_args()
    if args.numpy:
        numpy_environment()
        return
    make_environment(only_us=args.only_us)
    if not can_import("torch"):
        sys.exit("PyTorch is not installed")
    # pip would also pack what an earlier build has left in this folder.
    subprocess.run(["rm", "-rf", PACKAGE / "build"], check=True)
    pip("--quiet", "--no-build-isolation", "--no-deps", "--no-index", "--force-reinstall", PACKAGE)


if __name__ == "__main__":
    main()
