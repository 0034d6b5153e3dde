"""Memory that an object offers by DLPack: tensors of PyTorch, arrays of JAX, TensorFlow and CuPy, on the CPU or on
a GPU.

The capsule is read and kept, but not consumed. Its own destructor returns the memory later, as for a consumer
that did not take it. No framework is imported.
"""

import ctypes

_CPU, _CPU_SIDE = 1, (1, 3, 11, 13)  # CPU; page-locked memory of CUDA, of ROCm; managed memory of CUDA
_READ_ONLY = 1


class _Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned. The older DLManagedTensor begins with the tensor."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


# By item, as in exported.py.
_pointer_of = ctypes.pythonapi["PyCapsule_GetPointer"]
_pointer_of.argtypes, _pointer_of.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p
_is_valid = ctypes.pythonapi["PyCapsule_IsValid"]
_is_valid.argtypes, _is_valid.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_int


def device_of(source):
    """Returns (type, number) of the device of the object's memory, and whether the CPU can use that memory."""
    kind, number = source.__dlpack_device__()
    return int(kind), int(number), int(kind) in _CPU_SIDE


class Export:
    """The memory of an object that has __dlpack__. BufferError: the object does not export its memory.

    stream: the stream that the object brings its memory in line with, for memory of a GPU."""

    def __init__(self, source, stream=None):
        options = {} if stream is None else {"stream": stream}
        try:
            self._capsule = source.__dlpack__(max_version=(1, 0), **options)
        except TypeError:  # The object has DLPack from before version 1.
            self._capsule = source.__dlpack__(**options)
        if _is_valid(self._capsule, b"dltensor_versioned"):
            managed = _Versioned.from_address(_pointer_of(self._capsule, b"dltensor_versioned"))
            tensor, flags = managed.tensor, managed.flags
        else:
            tensor, flags = _Tensor.from_address(_pointer_of(self._capsule, b"dltensor")), 0
        self.address = (tensor.data or 0) + tensor.byte_offset
        self.code = (tensor.code, tensor.bits) if tensor.lanes == 1 else None
        self.is_read_only = bool(flags & _READ_ONLY)
        shape = tensor.shape[: tensor.ndim]
        self.count = 1
        for length in shape:
            self.count *= length
        self.is_contiguous = not tensor.strides or self.count == 0 or is_dense(shape, tensor.strides[: tensor.ndim])


def is_dense(shape, strides, step=1):
    """Returns whether the last index counts the elements, `step` apart, and each other one whole rows."""
    expected = step
    for length, stride in zip(reversed(shape), reversed(strides)):
        if length != 1 and stride != expected:
            return False
        expected *= length
    return True
