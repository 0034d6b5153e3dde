"""What is known of a message."""

from .._capi.header import Datatype


class Status:
    """Source, tag and length of a message.

    Recv, Sendrecv, Probe, Iprobe and Request.Wait return one, or fill the one that they get as `status`. A Status is
    always true, so `if comm.Iprobe():` works.
    """

    # (source, tag, count, bytes, datatype as a number, cancelled). The extension sets it, too.
    __slots__ = ("_found",)

    def __init__(self):
        self._found = (-1, -1, 0, 0, None, False)

    @property
    def source(self):
        """Rank that sent the message; -1 before there is one."""
        return self._found[0]

    @property
    def tag(self):
        """Tag of the message; -1 before there is one."""
        return self._found[1]

    @property
    def count(self):
        """Number of elements that were received, or that the message has."""
        return self._found[2]

    @property
    def bytes(self):
        """Number of bytes of these elements."""
        return self._found[3]

    @property
    def datatype(self):
        """Datatype of the elements; None before there is a message."""
        number = self._found[4]
        return None if number is None else Datatype(number)

    @property
    def cancelled(self):
        """Whether the receive was cancelled, and there is no message."""
        return self._found[5]

    def _fill(self, message):
        """Takes over what the library reports. `message` is None if it has reported nothing."""
        if message is not None:
            if message.cancelled:
                self._found = (*self._found[:5], True)
            else:
                self._found = (message.source, message.tag, message.count, message.bytes, message.datatype, False)
        return self

    def Get_source(self):
        """Returns the rank that sent the message."""
        return self.source

    def Get_tag(self):
        """Returns the tag of the message."""
        return self.tag

    def Get_count(self):
        """Returns the number of elements."""
        return self.count

    def Is_cancelled(self):
        """Returns whether the receive was cancelled."""
        return self.cancelled

    def __repr__(self):
        if self.cancelled:
            return "anyccl.Status(cancelled)"
        return f"anyccl.Status(source={self.source}, tag={self.tag}, count={self.count}, bytes={self.bytes})"


def fill_status(status, message):
    """Fills the caller's Status, or a new one, with what the library reports, and returns it."""
    return (status if status is not None else Status())._fill(message)
