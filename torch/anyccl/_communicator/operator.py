"""Reduction operators: those of the library, and those that a program makes."""

import ctypes
import functools
from ctypes import byref, c_int

from .._capi import ReduceOp, check, load
from .._capi.errors import refuse
from .._capi.header import ReduceFunction, Scalar
from .._capi.methods import public
from .._arrays import datatypes, sender

SUM, PRODUCT, MIN, MAX, AVG = ReduceOp.SUM, ReduceOp.PRODUCT, ReduceOp.MIN, ReduceOp.MAX, ReduceOp.AVG
BAND, BOR, BXOR = ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR
LAND, LOR, LXOR = ReduceOp.LAND, ReduceOp.LOR, ReduceOp.LXOR
# Name of MPI.
PROD = PRODUCT

ON_OBJECTS = {
    SUM: lambda a, b: a + b,
    PRODUCT: lambda a, b: a * b,
    MIN: min,
    MAX: max,
    BAND: lambda a, b: a & b,
    BOR: lambda a, b: a | b,
    BXOR: lambda a, b: a ^ b,
    LAND: lambda a, b: bool(a) and bool(b),
    LOR: lambda a, b: bool(a) or bool(b),
    LXOR: lambda a, b: bool(a) != bool(b),
}


@functools.partial(public, name="Op")
class Op:
    """An operator that a program has made, for methods of buffers with the argument `op`."""

    def __init__(self, number, keeps):
        self._number, self._keeps = number, keeps
        self._failure = None

    @classmethod
    def Create(cls, function, commute=False):
        """Makes an operator of function(inbuf, inoutbuf, datatype), which sets inoutbuf = inbuf op inoutbuf.

        Both are memoryviews of bytes, as in mpi4py: numpy.frombuffer(inbuf, dtype=...) makes arrays of them.
        The function runs inside a call, on the thread of that call, and must not use anyccl. If it raises,
        that call raises the exception on this rank. The other ranks get a wrong result, or learn of the
        failure if this rank aborts the communicator.
        """
        operator = cls(0, None)

        def combine(left, right, count, datatype, _context):
            bytes_ = count * datatypes.BYTES[datatype]
            try:
                views = [memoryview((ctypes.c_ubyte * bytes_).from_address(at)).cast("B") for at in (left, right)]
                function(views[0].toreadonly(), views[1], datatypes.Datatype(datatype))
            except BaseException as failure:
                operator._failure = failure

        callback, number = ReduceFunction(combine), c_int()
        check(load(), load().anyccl_op_create(callback, None, int(bool(commute)), byref(number)))
        operator._number, operator._keeps = number.value, callback
        return operator

    @classmethod
    def premul_sum(cls, scalar):
        """Makes a sum in which each rank first multiplies its elements by its scalar: an array of one
        element, of the type of the data."""
        value, number = sender(scalar), c_int()
        if value.count != 1:
            refuse(f"the scalar has {value.count} elements; it must be one")
        status = load().anyccl_op_create_premul_sum(value.address, value.datatype, Scalar.IMMEDIATE, byref(number))
        check(load(), status)
        return cls(number.value, None)

    def Free(self):
        """Frees the operator. Operations that have started with it go on."""
        check(load(), load().anyccl_op_destroy(self._number))

    def raise_failure(self):
        """Raises the last exception of the function since this was called before, if there was one."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure


def code_of(op):
    """Returns (number of the operator, function to call when an operation with it has ended)."""
    if type(op) is ReduceOp:
        return op, None
    if isinstance(op, Op):
        return op._number, op.raise_failure
    if op in list(ReduceOp):
        return ReduceOp(op), None
    names = ", ".join(f"anyccl.{member.name}" for member in ReduceOp)
    return refuse(f"{op!r} is not an operator; accepted: {names}, or one made by anyccl.Op")


def function_of(op):
    """Returns the function of two objects that an operator stands for."""
    if callable(op):
        return op
    if op in ON_OBJECTS:
        return ON_OBJECTS[op]
    return refuse(f"{op!r} is not defined on objects; accepted: a function of two objects, or any operator except AVG")
