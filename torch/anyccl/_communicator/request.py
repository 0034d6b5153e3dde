"""Started operations, as the program holds them."""

import math
import weakref
from time import monotonic

from .._capi.methods import method_called, public
from .status import fill_status


@public
class Request:
    """A started operation. The library uses its buffers until it has ended.

    A request that is dropped goes on, and its buffers stay alive until its end. Only its outcome is lost. close() of the
    communicator waits for that end.
    """

    def __init__(self, pending):
        # A Pending, or an object with the same methods.
        self._pending = pending
        pending.method = method_called()
        pending.owner = weakref.ref(self)

    def Wait(self, status=None):
        """Waits for the end and returns a Status. After Ctrl-C, the request is unchanged and can be waited
        for again."""
        self._pending.wait()
        return fill_status(status, self._pending.message)

    def Test(self, status=None):
        """Returns whether the operation has ended. Lets it progress."""
        if not self._pending.wait(0):
            return False
        fill_status(status, self._pending.message)
        return True

    def wait(self, timeout=None):
        """Waits for the end and returns the object that was received, if the operation receives an object.
        After `timeout` seconds it raises Python's TimeoutError, and the operation goes on."""
        has_limit = timeout is not None and timeout != math.inf
        if not self._pending.wait(max(0, round(1000 * timeout)) if has_limit else None):
            raise TimeoutError(f"not ended after {timeout} s; it goes on")
        return self._pending.result

    def test(self):
        """Returns (whether the operation has ended, the object that was received)."""
        return (True, self._pending.result) if self.Test() else (False, None)

    def Cancel(self):
        """Cancels a receive that has not matched a message yet. It must still be waited for."""
        self._pending.cancel()

    @staticmethod
    def Waitall(requests):
        """Waits for all requests and returns a list of Status. If some have failed, raises the failure of the
        first of them in the list."""
        wait_for_all([request._pending for request in requests])
        return [request.Wait() for request in requests]

    @staticmethod
    def waitall(requests):
        """Waits for all requests and returns the objects that were received."""
        Request.Waitall(requests)
        return [request._pending.result for request in requests]

    @staticmethod
    def Waitany(requests):
        """Waits until one of the requests has ended, and returns its index. Lets all of them progress."""
        if not requests:
            raise ValueError("Waitany of no requests")
        pendings = [request._pending for request in requests]
        still_open = _progress_until(pendings, lambda still_open: len(still_open) < len(pendings))
        place = next(place for place, pending in enumerate(pendings) if pending not in still_open)
        requests[place].Wait()
        return place

    @staticmethod
    def Testall(requests):
        """Returns whether all requests have ended. Lets them progress."""
        return not _progress_until([request._pending for request in requests], lambda still_open: True)


def wait_for_all(pendings):
    """Waits until all operations have ended. Raises no failure of them."""
    _progress_until(pendings, lambda still_open: not still_open)


def _progress_until(pendings, is_enough):
    """Lets all operations progress until is_enough(those still open) is true, and returns those still open.

    Waiting for one operation advances only those that share its connections, and another rank may wait for the one
    that was started last.
    """
    since, still_open = monotonic(), list(pendings)
    while True:
        still_open = [pending for pending in still_open if not pending.settle(0)]
        if is_enough(still_open):
            return still_open
        if monotonic() - since > 0.002:
            still_open[0].settle(1)
