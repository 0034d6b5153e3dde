"""Runs a compiler, unless its output was kept: keep_output.py KEPT COMPILER ARGUMENT...

KEPT is the file that keeps the output. It has a hash in its name, of all that the output is made from. Files of other
hashes in its folder are removed.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path


def main():
    kept, command = Path(sys.argv[1]), sys.argv[2:]
    output = command[command.index("-o") + 1]
    if kept.exists():
        shutil.copy(kept, output)
        return
    if status := subprocess.run(command, check=False).returncode:
        sys.exit(status)
    kept.parent.mkdir(parents=True, exist_ok=True)
    for old in kept.parent.iterdir():
        old.unlink()
    partial = kept.with_suffix(f".{os.getpid()}")
    shutil.copy(output, partial)
    partial.replace(kept)


if __name__ == "__main__":
    main()
