"""The expected results of collectives, computed by NumPy from the inputs of all ranks. The numbers are small,
so that every type represents them, and also the average of 1, 2 or 4 of them.
"""

import numpy as np

import anyccl

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
FLOATS = ("float16", "float32", "float64")
COMPLEX = ("complex64", "complex128")

REDUCE = {
    anyccl.SUM: np.add.reduce,
    anyccl.PRODUCT: np.multiply.reduce,
    anyccl.MIN: np.minimum.reduce,
    anyccl.MAX: np.maximum.reduce,
    anyccl.BAND: np.bitwise_and.reduce,
    anyccl.BOR: np.bitwise_or.reduce,
    anyccl.BXOR: np.bitwise_xor.reduce,
    anyccl.LAND: np.logical_and.reduce,
    anyccl.LOR: np.logical_or.reduce,
    anyccl.LXOR: np.logical_xor.reduce,
}


def given(rank, count, dtype="int64", seed=0):
    """Returns the input of a rank."""
    numbers = np.random.default_rng(1000 * seed + rank).integers(0, 4, count)
    return (numbers + 1j * numbers[::-1] if np.dtype(dtype).kind == "c" else numbers).astype(dtype)


def combined(parts, op):
    """Returns the reduction of the inputs of several ranks."""
    parts = np.asarray(parts)
    if len(parts) == 1:
        # A single rank keeps its elements as they are, even if a logical operator would turn them into 0 or
        # 1.
        return parts[0]
    if op == anyccl.AVG:
        total = np.add.reduce(parts, dtype=parts.dtype)
        return total // len(parts) if parts.dtype.kind in "iu" else (total / len(parts)).astype(parts.dtype)
    return REDUCE[op](parts).astype(parts.dtype)


def operators(dtype):
    """Returns the operators that are defined on a type."""
    if dtype in INTEGERS:
        return [*REDUCE, anyccl.AVG]
    if dtype in FLOATS:
        return [anyccl.SUM, anyccl.PRODUCT, anyccl.MIN, anyccl.MAX, anyccl.AVG]
    if dtype in COMPLEX:
        return [anyccl.SUM, anyccl.PRODUCT, anyccl.AVG]
    return [anyccl.PRODUCT, anyccl.MIN, anyccl.BAND, anyccl.LAND, anyccl.MAX, anyccl.BOR, anyccl.LOR, anyccl.BXOR]


def equal(got, expected):
    np.testing.assert_array_equal(got, expected)
    assert got.dtype == expected.dtype, f"{got.dtype}, not {expected.dtype}"
