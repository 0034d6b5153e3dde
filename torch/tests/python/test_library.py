"""Tests with one process: the binding matches the header, and a missing library gives a useful message.

Run by pytest, or as a program.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import anyccl
from anyccl._capi import errors, header, library

TORCH = Path(__file__).resolve().parents[2]


def test_the_binding_is_that_of_the_header():
    done = subprocess.run([sys.executable, TORCH / "bind_header.py", "--check"], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr


def test_every_function_of_the_header_is_bound():
    headers = (TORCH.parent / "include" / "anyccl").glob("*.h")
    text = "".join(header.read_text() for header in headers)
    declared = set(re.findall(r"^(?:\w+ )+\*?(anyccl_\w+)\(", text, re.MULTILINE))
    assert len(declared) > 100 and declared == set(header.FUNCTIONS)


def test_every_status_has_an_exception():
    assert set(errors._CLASSES) == set(header.Status) - {header.Status.SUCCESS}
    for code, kind in errors._CLASSES.items():
        error = kind("why", 3)
        assert (error.code, error.rank, error.message, str(error)) == (code, 3, "why", "rank 3: why")


LEAVES_AND_COMES_BACK = """
import anyccl
world = anyccl.Communicator.world()
assert (world.rank, world.size) == (0, 1)
world.close()
world.close()
try:
    anyccl.Communicator.world()
    raise SystemExit("entered")
except anyccl.InvalidUsageError as error:
    assert "finalize" in str(error), error
"""


def test_a_world_that_was_left_is_not_entered_again():
    done = subprocess.run([sys.executable, "-c", LEAVES_AND_COMES_BACK], text=True, capture_output=True)
    assert done.returncode == 0, done.stderr


# Calls that the extension serves, and calls that it leaves to the general way.
ALL_WAYS = """
import sys

import anyccl


def check_all_ways(comm):
    got = bytearray(2)
    comm.Allreduce(memoryview(bytes([1, 9, 2, 9]))[::2], got)
    assert got == bytes([1, 2]), got
    comm.Allreduce(bytes([3, 4]), got)
    assert got == bytes([3, 4]) and comm.bcast("a") == "a" and comm.allgather("b") == ["b"]
    sent = comm.isend("c", 0, 9)
    assert comm.recv(0, 9) == "c"
    sent.wait()
    aborted = comm.dup()
    aborted.abort()
    for call, kind in ((lambda: comm.Allreduce(bytes(2), bytearray(5)), first.InvalidArgumentError),
                       (lambda: comm.bcast(1, 99), first.InvalidArgumentError),
                       (lambda: aborted.Allreduce(bytes(2), got), first.AbortedError)):
        try:
            call()
        except kind:
            continue
        raise SystemExit("not refused")


first, world = anyccl, anyccl.Communicator.world()
check_all_ways(world)
"""
IMPORTED_AGAIN = ALL_WAYS + """
for name in [name for name in sys.modules if name.partition(".")[0] == "anyccl"]:
    del sys.modules[name]
import anyccl

other = anyccl.Communicator.from_id(anyccl.unique_id(), 1, 0)
assert type(other) is not type(world)
check_all_ways(world)
other.close()
check_all_ways(world)
"""
IN_ANOTHER_INTERPRETER = ALL_WAYS + """
try:
    import _interpreters as interpreters
    another = interpreters.create("legacy")
except ImportError:
    import _xxsubinterpreters as interpreters
    another = interpreters.create(isolated=False)
interpreters.run_string(another, f"import sys; sys.path[:0] = {sys.path}\\n" + '''
import anyccl
comm = anyccl.Communicator.from_id(anyccl.unique_id(), 1, 0)
assert comm.allgather(1) == [1]
comm.close()
''')
check_all_ways(world)
interpreters.destroy(another)
check_all_ways(world)
"""


def test_an_import_changes_nothing_for_communicators_of_another_one():
    for program in (IMPORTED_AGAIN, IN_ANOTHER_INTERPRETER):
        done = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True)
        assert done.returncode == 0, done.stderr


def loaded_with(environment, package=None):
    """Loads the library in a new Python, and returns the finished process."""
    path = os.pathsep.join(filter(None, [str(package) if package else None, *sys.path]))
    environment = {**os.environ, "PYTHONPATH": path, **environment}
    for name in [name for name, value in environment.items() if value is None]:
        del environment[name]
    return subprocess.run([sys.executable, "-c", "from anyccl._capi import load; load()"], env=environment, text=True,
                          capture_output=True)


def test_a_wrong_path_in_the_environment_is_an_error_that_names_it():
    done = loaded_with({"ANYCCL_LIB": "/nowhere/at/all.so"})
    assert done.returncode != 0 and "ANYCCL_LIB: /nowhere/at/all.so" in done.stderr, done.stderr
    assert "the loader's path" not in done.stderr


def test_a_library_that_is_nowhere_is_an_error_that_names_each_place():
    with tempfile.TemporaryDirectory() as folder:
        package = Path(anyccl.__file__).parent
        shutil.copytree(package, Path(folder) / "anyccl", ignore=shutil.ignore_patterns("*.so*", "lib", "__pycache__"))
        done = loaded_with({"ANYCCL_LIB": None, "LD_LIBRARY_PATH": None}, folder)
        if done.returncode == 0:
            return  # The system has a library.
        for place in (f"{folder}/anyccl/lib/libanyccl.so.0", f"{folder}/anyccl/libanyccl.so.0", "LD_LIBRARY_PATH", "Set ANYCCL_LIB"):
            assert place in done.stderr, (place, done.stderr)


def test_another_library_is_refused():
    with tempfile.TemporaryDirectory() as folder:
        source, path = Path(folder) / "other.c", Path(folder) / library.NAME
        compiler = shutil.which(os.environ.get("CC", "cc"))
        if compiler is None:
            return
        source.write_text("int anyccl_version(void) { return 0; }\n")
        subprocess.run([compiler, "-shared", "-fPIC", source, "-o", path], check=True)
        done = loaded_with({"ANYCCL_LIB": folder})
        assert "has no anyccl_" in done.stderr and "older" in done.stderr, done.stderr
        functions = "".join(f"int {name}(void) {{ return {500 if name == 'anyccl_version' else 0}; }}\n"
                            for name in header.FUNCTIONS)
        source.write_text(functions)
        subprocess.run([compiler, "-shared", "-fPIC", source, "-o", path], check=True)
        done = loaded_with({"ANYCCL_LIB": folder})
        assert "is anyccl 0.5.0, this package is made for 0.1.0" in done.stderr, done.stderr


def test_the_header_and_the_library_can_be_built_against():
    assert (Path(anyccl.get_include()) / "anyccl" / "anyccl.h").exists()
    assert (Path(anyccl.get_library_dir()) / library.NAME).exists()


def test_names_of_the_package_are_there():
    for name in anyccl._exports.NAMES:
        assert getattr(anyccl, name) is not None and name in dir(anyccl)
    try:
        anyccl.nothing_of_the_kind
        raise AssertionError("found")
    except AttributeError as error:
        assert "nothing_of_the_kind" in str(error)


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"ok      {name}", flush=True)
