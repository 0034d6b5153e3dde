"""Python objects as the library sees them: an address, a number of elements, a datatype.

    datatypes  names and codes of element types
    dlpack     memory that an object offers by DLPack
    exported   memory that an object offers by the buffer protocol
    gpu        memory of GPUs, and the streams of calls
    buffer     any of these, with checks that the library cannot make
    device     memory of a CUDA device
    shared     memory that the other ranks of the host can read in place
    vectors    counts and displacements of calls whose blocks differ in length
"""

from .buffer import IN_PLACE, NOTHING, Buffer, receiver, sender
from .device import DeviceMemory, device_alloc
from .shared import mem_alloc
from .vectors import Blocks

__all__ = ["IN_PLACE", "NOTHING", "Blocks", "Buffer", "DeviceMemory", "device_alloc", "mem_alloc", "receiver", "sender"]
