"""Errors as exceptions: one class per status of the C API.

Each class also derives from the exception of Python with the same meaning. So `except ConnectionError`
catches a lost rank, and `except TimeoutError` a rank that did not come.
"""

import builtins

from .header import Status

__all__ = ["Error", "InvalidArgumentError", "InvalidUsageError", "UnsupportedError", "PeerLostError", "TimeoutError",
           "MismatchError", "AbortedError", "BootstrapError", "SystemCallError", "InternalError", "check", "refuse"]


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


def check(library, status, rank=-1):
    """Raises the exception of a status that is not success. To be called on the thread that made the call."""
    if status:
        # All operations are waited for by the same call, so its name is dropped.
        message = library.anyccl_last_error().decode("utf-8", "replace").removeprefix("anyccl_wait_for: ")
        raise _CLASSES.get(status, InternalError)(message, rank)


def refuse(message, rank=-1):
    """Raises the library's error for an invalid argument, for properties of Python objects that the library
    cannot see."""
    raise InvalidArgumentError(message, rank)
