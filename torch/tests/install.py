#!/usr/bin/env python3
"""Makes target/torch-venv, with PyTorch and this package, for `make test-torch`.

    install.py               PyTorch from PyPI (5 GB, once), and the package out of this folder
    install.py --only-us     the package alone

A PyTorch that is in the environment already is kept, so that this works without a network the second time. TORCH names
another release; TORCH_VENV another place. libanyccl is the one of ANYCCL_ROOT, or is built by cargo.
"""

import argparse
import os
import subprocess
import sys
import venv
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
HOME = Path(os.environ.get("TORCH_VENV", PACKAGE.parent / "target" / "torch-venv"))
PYTHON = HOME / "bin" / "python"
NEEDED = [f"torch=={os.environ.get('TORCH', '2.15.0')}", "numpy", "ml_dtypes", "pytest", "setuptools>=77", "wheel"]


def pip(*words):
    subprocess.run([PYTHON, "-m", "pip", "--disable-pip-version-check", "install", *map(str, words)], check=True)


def can_import(*modules):
    return subprocess.run([PYTHON, "-c", f"import {', '.join(modules)}"], capture_output=True, cwd="/").returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only-us", action="store_true")
    args = parser.parse_args()
    if not PYTHON.exists():
        venv.create(HOME, with_pip=True)
    if not args.only_us and not can_import("torch", "numpy", "ml_dtypes", "pytest"):
        print(f"installing {', '.join(NEEDED)}: 5 GB, a few minutes", flush=True)
        pip("--quiet", *NEEDED)
    if not can_import("torch"):
        sys.exit("PyTorch is not installed")
    # Out of a clean folder: what an earlier build has left there would be packed, too.
    subprocess.run(["rm", "-rf", PACKAGE / "build"], check=True)
    pip("--quiet", "--no-build-isolation", "--no-deps", "--no-index", "--force-reinstall", PACKAGE)


if __name__ == "__main__":
    main()
