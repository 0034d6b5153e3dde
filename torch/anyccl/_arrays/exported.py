"""Memory that an object offers by the buffer protocol: bytes, bytearray, array.array, memoryview, mmap,
ctypes arrays.

Python's C API is used, because no other way gives the address of read-only memory.
"""

import ctypes

# PyBUF_FULL_RO: any strides, with a format, not necessarily writable.
_FULL_READ_ONLY = 0x011C


class _PyBuffer(ctypes.Structure):
    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.py_object),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)),
        ("internal", ctypes.c_void_p),
    ]


# Looked up by item: a function that is an attribute of pythonapi, and its types, belong to all packages of the process.
_get = ctypes.pythonapi["PyObject_GetBuffer"]
_get.argtypes, _get.restype = [ctypes.py_object, ctypes.POINTER(_PyBuffer), ctypes.c_int], ctypes.c_int
_release = ctypes.pythonapi["PyBuffer_Release"]
_release.argtypes, _release.restype = [ctypes.POINTER(_PyBuffer)], None
_is_contiguous = ctypes.pythonapi["PyBuffer_IsContiguous"]
_is_contiguous.argtypes, _is_contiguous.restype = [ctypes.POINTER(_PyBuffer), ctypes.c_char], ctypes.c_int


def of(source):
    """Returns the memory of an object. None: it offers no memory."""
    try:
        return Export(source)
    except TypeError:
        return None


class Export:
    """The memory of an object, which cannot be resized while this lives. TypeError: the object offers no
    memory."""

    def __init__(self, source):
        self._view = _PyBuffer()
        _get(source, self._view, _FULL_READ_ONLY)
        view = self._view
        self.address, self.bytes, self.itemsize = view.buf or 0, view.len, view.itemsize
        self.is_read_only = bool(view.readonly)
        self.is_contiguous = bool(_is_contiguous(view, b"C"))
        self.format = (view.format or b"B").decode()

    def __del__(self):
        # If PyObject_GetBuffer has failed, obj is NULL, and the release does nothing.
        _release(self._view)
