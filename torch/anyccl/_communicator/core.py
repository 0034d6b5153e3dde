"""The base of a communicator: its handle, and a list of the operations that are under way."""

from ctypes import byref, c_int

from .._arrays import gpu
from .._capi import check, load
from .._capi.errors import Error, briefly, called
from .._capi.fast_path import calls_of
from .._capi.methods import public
from .request import Request, wait_for_all
from .waiting import Pending

# Number of open operations at which those that have ended are looked for and dropped.
SWEEP_AT = 64


def assembled(*parts):
    """Makes one class of several: a decorator that copies the methods of `parts` into the class. So messages of Python
    and help() show one class, and not how its source is divided. Messages of errors name its methods."""

    def assemble(whole):
        for part in parts:
            for name, value in vars(part).items():
                if name not in vars(whole) and not name.startswith("__"):
                    setattr(whole, name, value)
        for name, value in vars(whole).items():
            function = getattr(value, "fget", None) or getattr(value, "__func__", value)
            if callable(function) and hasattr(function, "__qualname__"):
                function.__qualname__ = f"{whole.__qualname__}.{name}"
                function.__module__ = whole.__module__
        return public(whole)

    return assemble


class Core:
    """A handle of the library, and the operations whose buffers the library still uses."""

    def __init__(self, handle, timeout, is_world=False, is_derived=False):
        self._library = load()
        # The library accepts NULL for the world.
        self._handle = None if is_world else handle
        self._is_world, self._is_derived, self._is_closed = is_world, is_derived, False
        # Longest time in seconds of waits that this package makes itself; None: no limit.
        self._timeout = timeout
        # The library looks for the driver when it makes the communicator.
        self._may_use_gpus = gpu.is_driver_loaded()
        # The CUstream of calls on memory of a GPU, as a number; None: they are in no stream.
        self._stream = None
        self._open = {}
        self._sweep_at = SWEEP_AT
        self._rank = -1
        self._rank, self._size = self._number("rank"), self._number("size")
        # Frequent calls, without ctypes.
        self._fast = calls_of(self._handle, self._rank, self._size)

    @briefly
    def _number(self, what):
        value = c_int()
        self._check(getattr(self._library, f"anyccl_comm_{what}")(self._handle, byref(value)))
        return value.value

    @briefly
    def _check(self, status, method=None):
        check(self._library, status, self._rank, method)

    def _called(self, function, *arguments, method=None):
        """Calls anyccl_<function>, and raises its failure. The message names `method`, or else the method that the program
        has called."""
        self._check(called(self._library, f"anyccl_{function}", *arguments), method)

    def _begin(self, name, *arguments, keeps, after=None):
        """Starts anyccl_i<name>, and returns it as a Pending."""
        pending = Pending(self._library, self._rank, self._handle, keeps, after)
        self._called(f"i{name}", *arguments, self._handle, pending.place)
        return pending

    @briefly
    def _started(self, start, *arguments):
        """Returns the Pending that `start` makes. Its buffers may be on a GPU."""
        if not self._may_use_gpus:
            return start(*arguments)
        with gpu.call_on(self._stream) as call:
            pending = start(*arguments)
        pending.is_in_stream = call.has_gpu_buffers and self._stream is not None
        return pending

    @briefly
    def _run(self, start, *arguments):
        """Makes a blocking call: it waits for the operation, unless that is in a stream."""
        pending = self._started(start, *arguments)
        if pending.is_in_stream and not pending.has_conclusion:
            return self._keep(pending)
        return self._complete(pending)

    @briefly
    def _request(self, start, *arguments):
        """Makes a call that returns a Request."""
        return Request(self._keep(self._started(start, *arguments)))

    @briefly
    def _complete(self, pending):
        """Waits for the operation of a blocking call. If the wait is interrupted, the communicator keeps the
        buffers."""
        try:
            pending.wait()
        except BaseException:
            if pending.is_open:
                self._keep(pending)
            raise
        return pending

    def _keep(self, pending):
        """Keeps an operation for which no call waits now."""
        if len(self._open) >= self._sweep_at:
            self._sweep()
        self._open[id(pending)] = pending
        return pending

    def _adopt(self, request, keeps):
        """Returns an operation that the extension has started as a Pending."""
        return Pending(self._library, self._rank, self._handle, keeps, request=request)

    def _sweep(self):
        """Drops the operations that have ended."""
        while self._fast.left:
            pending = self._adopt(*self._fast.left.pop())
            self._open[id(pending)] = pending
        for key, pending in list(self._open.items()):
            if pending.has_ended():
                self._open.pop(key, None)
        self._sweep_at = max(SWEEP_AT, 2 * len(self._open))

    def _finish_dropped(self):
        """Waits for operations that the program has dropped. It cannot do so itself, and the library leaves no communicator
        that is in use."""
        self._sweep()
        started = [pending for pending in self._open.values() if pending.is_dropped]
        try:
            wait_for_all(started + self._arrivals.dropped())
        except Error:
            # The communicator has failed, so no message comes, and what was started ends at once.
            wait_for_all(started)
