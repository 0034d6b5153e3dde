"""Started operations, as the program holds them."""

from time import monotonic

from .status import told


class Request:
    """A started operation. Its buffers are the library's until it has ended.

    A request that is dropped goes on, and its buffers live on with it; only its outcome is lost.
    """

    def __init__(self, pending):
        # A Pending, or what looks like one.
        self._pending = pending

    def Wait(self, status=None):
        """Waits for its end; gives a Status. Ctrl-C leaves it as it is: it can be waited for again."""
        self._pending.wait()
        return told(status, self._pending.message)

    def Test(self, status=None):
        """Whether it has ended; moves it on."""
        if not self._pending.wait(0):
            return False
        told(status, self._pending.message)
        return True

    def wait(self, timeout=None):
        """Waits for its end, at most `timeout` seconds (then: TimeoutError of Python, and it goes on); gives the object
        that was received, if it is a receive of an object."""
        if not self._pending.wait(None if timeout is None else max(0, round(1000 * timeout))):
            raise TimeoutError(f"not ended after {timeout} s; it goes on")
        return self._pending.result

    def test(self):
        """(whether it has ended, the object that was received)"""
        return (True, self._pending.result) if self.Test() else (False, None)

    def Cancel(self):
        """Asks for the end of a receive that has met no message yet; it must still be waited for."""
        self._pending.cancel()

    @staticmethod
    def Waitall(requests):
        """Waits for the end of all, then raises the first failure in their order; gives a list of Status."""
        _each_in_its_turn(requests, lambda still_open: not still_open)
        return [request.Wait() for request in requests]

    @staticmethod
    def waitall(requests):
        """As Waitall; gives the objects that were received."""
        Request.Waitall(requests)
        return [request._pending.result for request in requests]

    @staticmethod
    def Waitany(requests):
        """Waits until one of several has ended; gives its place in the list. All of them are moved on."""
        if not requests:
            raise ValueError("Waitany of no requests")
        still_open = _each_in_its_turn(requests, lambda still_open: len(still_open) < len(requests))
        place = next(place for place, request in enumerate(requests) if request not in still_open)
        requests[place].Wait()
        return place

    @staticmethod
    def Testall(requests):
        """Whether all have ended; moves them on."""
        return not _each_in_its_turn(requests, lambda still_open: True)


def _each_in_its_turn(requests, is_enough):
    """Moves all on until that is enough; those that are still open then.

    Waiting for one moves on only what shares its connections, and another rank may wait for what was started last.
    """
    since, still_open = monotonic(), list(requests)
    while True:
        still_open = [request for request in still_open if not _has_ended(request)]
        if is_enough(still_open):
            return still_open
        if monotonic() - since > 0.002:
            still_open[0]._pending.settle(1)


def _has_ended(request):
    return request._pending.settle(0)
