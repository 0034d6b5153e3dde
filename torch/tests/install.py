#!/usr/bin/env python3
"""Makes target/torch-venv, with PyTorch and this package, for `make test-torch`.

    install.py               PyTorch from PyPI (5 GB, once), and the package from this folder
    install.py --numpy       neither: makes target/numpy, with NumPy, where the package is tested without PyTorch

PyTorch and what else comes from PyPI lies in target/torch-packages. With ANYCCL_CACHE, several checkouts share it. The
environment itself is small, has the package, and finds the others through a path file. The extension for PyTorch is
compiled only if something that it is made from has changed.

TORCH names another release of PyTorch. TORCH_VENV names another environment; one that has a PyTorch of its own is used
as it is. libanyccl is the one of ANYCCL_ROOT, or cargo builds it.
"""

import argparse
import hashlib
import os
import shlex
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent
sys.path.append(str(PACKAGE.parent / "capi-tests"))
import pypi  # noqa: E402

HOME = Path(os.environ.get("TORCH_VENV", pypi.TARGET / "torch-venv")).absolute()
PYTHON = HOME / "bin" / "python"
PACKAGES = pypi.TARGET / "torch-packages"
NEEDED = [f"torch=={os.environ.get('TORCH', '2.15.0')}", "numpy", "ml_dtypes", "mypy", "pytest", "setuptools>=77", "wheel"]
TORCHRUN = """#!{}
import sys
from torch.distributed.run import main
sys.exit(main())
"""


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd="/").stdout.strip()


def torch_folder():
    """Returns the folder of the environment's torch. None: it has none."""
    find = "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '')"
    return Path(said) if PYTHON.exists() and (said := output_of(PYTHON, "-c", find)) else None


def has_own_torch():
    return any(HOME.glob("lib/python*/site-packages/torch"))


def has_torch():
    """Returns whether PyTorch need not be downloaded."""
    return has_own_torch() or (pypi.kept(PACKAGES, *NEEDED) / "installed.txt").exists()


def make_environment():
    """Makes the environment, with PyTorch and what the tests need besides. A second process that calls this waits for
    the first."""
    with pypi.locked(HOME):
        if has_own_torch():
            return
        pypi.environment(PACKAGES, NEEDED)
        if not torch_folder():
            small_environment(HOME, PACKAGES)


def small_environment(home, packages):
    """Makes an environment that has nothing but torchrun, and finds the packages of another one."""
    venv.create(home, clear=True)
    own = next(home.glob("lib/python*/site-packages"))
    (own / "torch-packages.pth").write_text("".join(f"{place}\n" for place in packages.glob("lib/python*/site-packages")))
    torchrun = home / "bin" / "torchrun"
    torchrun.write_text(TORCHRUN.format(home / "bin" / "python"))
    torchrun.chmod(0o755)


def numpy_environment():
    """Makes the environment in which the package is tested without PyTorch. Returns its Python."""
    return pypi.environment(pypi.TARGET / "numpy", ["numpy", "ml_dtypes", "mypy"])


def made_from(compiler, torch):
    """Returns a hash of all that the extension for PyTorch is compiled from."""
    include = Path(os.environ.get("ANYCCL_ROOT", PACKAGE.parent)) / "include"
    files = [PACKAGE / "torch_extension.py", torch / "version.py", *sorted((PACKAGE / "csrc").iterdir()), *sorted(include.rglob("*.h*"))]
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.name} {file.stat().st_size}\n".encode() + file.read_bytes())
    parts = [*compiler, output_of(*compiler, "--version"), os.environ.get("CXXFLAGS", ""), output_of(PYTHON, "-VV")]
    digest.update("\0".join(parts).encode())
    return digest.hexdigest()[:16]


def install(torch):
    """Installs the package into the environment."""
    compiler = shlex.split(os.environ.get("CXX", "g++"))
    key = made_from(compiler, torch)
    kept = pypi.kept(pypi.TARGET / "torch-compiled", key) / f"{key}.so"
    keeping = [sys.executable, HERE / "keep_output.py", kept, *compiler]
    pip = [PYTHON, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    pip += ["--no-build-isolation", "--no-deps", "--no-index", "--force-reinstall", PACKAGE]
    subprocess.run(pip, env=os.environ | {"CXX": shlex.join(map(str, keeping))}, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--numpy", action="store_true")
    args = parser.parse_args()
    try:
        if args.numpy:
            numpy_environment()
            return
        make_environment()
    except pypi.Missing as reason:
        sys.exit(str(reason))
    if (torch := torch_folder()) is None:
        sys.exit("PyTorch is not installed")
    install(torch)


if __name__ == "__main__":
    main()
