"""Frequent calls without ctypes: the extension anyccl._fast_path, where it can be loaded.

The extension is for CPython from 3.11 on, except its free-threaded builds. Elsewhere, and where it was not built, all
calls go through ctypes. They do the same, but a small call takes some microseconds longer.

A method of the extension that does not serve a call has done nothing and returns NOT_SERVED. The caller then
makes the call by ctypes.
"""

import ctypes
import functools
import os
import pickle
import sys

from .errors import check, refuse
from .header import FUNCTIONS, Datatype, ReduceOp
from .library import load


class _NotServed:
    def __repr__(self):
        return "NOT_SERVED"


NOT_SERVED = _NotServed()


class _Ctypes:
    """Stands in for the Calls of the extension and serves none."""

    left = ()

    def __getattr__(self, _name):
        return _serve_nothing


def _serve_nothing(*_arguments):
    return NOT_SERVED


WITHOUT_EXTENSION = _Ctypes()


def calls_of(handle, rank, size):
    """Returns the object with the frequent calls of a communicator."""
    extension = _extension()
    return WITHOUT_EXTENSION if extension is None else extension.Calls(handle or 0, rank, size)


def is_used():
    """Returns whether calls go through the extension."""
    return _extension() is not None


@functools.cache
def _extension():
    if sys.version_info < (3, 11) or os.environ.get("ANYCCL_PYTHON_CTYPES", "0") not in ("", "0"):
        return None
    try:
        from .. import _fast_path
    except ImportError:
        return None
    from .._arrays import IN_PLACE
    from .._communicator.status import Status

    library = load()
    addresses = {name: ctypes.cast(getattr(library, name), ctypes.c_void_p).value for name in FUNCTIONS}
    _fast_path.bind(addresses, {
        "in_place": IN_PLACE, "reduce_op": ReduceOp, "dumps": pickle.dumps, "loads": pickle.loads,
        "protocol": pickle.HIGHEST_PROTOCOL, "raise_status": functools.partial(check, library),
        "not_served": NOT_SERVED, "refuse_array": refuse_array, "status": Status, "found": "_found"})
    return _fast_path


def refuse_array(source, tag, datatype, rank, method=None):
    """Raises the error for a message that is not a pickle."""
    refuse(f"the message of rank {source} with tag {tag} is an array of {Datatype(datatype).name.lower()}, sent by a "
           "method in upper case: receive it by Recv", rank, method)
