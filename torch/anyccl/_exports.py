"""The names that `anyccl` offers without torch. Each is loaded at its first use, so `import anyccl` alone
opens no library."""

import importlib

_MODULES = {
    "communicator": ["Communicator"],
    "_arrays": ["IN_PLACE", "device_alloc", "mem_alloc"],
    "_communicator.request": ["Request"],
    "_communicator.status": ["Status"],
    "_communicator.starting": ["unique_id"],
    "_communicator.operator": ["Op", "SUM", "PRODUCT", "PROD", "MIN", "MAX", "AVG", "BAND", "BOR", "BXOR", "LAND", "LOR",
                               "LXOR"],
    "_capi": ["Datatype", "ReduceOp"],
    "_capi.header": ["ANY_SOURCE", "ANY_TAG", "__version__"],
    "_capi.errors": ["Error", "InvalidArgumentError", "InvalidUsageError", "UnsupportedError", "PeerLostError",
                     "TimeoutError", "MismatchError", "AbortedError", "BootstrapError", "SystemCallError", "InternalError"],
    "paths": ["LIBRARY", "get_cmake_dir", "get_include", "get_library_dir", "get_pkg_config_dir", "get_prefix"],
}
NAMES = {name: module for module, names in _MODULES.items() for name in names}


def find(name):
    """Returns the object of a name, for __getattr__ of the package. AttributeError: there is none."""
    if name not in NAMES:
        raise AttributeError(f"module 'anyccl' has no attribute {name!r}")
    return getattr(importlib.import_module(f".{NAMES[name]}", __package__), name)
