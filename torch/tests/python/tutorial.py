#!/usr/bin/env python3
"""Follows docs/python.md line by line, with the wheel, in a new folder: its shell lines as they stand there, and its
first program as program.py.

    python torch/tests/python/tutorial.py [--wheel FILE]

The wheel is the one in target/dist. Needs a C compiler and PyPI, which has CMake, too. What needs pkg-config is left
out, aloud, where that is not installed.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "capi-tests"))
from cmake_tools import cmake_tools  # noqa: E402

PAGE = ROOT / "docs" / "python.md"
SECONDS = 300
SUM = (ROOT / "xtask" / "wheel-test.sh").read_text().partition("<<'C'\n")[2].partition("\nC\n")[0]
CMAKE = """cmake_minimum_required(VERSION 3.16)
project(sum C)
find_package(anyccl REQUIRED)
add_executable(sum sum.c)
target_link_libraries(sum anyccl::anyccl)
"""


def blocks(language):
    text = PAGE.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def commands():
    """Returns the commands of all shell blocks, without comments and with continued lines in one."""
    lines = "".join(blocks("sh")).replace("\\\n", " ").splitlines()
    return [command for command in (re.sub(r"\s+#.*", "", line).strip() for line in lines) if command]


def is_possible(command):
    if "pkg-config" in command.split() and shutil.which("pkg-config") is None:
        print(f"skipped: {command}: pkg-config is not installed", flush=True)
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--wheel", type=Path, help="the wheel to install")
    options = parser.parse_args()
    wheel = options.wheel or next((ROOT / "target" / "dist").glob("anyccl-*.whl"), None)
    if wheel is None:
        sys.exit("target/dist has no wheel: make wheels")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(wheel, folder)
        files = {"program.py": blocks("python")[0], "sum.c": SUM, "CMakeLists.txt": CMAKE}
        for name, content in files.items():
            (Path(folder) / name).write_text(content, encoding="utf-8")
        todo = [command for command in commands() if is_possible(command)]
        assert len(todo) >= 5, todo
        # One shell, because the environment is activated in it. It stops at the first line that fails.
        script = "set -e\n" + "".join(f"echo {'> ' + command!r}\n{command}\n" for command in todo)
        script += "./sum\ncmake --build build\nbuild/sum\n"
        path = os.pathsep.join([str(Path(cmake_tools()[0]).parent), os.environ["PATH"]])
        done = subprocess.run(["bash", "-c", script], cwd=folder, text=True, timeout=SECONDS, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env={**os.environ, "PATH": path})
    print(done.stdout)
    for expected, times in (("rank 3 of 4 has [10. 10. 10.]", 2), ("rank 0: the sum is 1", 2)):
        if done.returncode or done.stdout.count(expected) < times:
            sys.exit(f"docs/python.md does not work line by line (exit status {done.returncode}, {expected!r} expected)")
    print(f"{len(todo)} lines of docs/python.md work")


if __name__ == "__main__":
    main()
