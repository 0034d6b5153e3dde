"""Arrays in memory of a GPU, for tests: what CuPy, Numba and PyTorch offer of theirs, without any of them.

`CudaArray` has `__cuda_array_interface__`, `DlpackArray` has DLPack. Both keep their content in memory of the CUDA
driver, and make it on a stream of their own.
"""

import ctypes

import numpy as np

driver = ctypes.CDLL("libcuda.so.1")
_number = ctypes.c_uint64
driver.cuMemcpyHtoDAsync_v2.argtypes = [_number, ctypes.c_void_p, ctypes.c_size_t, _number]
driver.cuMemcpyDtoHAsync_v2.argtypes = [ctypes.c_void_p, _number, ctypes.c_size_t, _number]
driver.cuMemFree_v2.argtypes = driver.cuStreamSynchronize.argtypes = [_number]
driver.cuEventRecord.argtypes = driver.cuStreamWaitEvent.argtypes = [_number, _number]
driver.cuStreamWaitEvent.argtypes = [_number, _number, ctypes.c_uint]
driver.cuEventDestroy_v2.argtypes = [_number]
driver.cuMemFreeHost.argtypes = [ctypes.c_void_p]


def ask(name, *arguments):
    result = getattr(driver, name)(*arguments)
    assert result == 0, f"{name}: {result}"


def made(name, *arguments, kind=_number):
    place = kind()
    ask(name, ctypes.byref(place), *arguments)
    return place.value


def start():
    """Makes the GPU usable in this thread."""
    ask("cuInit", 0)
    ask("cuCtxSetCurrent", ctypes.c_void_p(made("cuDevicePrimaryCtxRetain", 0)))


def new_stream():
    return made("cuStreamCreate", 1)


def synchronize(stream):
    ask("cuStreamSynchronize", stream)


def pinned(array):
    """Returns a copy in page-locked memory, from which copies do not wait."""
    place = made("cuMemHostAlloc", ctypes.c_size_t(max(1, array.nbytes)), 0, kind=ctypes.c_void_p)
    memory = (ctypes.c_ubyte * array.nbytes).from_address(place)
    copy = np.frombuffer(memory, array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


class Memory:
    """An array on the GPU, with a copy of `content` that its stream makes."""

    def __init__(self, content, stream):
        content = np.ascontiguousarray(content)
        self.shape, self.numpy_dtype, self.strides, self.stream = content.shape, content.dtype, None, stream
        self.address = made("cuMemAlloc_v2", ctypes.c_size_t(max(1, content.nbytes)))
        self.is_read_only = False
        self.fill(content, stream)

    def fill(self, content, stream):
        self.source = pinned(content)
        ask("cuMemcpyHtoDAsync_v2", self.address, self.source.ctypes.data, self.source.nbytes, stream)

    def read(self, stream):
        """Enqueues a copy to the host on a stream, and returns it when it is there."""
        result = pinned(np.zeros(self.shape, self.numpy_dtype))
        ask("cuMemcpyDtoHAsync_v2", result.ctypes.data, self.address, result.nbytes, stream)
        synchronize(stream)
        return result.copy()

    def transposed(self):
        """Makes the array appear with its axes exchanged, so that it is not contiguous."""
        item = self.numpy_dtype.itemsize
        self.strides = tuple(item * length for length in (1, self.shape[1]))
        self.shape = self.shape[::-1]
        return self


class CudaArray(Memory):
    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "typestr": self.numpy_dtype.str,
            "data": (self.address, self.is_read_only),
            "version": 3,
            "strides": self.strides,
            "stream": self.stream,
        }


class _Tensor(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
    ]  # fmt: skip


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.argtypes, _new_capsule.restype = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p], ctypes.py_object


class DlpackArray(Memory):
    """Knows no `max_version`, like older libraries."""

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, *, stream=None):
        assert stream != 0, "0 means two streams, and DLPack forbids it"
        if stream not in (-1, self.stream):
            event = made("cuEventCreate", 2)
            ask("cuEventRecord", event, self.stream)
            ask("cuStreamWaitEvent", stream or 1, event, 0)
            ask("cuEventDestroy_v2", event)
        tensor = self._exported = _Tensor()
        tensor.data, tensor.device_type, tensor.device_id, tensor.ndim = self.address, 2, 0, len(self.shape)
        tensor.code = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}[self.numpy_dtype.kind]
        tensor.bits, tensor.lanes = 8 * self.numpy_dtype.itemsize, 1
        tensor.shape = (ctypes.c_int64 * len(self.shape))(*self.shape)
        if self.strides is not None:
            elements = [stride // self.numpy_dtype.itemsize for stride in self.strides]
            tensor.strides = (ctypes.c_int64 * len(elements))(*elements)
        return _new_capsule(ctypes.addressof(tensor), b"dltensor", None)
