"""An object of the caller as the library sees it.

The memory of an object is looked up by `__array_interface__` (NumPy), then by DLPack, then by
`__cuda_array_interface__`, then by the buffer protocol. NumPy's own interface comes first, because the buffer
protocol has no format for bfloat16 and similar types. An object that cannot be used as it is is copied, where
that gives the right result. Otherwise it is refused with a message that says what to do.
"""

import sys

from .._capi.errors import refuse
from . import datatypes, dlpack, exported, gpu


class _InPlace:
    def __repr__(self):
        return "anyccl.IN_PLACE"


IN_PLACE = _InPlace()


class Buffer:
    """Contiguous memory that stays valid while this object lives."""

    __slots__ = ("address", "count", "datatype", "is_on_gpu", "_keeps")

    def __init__(self, address, count, datatype, keeps=None, is_on_gpu=False):
        self.address, self.count, self.datatype, self.is_on_gpu = address, count, datatype, is_on_gpu
        self._keeps = keeps

    @property
    def itemsize(self):
        return datatypes.BYTES[self.datatype]

    def part(self, start, count):
        """Returns a part of the buffer."""
        return Buffer(self.address + start * self.itemsize, count, self.datatype, self._keeps, self.is_on_gpu)


NOTHING = Buffer(None, 0, datatypes.Datatype.BYTE)


def sender(source):
    """Returns a Buffer to read from. An object that is not contiguous is copied."""
    buffer, is_contiguous, _ = _look(source, "send buffer")
    return buffer if is_contiguous else sender(_contiguous_copy(source))


def receiver(target):
    """Returns a Buffer to write to."""
    buffer, is_contiguous, is_read_only = _look(target, "receive buffer")
    if is_read_only:
        refuse(f"the receive buffer ({_named(target)}) may only be read: receive into a copy of it")
    if not is_contiguous:
        refuse(f"the receive buffer ({_named(target)}) is not contiguous: receive into numpy.ascontiguousarray(x) or "
               "tensor.contiguous() and copy that back")
    return buffer


def _look(thing, role):
    """Returns (Buffer, whether it is contiguous, whether it is read-only)."""
    if isinstance(thing, Buffer):
        return thing, True, False
    interface = getattr(thing, "__array_interface__", None)
    if interface is not None:
        return _of_array(thing, interface, role)
    if hasattr(thing, "__dlpack__") and hasattr(thing, "__dlpack_device__"):
        return _of_tensor(thing, role)
    if hasattr(thing, "__cuda_array_interface__"):
        return _of_cuda_array(thing, thing.__cuda_array_interface__, role)
    if (export := exported.of(thing)) is None:
        refuse(f"the {role} ({_named(thing)}) offers no memory: give an array, a tensor or an object with the buffer "
               "protocol; the methods in lower case send any object")
    datatype = datatypes.by_format(export.format, export.itemsize)
    if datatype is None or (export.format[:1] in "!>" and sys.byteorder == "little"):
        refuse(f"the {role} ({_named(thing)}) has elements of format {export.format!r}; accepted: "
               f"{datatypes.accepted()}")
    buffer = Buffer(export.address, export.bytes // export.itemsize, datatype, export)
    return buffer, export.is_contiguous, export.is_read_only


# Datatype of each NumPy dtype seen so far. NumPy computes the name of a dtype at each use.
_KNOWN = {}


def _of_array(array, interface, role):
    dtype = getattr(array, "dtype", None)
    datatype = _KNOWN.get(dtype)
    if datatype is None:
        datatype = datatypes.BY_NAME.get(getattr(dtype, "name", None))
        if datatype is None or not dtype.isnative:
            refuse(f"the {role} has elements of type {dtype or interface['typestr']}; accepted: "
                   f"{datatypes.accepted()}. As bytes anything can be moved: x.view(numpy.uint8)")
        _KNOWN[dtype] = datatype
    count = 1
    for length in interface["shape"]:
        count *= length
    address, is_read_only = interface["data"]
    is_contiguous = interface.get("strides") is None or count == 0
    return Buffer(address, count, datatype, (array, interface)), is_contiguous, is_read_only


def _of_tensor(tensor, role):
    kind, number, is_reachable = dlpack.device_of(tensor)
    call = gpu.call_here(role) if kind == gpu.CUDA else None
    if not is_reachable and call is None:
        refuse(f"the {role} ({_named(tensor)}) is on device {number} of DLPack's type {kind}; accepted: memory of the "
               "host and of CUDA. Copy it to the host first, for example by .cpu()")
    export = dlpack.Export(tensor, call.dlpack_stream() if call else None)
    if call and call.stream is None and export.count:
        gpu.synchronize(export.address, gpu.LEGACY_STREAM)
    datatype = datatypes.BY_DLPACK.get(export.code)
    if datatype is None:
        refuse(f"the {role} ({_named(tensor)}) has elements of type {getattr(tensor, 'dtype', export.code)}; accepted: "
               f"{datatypes.accepted()}")
    buffer = Buffer(export.address, export.count, datatype, export, is_on_gpu=call is not None)
    return buffer, export.is_contiguous, export.is_read_only


def _of_cuda_array(array, interface, role):
    call = gpu.call_here(role)
    if interface.get("mask") is not None:
        refuse(f"the {role} ({_named(array)}) has a mask: give an array without one")
    datatype = datatypes.BY_NAME.get(getattr(getattr(array, "dtype", None), "name", None))
    datatype = datatypes.by_typestr(interface["typestr"]) if datatype is None else datatype
    if datatype is None:
        refuse(f"the {role} ({_named(array)}) has elements of type {interface['typestr']}; accepted: "
               f"{datatypes.accepted()}")
    count = 1
    for length in interface["shape"]:
        count *= length
    address, is_read_only = interface["data"]
    strides = interface.get("strides")
    is_contiguous = (strides is None or count == 0
                     or dlpack.is_dense(interface["shape"], strides, datatypes.BYTES[datatype]))
    if interface.get("stream") is not None and count:
        call.take_over(address, interface["stream"])
    return Buffer(address, count, datatype, (array, interface), is_on_gpu=True), is_contiguous, is_read_only


def _contiguous_copy(source):
    if hasattr(source, "__array_interface__"):
        import numpy

        return numpy.ascontiguousarray(source)
    if callable(getattr(source, "contiguous", None)):  # PyTorch. A memoryview has an attribute of this name.
        return source.contiguous()
    if hasattr(source, "__cuda_array_interface__") or _is_on_gpu(source):
        refuse(f"the send buffer ({_named(source)}) is not contiguous: send cupy.ascontiguousarray(x)")
    if hasattr(source, "__dlpack__"):
        import numpy

        return numpy.ascontiguousarray(numpy.from_dlpack(source))
    view = memoryview(source)
    return memoryview(view.tobytes()).cast(view.format)


def _is_on_gpu(source):
    return hasattr(source, "__dlpack_device__") and int(source.__dlpack_device__()[0]) == gpu.CUDA


def _named(thing):
    kind = type(thing)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    shape = getattr(thing, "shape", None)
    return name if shape is None else f"{name} of shape {tuple(shape)}"
