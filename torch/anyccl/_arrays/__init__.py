"""What Python objects look like to the library: an address, a number of elements, a datatype.

    datatypes  the names and codes of element types
    dlpack     memory that is offered by DLPack
    exported   memory that is offered by the buffer protocol
    buffer     any of them, with what the library cannot check
    shared     memory that ranks of this host read where it is
    vectors    counts and displacements of the calls whose blocks differ in length
"""

from .buffer import IN_PLACE, NOTHING, Buffer, receiver, sender
from .shared import mem_alloc
from .vectors import Blocks

__all__ = ["IN_PLACE", "NOTHING", "Blocks", "Buffer", "mem_alloc", "receiver", "sender"]
