"""Datatypes of the library by the names of NumPy, ml_dtypes and PyTorch, and by the codes of DLPack and the
buffer protocol."""

import sys

from .._capi import Datatype

# ml_dtypes has more float types of 8 bits. The same bits mean other numbers in them than in the two types
# below, so they are not accepted.
BY_NAME = {
    "bool": Datatype.BOOL,
    "int8": Datatype.INT8,
    "uint8": Datatype.UINT8,
    "int16": Datatype.INT16,
    "uint16": Datatype.UINT16,
    "int32": Datatype.INT32,
    "uint32": Datatype.UINT32,
    "int64": Datatype.INT64,
    "uint64": Datatype.UINT64,
    "float16": Datatype.FLOAT16,
    "bfloat16": Datatype.BFLOAT16,
    "float32": Datatype.FLOAT32,
    "float64": Datatype.FLOAT64,
    "float8_e4m3fn": Datatype.FLOAT8_E4M3,
    "float8_e5m2": Datatype.FLOAT8_E5M2,
    "complex64": Datatype.COMPLEX64,
    "complex128": Datatype.COMPLEX128,
}
BYTES = {
    Datatype.BOOL: 1, Datatype.BYTE: 1, Datatype.INT8: 1, Datatype.UINT8: 1, Datatype.FLOAT8_E4M3: 1,
    Datatype.FLOAT8_E5M2: 1, Datatype.INT16: 2, Datatype.UINT16: 2, Datatype.FLOAT16: 2, Datatype.BFLOAT16: 2,
    Datatype.INT32: 4, Datatype.UINT32: 4, Datatype.FLOAT32: 4, Datatype.INT64: 8, Datatype.UINT64: 8,
    Datatype.FLOAT64: 8, Datatype.COMPLEX64: 8, Datatype.COMPLEX128: 16,
}  # fmt: skip
# (code, bits) of a DLDataType with one lane.
BY_DLPACK = {
    (0, 8): Datatype.INT8, (0, 16): Datatype.INT16, (0, 32): Datatype.INT32, (0, 64): Datatype.INT64,
    (1, 8): Datatype.UINT8, (1, 16): Datatype.UINT16, (1, 32): Datatype.UINT32, (1, 64): Datatype.UINT64,
    (2, 16): Datatype.FLOAT16, (2, 32): Datatype.FLOAT32, (2, 64): Datatype.FLOAT64, (4, 16): Datatype.BFLOAT16,
    (5, 64): Datatype.COMPLEX64, (5, 128): Datatype.COMPLEX128, (6, 8): Datatype.BOOL,
    (10, 8): Datatype.FLOAT8_E4M3, (12, 8): Datatype.FLOAT8_E5M2,
}  # fmt: skip
_INTEGERS = {1: Datatype.INT8, 2: Datatype.INT16, 4: Datatype.INT32, 8: Datatype.INT64}
_UNSIGNED = {1: Datatype.UINT8, 2: Datatype.UINT16, 4: Datatype.UINT32, 8: Datatype.UINT64}
_OTHERS = {"?": Datatype.BOOL, "c": Datatype.BYTE, "e": Datatype.FLOAT16, "f": Datatype.FLOAT32, "d": Datatype.FLOAT64,
           "Zf": Datatype.COMPLEX64, "Zd": Datatype.COMPLEX128, "F": Datatype.COMPLEX64, "D": Datatype.COMPLEX128}


def by_format(form, itemsize):
    """Returns the datatype of a format of the struct module, in the byte order of this machine. None: there
    is none."""
    form = form.removeprefix("@").removeprefix("=").removeprefix("<")
    if form in ("b", "h", "i", "l", "q", "n"):
        return _INTEGERS.get(itemsize)
    if form in ("B", "H", "I", "L", "Q", "N"):
        return _UNSIGNED.get(itemsize)
    return _OTHERS.get(form)


def by_typestr(typestr):
    """Returns the datatype of a type of NumPy's array interface, such as "<f4". None: there is none."""
    if typestr[:1] == (">" if sys.byteorder == "little" else "<"):
        return None
    code = {"b": 6, "i": 0, "u": 1, "f": 2, "c": 5}.get(typestr[1:2])
    return BY_DLPACK.get((code, 8 * int(typestr[2:]))) if typestr[2:].isdigit() else None


def accepted():
    """Returns the accepted types, for messages."""
    return ", ".join(BY_NAME)
