"""What a new communicator needs: settings, ids, and adapters for stores of the program."""

import ctypes
import datetime
import math
import os
import time
from ctypes import byref, c_void_p, sizeof

from .._capi import check, header, load
from .._capi.errors import briefly, called, refuse
from .._capi.methods import named, public
from .waiting import interruptibly

# The default of ANYCCL_TIMEOUT_MS (docs/environment.md).
DEFAULT_TIMEOUT_MS = 300_000
# Longest time of one wait of a store. Between two waits the caller may have given up.
SLICE_SECONDS = 0.5


def settings(timeout=None, name=None, interface=None, backend=None, for_devices=False):
    """Returns an anyccl_config_t. timeout: seconds, math.inf for no limit, or None for the default
    (docs/environment.md)."""
    config = header.Config(struct_size=sizeof(header.Config))
    config.name = None if name is None else name.encode()
    config.interface = None if interface is None else interface.encode()
    config.backend = None if backend is None else backend.encode()
    config.for_devices = 1 if for_devices else 0
    if timeout is not None:
        if isinstance(timeout, datetime.timedelta):
            timeout = timeout.total_seconds()
        if not timeout > 0:
            refuse(f"timeout {timeout}; accepted: seconds above 0, math.inf, or None for the default")
        ms = header.TIMEOUT_NEVER if math.isinf(timeout) else max(1, round(1000 * timeout))
        if ms >= 2**63:
            raise OverflowError(named(f"timeout {timeout} is not below {2**63 // 1000} seconds; math.inf is no limit"))
        config.timeout_ms = ms
    return config


def seconds_of(config):
    """Returns the timeout in seconds that the library takes from these settings. None: no limit."""
    ms = config.timeout_ms or int(os.environ.get("ANYCCL_TIMEOUT_MS") or DEFAULT_TIMEOUT_MS)
    return None if ms <= 0 else ms / 1000


@briefly
def created(function, *arguments, rank=-1, on_interrupt=None):
    """Calls anyccl_<function>, which writes a handle to its last argument, and returns the handle. Ctrl-C can
    interrupt the call."""

    def create():
        handle = c_void_p()
        check(load(), called(load(), f"anyccl_{function}", *arguments, byref(handle)), rank)
        return handle.value

    return interruptibly(create, on_interrupt)


@public
def unique_id():
    """Makes a new id, as bytes. One rank makes it, and all ranks pass it to Communicator.from_id(). The
    process that made it answers the ranks that join, so it must live until all have joined."""
    made = header.UniqueId()
    check(load(), load().anyccl_get_unique_id(byref(made)))
    return bytes(made.bytes)


def id_of(given):
    """Returns the anyccl_unique_id_t of an id in bytes."""
    if len(given) != header.UNIQUE_ID_BYTES:
        refuse(f"an id of {len(given)} bytes; anyccl.unique_id gives {header.UNIQUE_ID_BYTES}")
    return header.UniqueId((ctypes.c_ubyte * header.UNIQUE_ID_BYTES)(*given))


class StoreAdapter:
    """An anyccl_store_t over an object with set(key, value) and get(key), such as a Store of
    torch.distributed.

    get returns bytes. If the key is not set yet, it either waits, or returns None at once and is called
    again.
    """

    def __init__(self, store):
        self._store = store
        # Kept here, because the struct does not keep them alive.
        self._callbacks = header.StoreSet(self._set), header.StoreGet(self._get)
        self.struct = header.Store(sizeof(header.Store), None, *self._callbacks)
        self.failure = None
        self._is_given_up = False

    def _set(self, _context, key, value, length, message):
        return self._guarded(message, lambda: self._store.set(key.decode(), ctypes.string_at(value, length)))

    def _get(self, _context, key, timeout_ms, value, capacity, length, message):
        late = False

        def get():
            nonlocal late
            found = self._found(key.decode(), timeout_ms / 1000)
            late = found is None
            if found is not None:
                if len(found) > capacity:
                    raise ValueError(f"a value of {len(found)} bytes, room for {capacity}")
                ctypes.memmove(value, bytes(found), len(found))
                length[0] = len(found)

        failed = self._guarded(message, get)
        return header.STORE_TIMEOUT if late else failed

    def _found(self, key, seconds):
        end = time.monotonic() + seconds
        while not self._is_given_up:
            rest = end - time.monotonic()
            found = self._asked(key, max(0.001, min(rest, SLICE_SECONDS)))
            if found is not None or rest <= 0:
                return found
        raise KeyboardInterrupt

    def _asked(self, key, seconds):
        if not hasattr(self._store, "wait"):
            found = self._store.get(key)
            if found is None:
                time.sleep(min(seconds, 0.005))
            return found
        # A store of torch.distributed. Its get() would wait for the time-out of the store.
        begun = time.monotonic()
        try:
            self._store.wait([key], datetime.timedelta(seconds=seconds))
        except RuntimeError:
            if time.monotonic() - begun < seconds / 2:
                raise  # The wait has failed for another reason than a missing key.
            return None
        return self._store.get(key)

    def give_up(self):
        """Makes the library's call end soon."""
        self._is_given_up = True

    def _guarded(self, message, call):
        """Runs a call that must not raise through the library. Its exception becomes the message."""
        try:
            call()
        except BaseException as failure:
            self.failure = failure
            text = f"{type(failure).__name__}: {failure}".encode()[: header.STORE_MESSAGE_BYTES - 1]
            ctypes.memmove(message, text + b"\0", len(text) + 1)
            return 1
        return header.STORE_OK
