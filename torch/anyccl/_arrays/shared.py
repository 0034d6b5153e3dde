"""Memory that the other ranks of this host read where it is."""

import ctypes
import weakref

from .._capi import check, load


def mem_alloc(size):
    """Memory of so many bytes, as a memoryview; it is freed with the last array that uses it.

    A message in it is not copied on its way to ranks of this host, from 8 KiB on. Allocate once, not per call, and put no
    secret into it: other processes of the job can read it.
    """
    place = ctypes.c_void_p()
    check(load(), load().anyccl_mem_alloc(size, ctypes.byref(place)))
    if not place.value:
        return memoryview(bytearray())
    memory = (ctypes.c_ubyte * size).from_address(place.value)
    # At the end of the process arrays in it may outlive this; the system frees it then.
    weakref.finalize(memory, load().anyccl_mem_free, place.value).atexit = False
    return memoryview(memory).cast("B")
