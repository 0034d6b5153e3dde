"""Waits that Ctrl-C can interrupt: in the library, without the GIL, in slices.

Python runs the handler of a signal between two of its own instructions. A call that stays in the library for
minutes would delay the handler for as long. So each wait returns to Python now and then.
"""

import atexit
import threading
from ctypes import byref, c_int, c_void_p

from .._capi import check
from .._capi.errors import briefly
from .._capi.header import MessageStatus
from .._capi.methods import continue_method, method_called

SLICE_MS = 100
# Longest time that the end of the process waits for a thread that was left behind.
LEAVING_SECONDS = 1


class Pending:
    """An operation that the library has started, and the objects that must stay alive until it has ended.

    Ctrl-C may come between any two steps. So the library writes its answers to places that persist, and the
    outcome is computed from them when the program waits again.
    """

    __slots__ = ("_library", "_rank", "_communicator", "_handle", "_done", "_message", "_keeps", "_after",
                 "_failure", "_is_over", "_lock", "is_in_stream", "message", "method", "owner", "result")

    def __init__(self, library, rank, communicator, keeps, after=None, request=None):
        self._library, self._rank, self._communicator = library, rank, communicator
        self._handle, self._done, self._message = c_void_p(request), c_int(), MessageStatus(source=-1, tag=-1)
        self._keeps, self._after = keeps, after
        self._failure, self._is_over = None, False
        # Whether it is part of the order of a stream of a GPU.
        self.is_in_stream = False
        # Only one thread at a time may ask the library about a request.
        self._lock = threading.Lock()
        # The method that has started it, for messages; None: the one that waits.
        self.method = None
        # Weak reference to the Request by which the program knows it; None: it is that of a blocking call.
        self.owner = None
        # Status of the message, if the operation was one; and the value that `after` returned.
        self.message = self.result = None

    @property
    def place(self):
        """Address to which the library writes the request."""
        return byref(self._handle)

    @property
    def is_open(self):
        """Whether the library may still use its buffers."""
        return bool(self._handle.value)

    @property
    def is_dropped(self):
        """Whether the program has dropped its Request, and cannot wait for it any more."""
        return self.owner is not None and self.owner() is None

    @property
    def has_conclusion(self):
        """Whether there is something to do when it has ended."""
        return self._after is not None

    def cancel(self):
        """Cancels a receive that has not matched a message yet. It must still be waited for."""
        check(self._library, self._library.anyccl_cancel(self._handle), self._rank)

    @briefly
    def wait(self, timeout_ms=None):
        """Waits until the operation has ended, or at most timeout_ms; returns whether it has ended. Raises
        its failure, every time."""
        if not self.settle(timeout_ms):
            return False
        if self._failure:
            raise self._failure
        return True

    def settle(self, timeout_ms=None):
        """Like wait(), but does not raise the failure of the operation."""
        while not self._is_over:
            with self._lock:
                if self._step(SLICE_MS if timeout_ms is None else min(SLICE_MS, timeout_ms)):
                    break
            if timeout_ms is not None:
                timeout_ms -= SLICE_MS
                if timeout_ms <= 0:
                    return False
        return True

    def has_ended(self):
        """Whether the operation is known to have ended. False also if another thread waits for it now."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            return self._step(0)
        finally:
            self._lock.release()

    def _step(self, timeout_ms):
        status = None
        if self._handle.value:
            status = self._library.anyccl_wait_for(self._handle, timeout_ms, self._done, self._message)
            if self._handle.value:
                # The time is over, or the call was refused, for example in a forked child.
                check(self._library, status, self._rank)
                return False
        if not self._is_over:
            self._conclude(status)
        return True

    def _conclude(self, status):
        """Stores the outcome of an operation that has ended. status is None if an earlier wait was
        interrupted after the library had reported the end."""
        if status is None:
            status = 0 if self._done.value else self._library.anyccl_comm_failure(self._communicator)
        if self._message.source >= 0 or self._message.cancelled:
            self.message = self._message
        try:
            check(self._library, status, self._rank, self.method)
            if self._after is not None:
                self.result = self._after()
        except Exception as failure:
            self._failure = failure
        self._is_over = True
        self._keeps = self._after = None


# Events that tell the ends of threads that were left behind in the library.
_left = []


@briefly
def interruptibly(function, on_interrupt=None):
    """Runs a call that blocks and cannot be cut into slices, on a thread of its own. After Ctrl-C that thread
    is left behind; `on_interrupt` may tell it to end."""
    if threading.current_thread() is not threading.main_thread():
        return function()  # Python handles no signals in this thread.
    # An Event, not Thread.join(): some versions of Python regard a thread as ended after an interrupted join.
    outcome, ended, method = [], threading.Event(), method_called()

    def call():
        continue_method(method)
        try:
            outcome.append((function(), None))
        except BaseException as failure:
            outcome.append((None, failure))
        ended.set()

    try:
        threading.Thread(target=call, name="anyccl", daemon=True).start()
        while not ended.wait(SLICE_MS / 1000):
            pass
    except BaseException:
        _left.append(ended)
        if on_interrupt is not None:
            on_interrupt()
        raise
    result, failure = outcome[0]
    if failure:
        raise failure
    return result


@atexit.register
def _wait_for_threads_left_behind():
    """Waits for threads that were left behind. A thread that calls back into Python after its end would be
    killed inside the library."""
    for ended in _left:
        ended.wait(LEAVING_SECONDS)
