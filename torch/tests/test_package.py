"""What `pip wheel ./torch` packs: what anyccl has installed, and nothing else. Nothing is compiled here."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

TORCH = Path(__file__).resolve().parents[1]
INSTALLED = ["bin/anyccl", "include/anyccl/anyccl.h", "lib/libanyccl.so.0", "lib/cmake/anyccl/anyccl-config.cmake",
             "share/man/man1/anyccl.1", "share/doc/anyccl/LICENSE-MIT", "share/doc/anyccl/THIRD-PARTY-NOTICES"]
FOREIGN = ["bin/other", "include/other.h", "lib/libother.so", "etc/other.conf", "share/man/man1/other.1",
           "share/doc/other/LICENSE-OTHER", "lib/anyccl/other.txt"]


# A compiler that makes empty files.
COMPILER = """#!/bin/sh
while [ $# -gt 1 ]; do
    if [ "$1" = -o ]; then : > "$2"; fi
    shift
done
"""


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A copy of the sources, in which nothing was built yet."""
    (tmp_path / "compiler").write_text(COMPILER)
    (tmp_path / "compiler").chmod(0o755)
    for name in ("CC", "CXX"):
        monkeypatch.setenv(name, str(tmp_path / "compiler"))
    ignored = shutil.ignore_patterns("build", "*.egg-info", "__pycache__", "tests", "bench", "*.so")
    shutil.copytree(TORCH, tmp_path / "torch", ignore=ignored)
    (tmp_path / "include" / "anyccl").mkdir(parents=True)
    shutil.copy(TORCH.parent / "include" / "anyccl" / "base.h", tmp_path / "include" / "anyccl")
    return tmp_path / "torch"


def prefix_of(folder, installed, foreign=(), has_list=True):
    """Makes a prefix in which some files are anyccl's."""
    for name in [*installed, *foreign]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    if has_list:
        (folder / "lib" / "anyccl").mkdir(parents=True, exist_ok=True)
        (folder / "lib" / "anyccl" / "installed.txt").write_text("".join(f"{name}\n" for name in installed))
    return folder


def pip(*words, **environment):
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, words), "--no-index", "--no-deps"]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})


def wheel(sources, prefix, target):
    """Builds the wheel. Returns the names in it, and its metadata."""
    done = pip("wheel", "--no-build-isolation", "--wheel-dir", target, sources, ANYCCL_ROOT=str(prefix))
    assert done.returncode == 0, done.stdout + done.stderr
    with zipfile.ZipFile(next(target.glob("*.whl"))) as packed:
        names = packed.namelist()
        return names, packed.read(next(name for name in names if name.endswith("METADATA"))).decode()


@pytest.mark.parametrize("has_list", [True, False])
def test_a_wheel_has_what_anyccl_installed_and_its_licences(sources, tmp_path, has_list):
    foreign = FOREIGN if has_list else FOREIGN[:-1]
    names, metadata = wheel(sources, prefix_of(tmp_path / "prefix", INSTALLED, foreign, has_list), tmp_path / "wheels")
    assert not [name for name in names if "other" in name.lower()]
    for name in INSTALLED[:4]:
        assert f"anyccl/{name}" in names
    assert any(name.endswith("data/share/man/man1/anyccl.1") for name in names)
    for licence in ("LICENSE-MIT", "THIRD-PARTY-NOTICES"):
        assert any(name.endswith(f"dist-info/licenses/{licence}") for name in names)
        assert f"License-File: {licence}\n" in metadata
    assert "Classifier: Operating System :: POSIX :: Linux" in metadata and "Author: the anyccl authors" in metadata


def test_a_wheel_has_nothing_of_an_earlier_build(sources, tmp_path):
    more = [*INSTALLED, "include/anyccl/gone.h"]
    (sources / "anyccl" / "gone.py").write_text("")
    names, _ = wheel(sources, prefix_of(tmp_path / "first", more), tmp_path / "wheels" / "1")
    assert "anyccl/include/anyccl/gone.h" in names and "anyccl/gone.py" in names
    (sources / "anyccl" / "gone.py").unlink()
    names, _ = wheel(sources, prefix_of(tmp_path / "second", INSTALLED), tmp_path / "wheels" / "2")
    assert not [name for name in names if "gone" in name]


def test_a_prefix_that_lacks_a_file_is_refused(sources, tmp_path):
    prefix = prefix_of(tmp_path / "prefix", INSTALLED)
    (prefix / "bin" / "anyccl").unlink()
    done = pip("wheel", "--no-build-isolation", "--wheel-dir", tmp_path / "wheels", sources, ANYCCL_ROOT=str(prefix))
    assert done.returncode and "lists bin/anyccl, which does not exist: install anyccl anew" in done.stdout + done.stderr


def test_setuptools_that_is_too_old_is_refused_with_a_sentence(sources, tmp_path):
    (tmp_path / "setuptools.py").write_text("__version__ = '65.5.0'\nExtension = find_packages = setup = None\n")
    (tmp_path / "setuptools").mkdir()
    (tmp_path / "setuptools.py").rename(tmp_path / "setuptools" / "__init__.py")
    (tmp_path / "setuptools" / "command").mkdir()
    (tmp_path / "setuptools" / "command" / "build_ext.py").write_text("build_ext = object\n")
    for folder in (sources, sources / "torch-package", sources / "ccl-compat"):
        done = subprocess.run([sys.executable, "setup.py", "--version"], cwd=folder, capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(tmp_path)})
        assert done.returncode and "setuptools 77 or newer, and this is 65.5.0: pip install" in done.stderr, done.stderr
