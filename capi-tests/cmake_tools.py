"""Where CMake is."""

import shutil

import pypi

FOLDER = pypi.TARGET / "cmake"
PACKAGES = ["cmake>=3.20,<5"]


def cmake_tools():
    """Where cmake and ctest are: on the path, or in a virtual environment of our own."""
    if shutil.which("cmake") and shutil.which("ctest"):
        return "cmake", "ctest"
    programs = pypi.environment(FOLDER, PACKAGES).parent
    return programs / "cmake", programs / "ctest"
