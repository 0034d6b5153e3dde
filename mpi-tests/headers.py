"""Tests that mpi.h compiles by itself, in every version of C and C++ that programs use, without warnings."""

import subprocess

from setting import HEADER, Failure

LANGUAGES = {"c": ["c99", "c11", "c17"], "c++": ["c++11", "c++14", "c++17"]}
COMPILERS = {"c": "cc", "c++": "c++"}


def compile_alone():
    """Compiles mpi.h. Raises Failure with the messages of the compiler."""
    for language, versions in LANGUAGES.items():
        for version in versions:
            ended = subprocess.run([COMPILERS[language], f"-std={version}", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                                    "-fsyntax-only", "-x", language, HEADER / "mpi.h"], capture_output=True, text=True)
            if ended.returncode != 0:
                raise Failure(f"{version}: {ended.stderr}")
    return ", ".join(sum(LANGUAGES.values(), []))
