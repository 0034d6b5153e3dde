"""Where CMake is."""

import shutil
import subprocess
import venv
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "target" / "capi-tests" / "venv"


def cmake_tools():
    """Where cmake and ctest are: on the path, or in a virtual environment of our own."""
    if shutil.which("cmake") and shutil.which("ctest"):
        return "cmake", "ctest"
    programs = FOLDER / "bin"
    if not (programs / "cmake").exists():
        venv.create(FOLDER, with_pip=True)
        subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", "cmake>=3.20,<5"], check=True)
    return programs / "cmake", programs / "ctest"
