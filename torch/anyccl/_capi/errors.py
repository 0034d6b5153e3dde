"""Errors as exceptions: one class per status of the C API.

Each class also derives from the exception of Python with the same meaning. So `except ConnectionError`
catches a lost rank, and `except TimeoutError` a rank that did not come.
"""

import builtins
import ctypes
import functools
import operator
import re

from .header import FUNCTIONS, NUMBERS, Status
from .methods import method_called, named

__all__ = ["Error", "InvalidArgumentError", "InvalidUsageError", "UnsupportedError", "PeerLostError", "TimeoutError",
           "MismatchError", "AbortedError", "BootstrapError", "SystemCallError", "InternalError", "briefly", "called", "check", "integer",
           "public_name", "refuse"]


class Error(Exception):
    """A call of anyccl has failed.

        code:    a Status
        rank:    rank of the process that got the error, -1 before there is one
        message: sentence that says which call failed, why, and which rank is missing
    """

    code = Status.ERR_INTERNAL

    def __init__(self, message, rank=-1):
        # One argument, because OSError, a base of some of these, takes two for an errno and its text.
        super().__init__(message)
        self.message = message
        self.rank = rank

    def __reduce__(self):
        return type(self), (self.message, self.rank)

    def __str__(self):
        return self.message if self.rank < 0 else f"rank {self.rank}: {self.message}"


class InvalidArgumentError(Error, ValueError):
    """An argument that the call never accepts. Nothing was sent; the communicator works on."""

    code = Status.ERR_INVALID_ARGUMENT


class InvalidUsageError(Error, RuntimeError):
    """The call is not allowed now: after close, in a forked child, with an open request. Nothing was sent."""

    code = Status.ERR_INVALID_USAGE


class UnsupportedError(Error, NotImplementedError):
    """The call is defined, but not supported here. Nothing was sent."""

    code = Status.ERR_UNSUPPORTED


class PeerLostError(Error, ConnectionError):
    """A rank died or closed its connection. The communicator has failed; `shrink` makes one without that
    rank."""

    code = Status.ERR_PEER_LOST


class TimeoutError(Error, builtins.TimeoutError):
    """Not every rank came in time. The communicator has failed."""

    code = Status.ERR_TIMEOUT


class MismatchError(Error, ValueError):
    """The ranks made different calls. The communicator has failed, on all ranks."""

    code = Status.ERR_MISMATCH


class AbortedError(Error, RuntimeError):
    """Some rank called `abort`, or left a with-block by an exception. The communicator has failed, on all ranks."""

    code = Status.ERR_ABORTED


class BootstrapError(Error, ConnectionError):
    """The ranks could not find each other. There is no communicator."""

    code = Status.ERR_BOOTSTRAP


class SystemCallError(Error, OSError):
    """The operating system refused a request. If this happened in a collective, the communicator has failed."""

    code = Status.ERR_SYSTEM


class InternalError(Error, RuntimeError):
    """A bug in anyccl; please report the message."""

    code = Status.ERR_INTERNAL


_CLASSES = {kind.code: kind for kind in (
    InvalidArgumentError, InvalidUsageError, UnsupportedError, PeerLostError, TimeoutError, MismatchError, AbortedError,
    BootstrapError, SystemCallError, InternalError)}


# A traceback shows the name by which a program catches them.
for _kind in (Error, *_CLASSES.values()):
    _kind.__module__ = "anyccl"


def check(library, status, rank=-1, method=None):
    """Raises the exception of a status that is not success. To be called on the thread that made the call. The message
    names `method`, or else the method that the program has called, in place of the function of C."""
    if status:
        message = library.anyccl_last_error().decode("utf-8", "replace")
        method = method or method_called()
        if method:
            message = f"{method}: " + re.sub(r"^anyccl_\w+: ", "", message)
        raise _CLASSES.get(status, InternalError)(re.sub(r"\banyccl_(\w+)", _in_python, message), rank)


def briefly(function):
    """Makes a function of this package that leaves no frame in the traceback of an Error, and none of what it calls. So a
    traceback shows the program, the method that it has called, and the sentence."""

    @functools.wraps(function)
    def call(*arguments, **named):
        try:
            return function(*arguments, **named)
        except Error as error:
            # From Python 3.11 on, a plain `raise` adds no frame to an empty traceback.
            error.__traceback__ = None
            raise

    return call


# Methods for messages that mention other functions of C, whose names differ from those of the functions of C by more than the case of the first letter.
_METHODS = {
    "all_reduce": "Allreduce", "broadcast": "Bcast", "all_gather": "Allgather", "reduce_scatter": "Reduce_scatter_block",
    "all_to_all": "Alltoall", "all_gather_v": "Allgatherv", "gather_v": "Gatherv", "scatter_v": "Scatterv",
    "reduce_scatter_v": "Reduce_scatter", "all_to_all_v": "Alltoallv", "all_to_all_list": "Alltoall_list",
    "improbe": "Iprobe", "imrecv": "Recv", "mprobe": "Probe", "mrecv": "Recv", "try_recv": "Recv", "wait_for": "Wait",
    "wait_message": "Wait", "comm_create": "from_id", "comm_create_with_store": "from_store", "init_with": "world",
    "init": "world", "finalize": "close", "comm_destroy": "close", "unique_id_exchange_by_file": "from_file",
    "get_unique_id": "unique_id", "mem_alloc_kind": "device_alloc", "op_create": "Op.Create",
    "op_create_premul_sum": "Op.premul_sum", "op_destroy": "Op.Free",
}
_CAPITALS = {"reduce", "gather", "scatter", "scan", "exscan", "barrier", "send", "ssend", "recv", "sendrecv", "probe",
             "cancel"}


def _in_python(match):
    """Returns the name in Python for the name of a function of C, blocking or not."""
    name = match[1]
    if name in _METHODS:
        return _METHODS[name]
    if name[:1] == "i" and (name[1:] in _METHODS or name[1:] in _CAPITALS):
        name = name[1:]
    if name in _CAPITALS:
        return name.capitalize()
    return _METHODS.get(name, name.removeprefix("comm_"))


def public_name(function):
    """Returns the method of Python for the name of a function of C."""
    return _in_python(re.match("anyccl_(.*)", function))


# Least and greatest number of each integer type of C. ctypes would cut other numbers off.
_LIMITS = {ctypes.c_int: (-(2**31), 2**31 - 1), ctypes.c_int64: (-(2**63), 2**63 - 1), ctypes.c_size_t: (0, 2**64 - 1)}
# Names of arguments that differ in Python.
_ARGUMENTS = {"peer": "dest", "bytes": "size", "send_tag": "sendtag", "recv_tag": "recvtag"}


@functools.cache
def _integers(function):
    """Returns (place, name in messages, least, greatest) of each argument of a function of C that is a number."""
    types, numbers = FUNCTIONS[function][1], NUMBERS.get(function, {})
    return [(at, _ARGUMENTS.get(name, name), *_LIMITS[types[at]]) for at, name in numbers.items()]


def integer(value, what, least, greatest):
    """Returns an argument as an int. TypeError: it is none. OverflowError: it does not fit into the type of C."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(named(f"{what} {value!r} of type {type(value).__name__} is not an int")) from None
    if not least <= number <= greatest:
        raise OverflowError(named(f"{what} {number} is not between {least} and {greatest}"))
    return number


def rank_or_tag(value, what):
    """Returns a rank or a tag as an int, like integer()."""
    return integer(value, what, *_LIMITS[ctypes.c_int])


def called(library, function, *arguments):
    """Calls a function of the library by its name. TypeError: an argument has the wrong type. OverflowError: a number does
    not fit into the type of C."""
    for at, what, least, greatest in _integers(function):
        if hasattr(arguments[at], "__index__"):
            integer(arguments[at], what, least, greatest)
    try:
        return getattr(library, function)(*arguments)
    except ctypes.ArgumentError as error:
        place = re.match(r"argument (\d+)", str(error))
        wrong = arguments[int(place[1]) - 1] if place else None
        raise TypeError(named(f"{wrong!r} of type {type(wrong).__name__} is not an int")) from None


def refuse(message, rank=-1, method=None):
    """Raises the library's error for an invalid argument, for properties of Python objects that the library
    cannot see. The message names `method`, or else the method that the program has called."""
    raise InvalidArgumentError(named(message, method), rank)
