"""Tests of what a programmer sees of the package: types, signatures, texts, version and names in errors.

Run by pytest, or as a program. The comparison with mypy's stubtest needs mypy, which run.py gets from PyPI.
"""

import importlib.metadata
import importlib.util
import inspect
import os
import pydoc
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import anyccl
from anyccl._capi import errors, fast_path, header

PACKAGE = Path(anyccl.__file__).resolve().parent
CLASSES = [anyccl.Communicator, anyccl.Request, anyccl.Status, anyccl.Op]
# Modules of the package that need no types: programs import the names of `anyccl`.
WITHOUT_TYPES = (
    r"anyccl\.(_\w+|__main__|as_gloo|communicator|lightgbm|paths|ray|sar|torch_backend|torch_debug|torch_transport|vllm)(\..*)?"
)


def public(kind):
    return [(name, member) for name, member in inspect.getmembers(kind) if not name.startswith("_") and callable(member)]


def test_the_version_is_that_of_the_library():
    assert anyccl.__version__ == ".".join(map(str, header.VERSION))
    try:
        assert importlib.metadata.version("anyccl") == anyccl.__version__
    except importlib.metadata.PackageNotFoundError:
        pass  # The package of a checkout.


def test_every_method_has_a_signature_and_a_text():
    for kind in CLASSES:
        assert inspect.getdoc(kind), kind
        for name, member in public(kind):
            parameters = inspect.signature(member).parameters.values()
            assert all(one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in parameters), name
            text = inspect.getdoc(member)
            assert text and text[0].isupper() and text.split("\n\n")[0].rstrip().endswith("."), (kind, name, text)
    for name in anyccl._exports.NAMES:
        thing = getattr(anyccl, name)
        if inspect.isfunction(thing) or inspect.isclass(thing):
            assert inspect.getdoc(thing), name


def test_signatures_and_texts_name_the_same_parameters():
    assert str(inspect.signature(anyccl.Communicator.Allreduce)) == "(self, sendbuf, recvbuf, op=<ReduceOp.SUM: 0>)"
    for name, member in public(anyccl.Communicator):
        described = re.findall(r"^([a-z, ]+):  *\S", inspect.getdoc(member), re.MULTILINE)
        named = {one for line in described for one in line.split(", ")}
        assert named <= set(inspect.signature(member).parameters), (name, named)


def test_help_shows_one_class_and_no_internals():
    text = pydoc.render_doc(anyccl.Communicator, renderer=pydoc.plaintext)
    assert "inherited from" not in text and "Allreduce(self, sendbuf, recvbuf, op=" in text
    for word in ("Collectives", "Objects", "ctypes", "anyccl_", "_fast"):
        assert word not in text, word


def refusal(call, kinds):
    try:
        call()
    except kinds as error:
        return str(error)
    raise AssertionError("not refused")


ERRORS = """
import anyccl
from test_types import refusal
world = anyccl.Communicator.world()
x, y = bytearray(4), bytearray(4)
texts = [
    ("Allreduce() missing", lambda: world.Allreduce(x)),
    ("Bcast() missing", lambda: world.Bcast()),
    ("Ibarrier() takes", lambda: world.Ibarrier(3)),
    ("Bcast: invalid root: 7", lambda: world.Bcast(x, 7)),
    ("Ibcast() got an unexpected", lambda: world.Ibcast(x, rot=1)),
    ("Bcast: 'a' of type str is not an int", lambda: world.Bcast(x, "a")),
    ("Send: 0.5 of type float is not an int", lambda: world.Send(x, 0.5)),
    ("send: invalid peer: 9", lambda: world.send(1, 9)),
    ("Probe: invalid source: 9", lambda: world.Probe(9)),
    ("split: 'a' of type str is not an int", lambda: world.split("a")),
    ("create_from_ranks: invalid ranks: 7", lambda: world.create_from_ranks([7])),
    ("Allreduce: the send buffer has 3 elements", lambda: world.Allreduce(bytearray(3), y)),
    ("Scatterv: invalid root: 5", lambda: world.Scatterv(None, x, 5)),
    ("mem_alloc: 'a' of type str is not an int", lambda: anyccl.mem_alloc("a")),
    ("from_id: '1' of type str is not an int", lambda: anyccl.Communicator.from_id(bytes(128), "1", 0)),
    ("create_from_ranks: rank 0.5 of type float is not an int", lambda: world.create_from_ranks([0.5])),
    ("Allgatherv: the counts of the receive buffer: 4.0 of type float is not an int", lambda: world.Allgatherv(x, [y, [4.0]])),
]
# What ctypes would cut off: other ranks, other tags, other lengths.
far, own = 2**32, anyccl.unique_id()
too_large = [
    ("Send: tag 4294967303 is not between -2147483648 and 2147483647", lambda: world.Send(x, 0, far + 7)),
    ("send: tag 4294967303 is", lambda: world.send(1, 0, far + 7)),
    ("isend: tag 4294967303 is", lambda: world.isend(1, 0, far + 7)),
    ("ssend: dest 4294967296 is", lambda: world.ssend(1, far)),
    ("Isend: dest 4294967296 is", lambda: world.Isend(x, far, 3)),
    ("Recv: source 4294967295 is", lambda: world.Recv(x, far - 1, 9)),
    ("Irecv: tag -4294967296 is", lambda: world.Irecv(x, 0, -far)),
    ("Sendrecv: source 4294967296 is", lambda: world.Sendrecv(x, 0, 0, y, far)),
    ("Sendrecv: sendtag 4294967296 is", lambda: world.Sendrecv(x, 0, far, y, 0)),
    ("recv: source 4294967296 is", lambda: world.recv(far)),
    ("irecv: tag 4294967296 is", lambda: world.irecv(0, far)),
    ("sendrecv: dest 4294967296 is", lambda: world.sendrecv(1, far)),
    ("sendrecv: source 4294967296 is", lambda: world.sendrecv(1, 0, 0, far)),
    ("sendrecv: recvtag 4294967296 is", lambda: world.sendrecv(1, 0, 0, 0, far)),
    ("Probe: source 4294967296 is", lambda: world.Probe(far)),
    ("Iprobe: tag 4294967296 is", lambda: world.Iprobe(0, far)),
    ("Bcast: root 4294967296 is", lambda: world.Bcast(x, far)),
    ("bcast: root -4294967296 is", lambda: world.bcast(5, -far)),
    ("Reduce: root 8589934592 is", lambda: world.Reduce(x, y, anyccl.SUM, 2 * far)),
    ("gather: root 4294967296 is", lambda: world.gather(1, far)),
    ("reduce: root 4294967296 is", lambda: world.reduce(1, root=far)),
    ("Scatter: root 4294967296 is", lambda: world.Scatter(None, x, far)),
    ("Gatherv: root 4294967296 is", lambda: world.Gatherv(x, None, far)),
    ("split: color 4294967297 is", lambda: world.split(far + 1)),
    ("split: key -2147483649 is", lambda: world.split(0, -(2**31) - 1)),
    ("create_from_ranks: rank 4294967296 is", lambda: world.create_from_ranks([far])),
    ("from_id: size 4294967297 is", lambda: anyccl.Communicator.from_id(own, far + 1, 0)),
    ("from_id: rank 4294967296 is", lambda: anyccl.Communicator.from_id(own, 1, far)),
    ("from_file: size 4294967297 is", lambda: anyccl.Communicator.from_file("never", far + 1, 0)),
    ("from_store: rank 4294967296 is", lambda: anyccl.Communicator.from_store(None, 1, far)),
    ("dup: timeout 1e+300 is not below 9223372036854775 seconds", lambda: world.dup(timeout=1e300)),
    ("set_stream: stream 18446744073709551617 is", lambda: world.set_stream(2**64 + 1)),
    ("set_stream: stream -1 is", lambda: world.set_stream(-1)),
    ("mem_alloc: size 18446744073709551616 is", lambda: anyccl.mem_alloc(2**64)),
    ("mem_alloc: size -1 is", lambda: anyccl.mem_alloc(-1)),
    ("device_alloc: size -1 is", lambda: anyccl.device_alloc(-1)),
    ("Allgatherv: the displacements of the receive buffer: 18446744073709551616 is",
     lambda: world.Allgatherv(b"", [y, [0], [2**64]])),
]
for expected, call in texts + too_large:
    text = refusal(call, (OverflowError,) if (expected, call) in too_large else (TypeError, ValueError))
    assert expected in text, (expected, text)
    for word in ("anyccl_", "Collectives", "argument ", "._"):
        assert word not in text.replace("positional argument", "").replace("keyword argument", ""), text
world.close()
try:
    world.Barrier()
except anyccl.InvalidUsageError as error:
    assert "Barrier: the world is finalized" in str(error), error
"""


def test_errors_name_methods_of_python():
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    for by_ctypes in ("0", "1"):
        done = subprocess.run([sys.executable, "-c", ERRORS], text=True, capture_output=True,
                              env={**os.environ, "PYTHONPATH": path, "ANYCCL_PYTHON_CTYPES": by_ctypes})
        assert done.returncode == 0, done.stderr


EACH_METHOD = """
import anyccl
from test_types import public, refusal
world = anyccl.Communicator.world()
x, y = bytearray(4), bytearray(4)
# Arguments with which methods fail on a closed communicator.
fails_with = [
    ((), "Barrier barrier Ibarrier Probe probe Iprobe iprobe recv dup Dup split_by_host shrink unset_stream abort Abort bcast"),
    ((x,), "Bcast Ibcast Recv Irecv"),
    ((0,), "split Split set_stream"),
    ((1,), "gather allgather reduce allreduce scan exscan"),
    (([1],), "scatter alltoall"),
    (([0],), "create_from_ranks"),
    ((x, 0), "Send Ssend Isend Issend send ssend isend issend sendrecv"),
    ((x, y), "Allreduce Reduce Allgather Gather Scatter Reduce_scatter_block Alltoall Scan Exscan"),
    ((x, y), "Iallreduce Ireduce Iallgather Igather Iscatter Ireduce_scatter_block Ialltoall Iscan Iexscan"),
    ((x, y), "Allgatherv Gatherv Scatterv Reduce_scatter Alltoallv Iallgatherv Igatherv Iscatterv Ireduce_scatter Ialltoallv"),
    (([x], [y]), "Alltoall_list Ialltoall_list"),
    ((x, 0, 0, y), "Sendrecv"),
]
calls = {name: lambda c, name=name, arguments=arguments: getattr(c, name)(*arguments)
         for arguments, names in fails_with for name in names.split()}
# It fails when it looks for a message.
calls["irecv"] = lambda c: c.irecv().wait()
cannot_fail = {"Get_rank", "Get_size", "close", "Free", "failure"}
makes_one = {"world", "from_id", "from_store", "from_file"}
assert {name for name, _ in public(anyccl.Communicator)} == set(calls) | cannot_fail | makes_one
closed = world.dup()
closed.close()
calls |= {"local_rank": lambda c: c.local_rank, "local_size": lambda c: c.local_size}
for name, call in calls.items():
    text = refusal(lambda: call(closed), anyccl.Error)
    assert text.startswith(f"rank 0: {name}: "), (name, text)
assert str(closed.failure()).startswith("rank 0: failure: "), closed.failure()
# What was started, and the requests that fail when they are waited for.
other = world.dup()
started = {"Irecv": other.Irecv(x, 0, 5), "irecv": other.irecv(0, 6)}
other.abort("enough")
for name, request in started.items():
    for wait in (request.Wait, request.wait, request.Test, request.test, lambda: anyccl.Request.Waitall([request])):
        text = refusal(wait, anyccl.AbortedError)
        assert text.startswith(f"rank 0: {name}: ") and "enough" in text, text
others = {"Op.premul_sum": lambda: anyccl.Op.premul_sum(bytearray(2)), "from_id": lambda: world.from_id(b"", 1, 0)}
for name, call in others.items():
    text = refusal(call, anyccl.Error)
    assert text.removeprefix("rank 0: ").startswith(f"{name}: "), (name, text)
# A function of the program that a call runs, and that makes a call.
class Sender:
    def __reduce__(self):
        world.send(1, 9)
text = refusal(lambda: world.bcast(Sender()), anyccl.Error)
assert text.startswith("rank 0: send: "), text
world.close()
"""


def test_an_error_of_each_method_names_it():
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    for by_ctypes in ("0", "1"):
        done = subprocess.run([sys.executable, "-c", EACH_METHOD], text=True, capture_output=True,
                              env={**os.environ, "PYTHONPATH": path, "ANYCCL_PYTHON_CTYPES": by_ctypes})
        assert done.returncode == 0, done.stderr


TRACEBACKS = """
import traceback

import anyccl
world = anyccl.Communicator.world()
x, y = bytearray(4), bytearray(4)
copy, aborted = world.dup(), world.dup()
aborted.abort()
failed = copy.Irecv(x, 0, 5)
copy.abort()
world.Send(memoryview(x), 0, 4)
calls = [
    lambda: world.Allreduce(bytearray(3), y),
    lambda: world.Iallreduce(bytearray(3), y),
    lambda: world.Allreduce(memoryview(x).cast("f"), memoryview(y).cast("f"), anyccl.BXOR),
    lambda: world.Allreduce(3, y),
    lambda: world.Allreduce(x, y, 77),
    lambda: world.Bcast(x, 7),
    lambda: world.bcast(1, 7),
    lambda: world.send(1, 9),
    lambda: world.isend(1, 9),
    lambda: world.recv(0, 4),
    lambda: world.Recv(x, 9),
    lambda: world.Probe(9),
    lambda: world.create_from_ranks([7]),
    lambda: anyccl.Communicator.from_id(bytes(128), 2, 5),
    aborted.Barrier,
    lambda: aborted.allgather(1),
    lambda: aborted.Send(x, 0),
    failed.Wait,
    failed.Wait,
]
for call in calls:
    try:
        call()
        raise SystemExit("not refused")
    except anyccl.Error as error:
        text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        of_package = [frame for frame in traceback.extract_tb(error.__traceback__) if "anyccl" in frame.filename]
        assert len(of_package) <= 1, text
        assert "NOT_SERVED" not in text and "exception" not in text and text.count("Traceback") == 1, text
        assert text.splitlines()[-1] == f"anyccl.{type(error).__name__}: {error}", text
"""


def test_a_traceback_shows_the_program_and_one_method():
    if sys.version_info < (3, 11):
        return  # Frames cannot be left out.
    for by_ctypes in ("0", "1"):
        done = subprocess.run([sys.executable, "-c", TRACEBACKS], text=True, capture_output=True,
                              env={**os.environ, "ANYCCL_PYTHON_CTYPES": by_ctypes})
        assert done.returncode == 0, done.stderr


def test_a_traceback_shows_the_public_name_of_an_error():
    kinds = [errors.Error, *errors._CLASSES.values()]
    assert {kind.__module__ for kind in kinds} == {"anyccl"}
    assert all(getattr(anyccl, kind.__name__) is kind for kind in kinds)


def test_every_function_of_c_has_a_name_in_python():
    for name in header.FUNCTIONS:
        assert "anyccl_" not in errors.public_name(name)
    assert errors.public_name("anyccl_iall_to_all_v") == errors.public_name("anyccl_all_to_all_v") == "Alltoallv"
    assert errors.public_name("anyccl_comm_split") == "split"


def test_the_extension_is_used_where_it_is():
    has_extension = importlib.util.find_spec("anyccl._fast_path") is not None
    wants_ctypes = os.environ.get("ANYCCL_PYTHON_CTYPES", "0") not in ("", "0")
    assert fast_path.is_used() == (has_extension and sys.version_info >= (3, 11) and not wants_ctypes)


PROGRAM = """
import array

import anyccl
import numpy

with anyccl.Communicator.world(timeout=60) as comm:
    comm.Allreduce(anyccl.IN_PLACE, bytearray(8), anyccl.MAX)
    request: anyccl.Request = comm.Irecv(bytearray(8), source=0)
    reveal_type(request.Wait().count)
    reveal_type(comm.allgather("text"))
    reveal_type(comm.split(None))
    comm.Bcast(bytearray(8), "zero")
    comm.Allreduce(3, bytearray(8))
    comm.Bcast([1.0, 2.0])
    x, y = numpy.ones(2), array.array("d", [1.0])
    comm.Allreduce(x, x)
    comm.Sendrecv(memoryview(b"1"), 0, recvbuf=y)
    comm.Reduce(x, x if comm.rank == 0 else None)
    comm.Scatterv([x, [1, 1], [0, 1]] if comm.rank == 0 else None, y)
    comm.Alltoallv(anyccl.IN_PLACE, [x, ([1], [0])])
"""


def test_types_are_those_of_the_code():
    if importlib.util.find_spec("mypy") is None:
        print("skipped: mypy is not installed, so the types are not compared with the code")
        return
    assert (PACKAGE / "py.typed").exists()
    with tempfile.TemporaryDirectory() as folder:
        # The types alone: mypy shall not read the code.
        stubs = Path(folder) / "stubs" / "anyccl"
        stubs.mkdir(parents=True)
        (stubs / "__init__.pyi").write_text((PACKAGE / "__init__.pyi").read_text())
        allowed, program = Path(folder) / "allowed", Path(folder) / "program.py"
        allowed.write_text(WITHOUT_TYPES + "\n")
        program.write_text(PROGRAM)
        environment = {**os.environ, "MYPYPATH": str(stubs.parent), "PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), *sys.path])}
        run = lambda *words: subprocess.run([sys.executable, "-m", *map(str, words)], text=True, capture_output=True,
                                            env=environment, cwd=folder)
        done = run("mypy.stubtest", "anyccl", "--allowlist", allowed, "--ignore-unused-allowlist")
        assert done.returncode == 0, done.stdout + done.stderr
        said = run("mypy", "--strict", program).stdout
        for expected in ('is "int"', 'is "list[str]"', "Communicator | None", 'has incompatible type "str"; expected "int"'):
            assert expected in said, said
        for wrong in ("int", "list[float]"):
            assert re.search(rf'has incompatible type "{re.escape(wrong)}"; expected "(Buffer|.*_HasDlpack)', said), said
        assert said.count("error:") == 3, said


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"ok      {name}", flush=True)
