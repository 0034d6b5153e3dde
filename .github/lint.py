#!/usr/bin/env python3
"""Checks the workflows of this folder against GitHub's schema, by check-jsonschema from PyPI in target/.

It also runs actionlint, if that is on the path. Its package on PyPI downloads the program from elsewhere when it is
installed, so it is not fetched here.
"""

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "capi-tests"))
import pypi  # noqa: E402

PACKAGE = "check-jsonschema==0.39.*"


def main():
    try:
        python = pypi.environment(pypi.TARGET / "check-jsonschema", [PACKAGE])
    except pypi.Missing as reason:
        sys.exit(str(reason))
    files = sorted((HERE / "workflows").glob("*.yml"))
    checks = [[python.parent / "check-jsonschema", "--builtin-schema", "vendor.github-workflows", *files]]
    actionlint = shutil.which("actionlint")
    if actionlint:
        checks.append([actionlint, *files])
    if any(subprocess.run(check).returncode != 0 for check in checks):
        sys.exit(1)
    print(f"{len(files)} workflows, no complaint" + ("" if actionlint else "; actionlint is not installed"))


if __name__ == "__main__":
    main()
