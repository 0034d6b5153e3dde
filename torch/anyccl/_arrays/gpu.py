"""Memory of GPUs: objects that offer it by DLPack or by `__cuda_array_interface__`, and the streams of calls.

Each of these objects knows the stream on which its content is made. Before a call uses the memory, that stream is
brought in line: with the communicator's stream, if it has one; otherwise this thread waits for it, as calls without
a stream need buffers that are ready.

DLPack does so itself: it is told the stream of the consumer. `__cuda_array_interface__` only names the stream of the
producer, for which this thread waits, unless it is the communicator's.
"""

import ctypes
import os
import threading
from contextlib import contextmanager

from .._capi.errors import integer, refuse

# Handle of the default stream that all threads share.
LEGACY_STREAM = 1
# DLPack's number for memory of a CUDA device.
CUDA = 2
_CONTEXT_OF, _DEVICE_OF = 1, 9
_here = threading.local()


def is_driver_loaded():
    """Returns whether this process has loaded the CUDA driver. Loads nothing."""
    try:
        ctypes.CDLL("libcuda.so.1", os.RTLD_LAZY | os.RTLD_NOLOAD)
    except OSError:
        return False
    return True


class Call:
    """A call that is being put together in this thread, by a communicator that may use memory of GPUs."""

    __slots__ = ("stream", "has_gpu_buffers")

    def __init__(self, stream):
        # CUstream as a number; None: the call is in no stream.
        self.stream = stream
        self.has_gpu_buffers = False

    def dlpack_stream(self):
        """Returns the stream that DLPack shall bring the memory in line with. 0 is not allowed there."""
        return LEGACY_STREAM if not self.stream else self.stream

    def take_over(self, address, producer):
        """Waits until memory that is made on the stream `producer` may be used by the call."""
        # NULL is the legacy default stream, too.
        mine = LEGACY_STREAM if self.stream == 0 else self.stream
        if address and producer != mine:
            synchronize(address, producer)


@contextmanager
def call_on(stream):
    """The buffers that this thread looks at within the block belong to a call on `stream`."""
    _here.call = Call(stream)
    try:
        yield _here.call
    finally:
        _here.call = None


def call_here(role):
    """Returns the Call that this thread puts together, which now has buffers on a GPU."""
    call = getattr(_here, "call", None)
    if call is None:
        refuse(f"the {role} is on a GPU, and the communicator was made before this process had loaded the CUDA driver: "
               "make it after the first use of the GPU")
    call.has_gpu_buffers = True
    return call


def synchronize(address, stream):
    """Waits until a stream of the device to which the address belongs has done all that it was given."""
    driver = _driver()
    context, device = ctypes.c_void_p(), ctypes.c_int()
    _check(driver, driver.cuPointerGetAttribute(ctypes.byref(context), _CONTEXT_OF, address))
    if not context.value:
        _check(driver, driver.cuPointerGetAttribute(ctypes.byref(device), _DEVICE_OF, address))
        _check(driver, driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    _check(driver, driver.cuCtxPushCurrent_v2(context))
    try:
        _check(driver, driver.cuStreamSynchronize(stream))
    finally:
        driver.cuCtxPopCurrent_v2(ctypes.byref(context))


def stream_number(stream):
    """Returns a stream of CuPy, PyTorch, Numba, cuda-core or a plain number as the number of its CUstream."""
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    for name in ("ptr", "cuda_stream", "handle"):
        if hasattr(stream, name):
            stream = getattr(stream, name)
            return int(getattr(stream, "value", stream) or 0)
    if hasattr(stream, "__index__"):
        return integer(stream, "stream", 0, 2**64 - 1)
    return refuse(f"{stream!r} is not a stream: give one of CuPy or PyTorch, or its address as a number")


def _driver():
    driver = ctypes.CDLL("libcuda.so.1")
    driver.cuPointerGetAttribute.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_uint64]
    driver.cuStreamSynchronize.argtypes = [ctypes.c_void_p]
    return driver


def _check(driver, result):
    if result:
        text = ctypes.c_char_p()
        driver.cuGetErrorString(result, ctypes.byref(text))
        refuse(f"the CUDA driver: {(text.value or b'unknown error').decode()}")
