"""Installs the module that serves the backend "ccl". Refuses to be installed beside Intel's package, whose
files it would overwrite.

    pip install "./torch[ccl-compat]" ./torch/ccl-compat

pyproject.toml has the metadata.
"""

import importlib.metadata
import sys
import sysconfig

import setuptools
from setuptools import setup

OLDEST_SETUPTOOLS = 77
if int(setuptools.__version__.partition(".")[0]) < OLDEST_SETUPTOOLS:
    sys.exit(f"anyccl-ccl-compat is built by setuptools {OLDEST_SETUPTOOLS} or newer, and this is {setuptools.__version__}: "
             f"pip install 'setuptools>={OLDEST_SETUPTOOLS}', or do without --no-build-isolation")

MODULE = "oneccl_bindings_for_pytorch"
OURS = "anyccl-ccl-compat"


def name_of(distribution):
    return (distribution.metadata["Name"] or "").lower().replace("_", "-")


def others():
    """Yields the other distributions that contain the module, in the places where this one will be installed.
    pip's build environment hides these from import."""
    places = dict.fromkeys([*sys.path, sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    for distribution in importlib.metadata.distributions(path=[place for place in places if place]):
        if name_of(distribution) != OURS and any(file.parts[0] == MODULE for file in distribution.files or []):
            yield distribution.metadata["Name"]


if found := sorted(set(others())):
    sys.exit(f"{', '.join(found)} is installed and serves the backend \"ccl\": uninstall it first, or use the backend "
             '"anyccl" by its own name')
setup()
