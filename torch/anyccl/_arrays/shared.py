"""Memory that the other ranks of this host can read in place."""

import ctypes
import weakref

from .._capi import check, load
from .._capi.errors import called
from .._capi.methods import public


@public
def mem_alloc(size):
    """Allocates `size` bytes and returns them as a memoryview. They are freed with the last array that uses
    them.

    From 8 KiB on, a message in this memory is not copied on its way to ranks of this host. Allocate once, not
    per call. Put no secret into it: other processes of the job can read it.
    """
    place = ctypes.c_void_p()
    check(load(), called(load(), "anyccl_mem_alloc", size, ctypes.byref(place)))
    if not place.value:
        return memoryview(bytearray())
    memory = (ctypes.c_ubyte * size).from_address(place.value)
    # At the end of the process, arrays in the memory may outlive this. The system then frees it.
    weakref.finalize(memory, load().anyccl_mem_free, place.value).atexit = False
    return memoryview(memory).cast("B")
