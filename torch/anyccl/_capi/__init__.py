"""The C API of libanyccl, for the other modules of this package.

    header   declarations of include/anyccl/anyccl.h, generated
    library  finds libanyccl.so.0 and loads it, once
    errors   an exception class per status
"""

from .errors import check
from .header import Datatype, ReduceOp, Status
from .library import load

__all__ = ["Datatype", "ReduceOp", "Status", "check", "load"]
