"""anyccl under torch's name "gloo": what ANYCCL_TORCH_AS=gloo does once torch is imported.

torch makes a group of gloo in one of two ways, which depend on its release. Since 2.14 it asks its table of backends,
where gloo has a row like any other. Before, its function for new groups calls the class ProcessGroupGloo. `serve()`
finds out which way it is by looking at that function, and refuses a torch that does neither.

It replaces the class, too, by a `ProcessGroupGloo` whose objects are anyccl's: for scripts that make one by hand, for
the helper groups of TORCH_DISTRIBUTED_DEBUG=DETAIL, and for `isinstance`. torch's RPC still gets torch's class.

The type of the backend stays GLOO, because torch derives the name of the group from it.
"""

import functools
import os
import sys
from datetime import timedelta

import torch
import torch.distributed as dist
from torch.distributed import distributed_c10d

from . import torch_backend
from ._torch_release import NEWEST, OLDEST, tried
from .as_gloo import NAME, VARIABLE

_helper = distributed_c10d._new_process_group_helper.__code__
_gloo_of_torch = getattr(distributed_c10d, "ProcessGroupGloo", None)
_first = True


def serve():
    """Puts anyccl in the place of gloo. RuntimeError: it cannot be the whole of gloo in this process."""
    if _gloo_of_torch is None:
        raise _refusal("this torch was built without gloo, so its debugging and its checks would lack it")
    if distributed_c10d.ProcessGroupGloo is ProcessGroupGloo:
        return
    if dist.is_initialized():
        raise _refusal("a group exists already; import anyccl before the first one is made")
    if getattr(distributed_c10d, "_use_torchcomms_enabled", bool)() and distributed_c10d._torchcomms_handles_backend(NAME):
        raise _refusal("TorchComms serves it: unset TORCH_DISTRIBUTED_USE_TORCHCOMMS")
    if not OLDEST <= tuple(map(int, torch.__version__.split(".")[:2])) <= NEWEST:
        raise _refusal(f"torch {torch.__version__} is not among the releases that it was compared with, {tried()}")
    if hasattr(distributed_c10d, "_create_gloo_process_group") and "_plugins" in _helper.co_names:
        _take_the_row()
    elif "ProcessGroupGloo" not in _helper.co_names:
        raise _refusal(f"torch {torch.__version__} makes groups of gloo in a way that this anyccl does not know")
    _take_the_class()
    _take_the_records()


def _refusal(why):
    return RuntimeError(f"{VARIABLE}={NAME}: anyccl cannot serve this name: {why}")


def _take_the_row():
    row = dist.Backend._plugins.get(NAME.upper())
    if row is not None and row.creator_fn is not distributed_c10d._create_gloo_process_group:
        raise _refusal(f"{row.creator_fn.__module__} has registered it already")
    types = dist.ProcessGroup.BackendType
    # A debugged backend is wrapped, and the logger of DDP takes the wrapper, too, for that of gloo if the type is GLOO.
    # With gloo itself, DDP ends by SIGSEGV there.
    kind = types.CUSTOM if dist.get_debug_level() == dist.DebugLevel.DETAIL else types.GLOO
    dist.Backend.register_backend(NAME, _create, extended_api=True, devices=torch_backend.DEVICES, _backend_type=kind)


def _create(options, pg_options):
    """Makes the backend of a group. Like gloo, it does without the options of other backends."""
    _notice(options.group_rank, options.group_size)
    extension = torch_backend.load()
    return torch_backend.create(options, pg_options if isinstance(pg_options, extension.Options) else None)


def _notice(rank, size):
    """Writes one line, in rank 0 and for the first group, so that nobody takes the speed or a fault for gloo's."""
    global _first
    if _first and rank == 0 and os.environ.get("ANYCCL_LOG", "info").lower() in ("info", "debug"):
        version = torch_backend.load().library_version()
        line = f'torch\'s name "{NAME}" is served by anyccl {version} ({VARIABLE}={NAME})'
        print(f"anyccl: info: rank {rank} of {size}: {line}", file=sys.stderr, flush=True)
    _first = False


def _take_the_class():
    ProcessGroupGloo.__doc__ = _gloo_of_torch.__doc__
    torch_backend.has_titles_of_gloo = True
    for module in (distributed_c10d, dist, torch._C._distributed_c10d):
        module.ProcessGroupGloo = ProcessGroupGloo


def _take_the_records():
    """Lets torch's hooks record the calls, where torch has them. They leave gloo out, because it records itself; and
    who asks for gloo's records gets anyccl's."""
    if not hasattr(distributed_c10d, "_FR_SELF_RECORDING_BACKENDS"):
        return
    distributed_c10d._FR_SELF_RECORDING_BACKENDS.discard(NAME)
    for name in ("_dump_fr_trace", "_dump_fr_trace_json"):
        setattr(torch._C._distributed_c10d, name, _dump_of_anyccl(getattr(torch._C._distributed_c10d, name)))


def _dump_of_anyccl(dump):
    @functools.wraps(dump)
    def dump_of_anyccl(*flags, **named):
        if not any(isinstance(flag, str) for flag in flags) and named.setdefault("backend", NAME) == NAME:
            named["backend"] = torch_backend.NAME
        return dump(*flags, **named)

    return dump_of_anyccl


class _Device:
    """An interface for TCP, as create_device() makes it."""

    def __init__(self, interface):
        self.interface = interface


class _ClassOfGloo(type):
    """Gives the class its questions: isinstance(), issubclass(), and attributes of torch's class."""

    def __instancecheck__(cls, thing):
        return cls.__subclasscheck__(type(thing))

    def __subclasscheck__(cls, kind):
        extension = torch_backend._extension
        kinds = (_gloo_of_torch,) if extension is None else (_gloo_of_torch, extension.AnycclBackend)
        return kind is cls or issubclass(kind, kinds)

    def __getattr__(cls, name):
        if name in ("Options", "_Options"):
            return _options()
        return getattr(_gloo_of_torch, name)


class ProcessGroupGloo(metaclass=_ClassOfGloo):
    __module__ = "torch.distributed.distributed_c10d"
    Device = _Device

    def __new__(cls, store, rank, size, timeout=None, enable_reconfigure=False, options=None):
        caller = sys._getframe(1)
        if caller.f_globals.get("__name__") == "torch.distributed.rpc.backend_registry":
            return _gloo_of_torch(store, rank, size, timeout)
        name, ranks = "by hand", []
        if caller.f_code is _helper:
            name, ranks = caller.f_locals["group_name"], caller.f_locals["global_ranks_in_group"]
        elif caller.f_globals is vars(distributed_c10d):
            name = f"checks of {caller.f_locals.get('store_prefix')}"
        if isinstance(timeout, torch_backend.load().Options):
            options, timeout = timeout, None
        if timeout is None:
            timeout = options._timeout if options else dist.default_pg_timeout
        _notice(rank, size)
        if not isinstance(timeout, timedelta):
            timeout = timedelta(seconds=float(timeout))
        # gloo takes an interface twice for two connections.
        if interfaces := list(dict.fromkeys(one.interface for one in getattr(options, "_devices", []) if one.interface)):
            options.interface = "=" + ",".join(interfaces)
        return torch_backend.load().create(store, rank, size, timeout, str(name), list(ranks), options, enable_reconfigure)

    def __init_subclass__(cls, **named):
        raise TypeError(f"{VARIABLE}={NAME}: ProcessGroupGloo is anyccl's here, and no class can derive from it")

    @staticmethod
    def create_device(hostname="", interface="", lazy_init=None):
        if hostname and not interface:
            raise ValueError(
                f"{VARIABLE}={NAME}: anyccl takes the name of an interface, not an address: create_device(interface=...)"
            )
        return _Device(interface)

    @staticmethod
    def create_default_device(lazy_init=None):
        return _Device("")


def _options():
    """Returns the class of the options. It is made when it is first needed, because that loads the extension."""
    global _options_class
    if _options_class is None:

        class Options(torch_backend.load().Options):
            def __init__(self):
                super().__init__()
                self._devices, self._threads = [], 2

        _options_class = Options
    return _options_class


_options_class = None
