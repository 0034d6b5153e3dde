"""The torch.distributed backend "anyccl".

`register()` is the entry point `torch.distributed.backends`. The extension is compiled for one release of
torch, because the classes of c10d change with each release. If another release is installed, `load()` says
what to do.
"""

import atexit
import importlib
from datetime import timedelta

import torch
import torch.distributed as dist

from ._capi import library

NAME = "anyccl"
DEVICES = ["cpu", "cuda"]
_extension = None


def load():
    """Returns the compiled extension. ImportError, with what to do: it was not compiled for the installed
    torch."""
    global _extension
    if _extension is None:
        package, beside = _built_for()
        if beside is None or _minor(torch.__version__) != _minor(beside):
            raise ImportError(
                f"anyccl was installed {f'beside torch {beside}' if beside else 'without torch'}, and this is torch "
                f"{torch.__version__}. Install it again with this one: pip install --force-reinstall --no-deps "
                "--no-build-isolation ./torch (in anyccl's sources), or anyccl-torch"
            )
        if package != "anyccl":
            # The extension asks for libanyccl.so.0, and gets the one that is loaded.
            library.load()
        _extension = importlib.import_module(f"{package}._C")
        atexit.register(_extension.at_exit)
    return _extension


def _built_for():
    """Returns the package that has the extension, and the release of torch that it was compiled for. It is
    anyccl-torch, if that was installed. None: there is no extension."""
    for package in ("anyccl_torch", "anyccl"):
        try:
            return package, importlib.import_module(f"{package}._torch_version").BUILT_FOR
        except ModuleNotFoundError:
            pass
    return None, None


def _minor(version):
    """Returns the major and minor number of a version: "2.15.0+cu132" gives ["2", "15"]."""
    return version.split("+")[0].split(".")[:2]


def _create(options, pg_options):
    """Makes the backend of a group. torch calls this for each group, on each of its ranks."""
    extension = load()
    if pg_options is not None and not isinstance(pg_options, extension.Options):
        raise TypeError(f"pg_options of a group of anyccl are anyccl.torch_backend.Options, not {type(pg_options).__name__}")
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
    """Makes the backend known to torch.distributed. A second call does nothing."""
    if not dist.is_available() or NAME.upper() in dist.Backend._plugins:
        return
    dist.Backend.register_backend(NAME, _create, extended_api=True, devices=DEVICES)


def __getattr__(name):
    if name == "Options":
        return load().Options
    raise AttributeError(f"module 'anyccl.torch_backend' has no attribute {name!r}")
