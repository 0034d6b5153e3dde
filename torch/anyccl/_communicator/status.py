"""What is known of a message."""

from .._capi.header import Datatype


class Status:
    """Source, tag and length of a message. A Status is always true, so `if comm.Iprobe():` works."""

    __slots__ = ("source", "tag", "count", "bytes", "datatype", "cancelled")

    def __init__(self):
        self.source = self.tag = -1
        self.count = self.bytes = 0
        self.datatype = None
        self.cancelled = False

    def fill(self, message):
        """Takes over what the library reports. `message` is None if it has reported nothing."""
        if message is not None:
            self.cancelled = bool(message.cancelled)
            if not self.cancelled:
                self.source, self.tag = message.source, message.tag
                self.count, self.bytes = message.count, message.bytes
                self.datatype = Datatype(message.datatype)
        return self

    def Get_source(self):
        return self.source

    def Get_tag(self):
        return self.tag

    def Get_count(self):
        """Number of elements."""
        return self.count

    def Is_cancelled(self):
        return self.cancelled

    def __repr__(self):
        if self.cancelled:
            return "anyccl.Status(cancelled)"
        return f"anyccl.Status(source={self.source}, tag={self.tag}, count={self.count}, bytes={self.bytes})"


def fill_status(status, message):
    """Fills the caller's Status, or a new one, with what the library reports, and returns it."""
    return (status if status is not None else Status()).fill(message)
