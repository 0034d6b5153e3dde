"""What the tests of this folder need besides PyTorch: copies that no kernel of PyTorch has to make.

PyTorch's kernels do not run on the driver double. Contiguous tensors of one datatype are copied by the driver. For
others, `use_cpu_for_copies()` replaces `Tensor.copy_`. On a real GPU there is nothing to replace, seeds do nothing, and
tests that need functions of the double are left out.
"""

import ctypes
import os
from pathlib import Path

import pytest
import torch

DOUBLE = os.environ.get("ANYCCL_TEST_DOUBLE")
if DOUBLE:
    _runtime = ctypes.CDLL(Path(DOUBLE, "libcudart.so.13"))
    _driver = ctypes.CDLL(Path(DOUBLE, "libcuda.so.1"))
needs_the_double = pytest.mark.skipif(not DOUBLE, reason="a real GPU cannot be told to fail, and counts nothing")
_DEFAULT = 4
_library = None


def _copy_bytes(to, from_, count, is_waited_for):
    stream = torch.cuda.current_stream()
    arguments = (ctypes.c_void_p(to), ctypes.c_void_p(from_), ctypes.c_size_t(count), _DEFAULT)
    assert _runtime.cudaMemcpyAsync(*arguments, ctypes.c_void_p(stream.cuda_stream)) == 0
    if is_waited_for:
        stream.synchronize()


def _on_cpu(tensor):
    """Returns a copy of the tensor on the CPU, with the same strides, and the bytes of its whole storage."""
    storage = tensor.untyped_storage()
    there = torch.empty(storage.nbytes(), dtype=torch.uint8)
    _copy_bytes(there.data_ptr(), storage.data_ptr(), storage.nbytes(), True)
    whole = torch.empty(0, dtype=tensor.dtype).set_(there.untyped_storage())
    return whole.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset()), there


def _copy(self, source, non_blocking=False):
    is_plain = self.is_contiguous() and source.is_contiguous() and self.dtype == source.dtype
    if is_plain and self.shape == source.shape:
        if self.numel():
            _copy_bytes(self.data_ptr(), source.data_ptr(), self.numel() * self.element_size(), not non_blocking)
        return self
    if source.is_cuda:
        source, _ = _on_cpu(source)
    if not self.is_cuda:
        return self.copy_(source)
    mine, there = _on_cpu(self)
    mine.copy_(source)
    _copy_bytes(self.untyped_storage().data_ptr(), there.data_ptr(), there.numel(), True)
    return self


def use_cpu_for_copies():
    """Makes copies between tensors of any layout possible, from now on in this process. They wait for the stream."""
    global _library
    if not DOUBLE:
        return
    _library = torch.library.Library("aten", "IMPL")
    _library.impl("copy_", _copy, "CUDA")


def live_objects():
    """Returns how many objects of each kind the driver of this process has."""
    text = ctypes.create_string_buffer(1000)
    _driver.cudaDoubleLiveObjects(text, len(text))
    return {name: int(count) for name, _, count in (word.partition("=") for word in text.value.decode().split())}


def set_seed(seed):
    if DOUBLE:
        _driver.cudaDoubleSetSeed(ctypes.c_uint64(seed))


def ignore(names):
    """From now on, calls of these functions of the driver succeed and do nothing."""
    _driver.cudaDoubleSetFaults(b"", 0, names.encode())
