"""The torch.distributed backend "anyccl".

`register()` is the entry point `torch.distributed.backends`. The extension is compiled for one release of
torch, because the classes of c10d change with each release. If another release is installed, `load()` says
what to do.
"""

import atexit
import importlib
import os
from datetime import timedelta

import torch
import torch.distributed as dist

from . import _torch_release
from ._capi import library
from .as_gloo import VARIABLE as AS_VARIABLE

NAME = "anyccl"
MEMORY_VARIABLE = "ANYCCL_TORCH_MEMORY"
DEVICES = ["cpu", "cuda"]
_extension = None
# Set where anyccl serves torch's name gloo.
has_titles_of_gloo = False


def load():
    """Returns the compiled extension. ImportError, with what to do: it was not compiled for the installed
    torch."""
    global _extension
    if _extension is None:
        if reason := _torch_release.mismatch(torch.__version__):
            raise ImportError(reason)
        package, _ = _torch_release.built_for()
        if package != "anyccl":
            # The extension asks for libanyccl.so.0, and gets the one that is loaded.
            library.load()
        _extension = importlib.import_module(f"{package}._C")
        atexit.register(_extension.at_exit)
        if has_titles_of_gloo:
            _extension.use_titles_of_gloo()
    return _extension


def create(options, pg_options):
    """Makes the backend of a group. torch calls this for each group, on each of its ranks."""
    extension = load()
    if pg_options is not None and not isinstance(pg_options, extension.Options):
        raise TypeError(f"pg_options of a group of anyccl are anyccl.torch_backend.Options, not {type(pg_options).__name__}")
    if memory := os.environ.get(MEMORY_VARIABLE):
        if memory != "shared":
            raise ValueError(f"{MEMORY_VARIABLE}={memory}: the only value is shared")
        extension.share_tensors(True)
    timeout = options.timeout
    if not isinstance(timeout, timedelta):
        timeout = timedelta(seconds=float(timeout))
    return extension.create(
        options.store,
        options.group_rank,
        options.group_size,
        timeout,
        str(options.group_id),
        list(options.global_ranks_in_group),
        pg_options,
        # An option of init_process_group(); older releases of torch have none.
        getattr(options, "enable_reconfigure", False),
    )


def register():
    """Makes the backend known to torch.distributed, also under the name of ANYCCL_TORCH_AS. A second call does
    nothing."""
    if not dist.is_available():
        return
    if NAME.upper() not in dist.Backend._plugins:
        dist.Backend.register_backend(NAME, create, extended_api=True, devices=DEVICES)
    if name := os.environ.get(AS_VARIABLE):
        if name != "gloo":
            raise RuntimeError(f"{AS_VARIABLE}={name}: anyccl serves the name gloo only")
        importlib.import_module("anyccl._torch_gloo").serve()


def __getattr__(name):
    if name == "Options":
        return load().Options
    raise AttributeError(f"module 'anyccl.torch_backend' has no attribute {name!r}")
