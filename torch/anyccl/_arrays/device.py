"""Memory of a CUDA device that the library allocates."""

import ctypes
import weakref

from .._capi import check, load
from .._capi.errors import called, integer
from .._capi.header import MemKind
from .._capi.methods import public


class DeviceMemory:
    """Bytes in memory of a device. They are freed with the object and the last array that was made of it.

    CuPy, Numba and PyTorch take it as an array: `torch.as_tensor(memory, device="cuda")`.
    """

    def __init__(self, address, size):
        self.address, self.nbytes = address, size
        # At the end of the process the driver frees it.
        weakref.finalize(self, load().anyccl_mem_free, address).atexit = False

    @property
    def __cuda_array_interface__(self):
        return {"shape": (self.nbytes,), "typestr": "|u1", "data": (self.address, False), "strides": None, "version": 3}


@public
def device_alloc(size, *, exportable=False):
    """Allocates `size` bytes on the device that is current in this thread. Other processes can map them if
    they are exportable.

    It may wait for all work of the device, as cudaMalloc. Their content is undefined.
    """
    size = integer(size, "size", 0, 2**63 - 1)
    kind = MemKind.DEVICE_EXPORTABLE if exportable else MemKind.DEVICE
    place = ctypes.c_void_p()
    check(load(), called(load(), "anyccl_mem_alloc_kind", max(size, 1), kind, ctypes.byref(place)))
    return DeviceMemory(place.value, size)
