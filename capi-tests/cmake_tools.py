"""Finds CMake, or gets it from PyPI."""

import shutil

import pypi

FOLDER = pypi.TARGET / "cmake"
PACKAGES = ["cmake>=3.20,<5"]


def cmake_tools():
    """Returns the paths of cmake and ctest: on PATH, or in a virtual environment under target/."""
    if shutil.which("cmake") and shutil.which("ctest"):
        return "cmake", "ctest"
    programs = pypi.environment(FOLDER, PACKAGES).parent
    return programs / "cmake", programs / "ctest"
