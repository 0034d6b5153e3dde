"""Messages of buffers: Send, Recv and their relatives."""

from ctypes import byref, c_int
from time import perf_counter, sleep

from .._arrays import receiver, sender
from .._capi.errors import TimeoutError, briefly, rank_or_tag
from .._capi.fast_path import NOT_SERVED
from .._capi.header import ANY_SOURCE, ANY_TAG, MessageStatus
from .._capi.methods import named
from .status import fill_status

# How long a probe polls without a pause, because an answer has often come by then; and its pauses after that.
EAGER_SECONDS, FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 100e-6, 50e-6, 1e-3


class Messages:
    """Messages of buffers."""

    def _send(self, buf, dest, tag, call="send"):
        send = sender(buf)
        return self._begin(call, send.address, send.count, send.datatype, dest, tag, keeps=send)

    def _ssend(self, buf, dest, tag):
        return self._send(buf, dest, tag, "ssend")

    def _recv(self, buf, source, tag):
        recv = receiver(buf)
        return self._begin("recv", recv.address, recv.count, recv.datatype, source, tag, keeps=recv)

    def Send(self, buf, dest, tag=0):
        """Sends elements to one rank. Returns when buf may be changed, perhaps before a receive has matched.

        buf:  array of any length
        dest: rank that receives
        tag:  number of the message, 0 or more
        """
        done = self._fast.send_buffer(buf, dest, tag)
        if done is NOT_SERVED:
            self._run(self._send, buf, dest, tag)

    def Ssend(self, buf, dest, tag=0):
        """Sends elements to one rank, like Send. Returns when a receive there has matched the message."""
        self._run(self._ssend, buf, dest, tag)

    def Recv(self, buf, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        """Receives elements from one rank, or from any, and returns a Status.

        buf:    contiguous, writable array; it may be longer than the message, but not shorter
        source: rank that sends, or ANY_SOURCE
        tag:    its tag, or ANY_TAG
        status: Status to fill and return, instead of a new one

        A message that is longer than buf, or of another type, raises MismatchError on both ranks.
        """
        if status is None:
            found = self._fast.recv_buffer(buf, source, tag)
            if found is not NOT_SERVED:
                return found
        return fill_status(status, self._complete(self._started(self._recv, buf, source, tag)).message)

    def Isend(self, buf, dest, tag=0):
        """Starts Send and returns a Request. Until its end, buf may not be changed."""
        return self._request(self._send, buf, dest, tag)

    def Issend(self, buf, dest, tag=0):
        """Starts Ssend and returns a Request. Until its end, buf may not be changed."""
        return self._request(self._ssend, buf, dest, tag)

    def Irecv(self, buf, source=ANY_SOURCE, tag=ANY_TAG):
        """Starts Recv and returns a Request, whose Wait returns the Status. Until its end, buf may not be used."""
        return self._request(self._recv, buf, source, tag)

    def _both(self, sendbuf, dest, sendtag, recvbuf, source, recvtag):
        dest, sendtag = rank_or_tag(dest, "dest"), rank_or_tag(sendtag, "sendtag")
        source, recvtag = rank_or_tag(source, "source"), rank_or_tag(recvtag, "recvtag")
        # Both buffers are checked before either operation is started.
        send, recv = sender(sendbuf), receiver(recvbuf)
        # In a stream of a GPU, nothing that comes after the receive begins before its message is there.
        sending = self._keep(self._send(send, dest, sendtag)) if send.is_on_gpu else None
        receiving = self._keep(self._recv(recv, source, recvtag))
        try:
            sending = sending or self._send(send, dest, sendtag)
        except BaseException:
            # Nothing was sent, so nothing shall be received.
            receiving.cancel()
            raise
        self._complete(sending)
        return receiving

    def Sendrecv(self, sendbuf, dest, sendtag=0, recvbuf=None, source=ANY_SOURCE, recvtag=ANY_TAG, status=None):
        """Sends to one rank and receives from one at the same time. Returns the Status of the receive.

        sendbuf, dest, sendtag:   as for Send
        recvbuf, source, recvtag: as for Recv; recvbuf must not overlap sendbuf
        status:                   Status to fill and return, instead of a new one
        """
        if status is None:
            found = self._fast.sendrecv_buffer(sendbuf, dest, sendtag, recvbuf, source, recvtag)
            if found is not NOT_SERVED:
                return found
        receiving = self._started(self._both, sendbuf, dest, sendtag, recvbuf, source, recvtag)
        return fill_status(status, self._complete(receiving).message)

    def Probe(self, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        """Waits for a message without receiving it. Returns a Status, whose count tells how many elements of room it
        needs. Arguments as for Recv."""
        return fill_status(status, self._wait_for_message(source, tag))

    def Iprobe(self, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        """Returns a Status if a message has come, else None. Does not wait. Arguments as for Recv."""
        message = self._iprobe(source, tag)
        return message and fill_status(status, message)

    def probe(self, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        """Waits for a message, as Probe does: that of an object is an array of bytes."""
        return self.Probe(source, tag, status)

    def iprobe(self, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        """Looks for a message, as Iprobe does: that of an object is an array of bytes."""
        return self.Iprobe(source, tag, status)

    @briefly
    def _iprobe(self, source, tag, method=None):
        found, message = c_int(), MessageStatus()
        self._called("iprobe", source, tag, self._handle, byref(found), byref(message), method=method)
        return message if found.value else None

    @briefly
    def _wait_for_message(self, source, tag, method=None):
        """Polls for a message, so that Ctrl-C can interrupt: often at first, then less and less often. Messages of errors
        name `method`, or else the method that the program has called."""
        begun, pause = perf_counter(), FIRST_PAUSE_SECONDS
        while not (message := self._iprobe(source, tag, method)):
            waited = perf_counter() - begun
            if waited < EAGER_SECONDS:
                continue
            if self._timeout is not None and waited > self._timeout:
                sought = (f"{'any rank' if source == ANY_SOURCE else f'rank {source}'} with "
                          f"{'any tag' if tag == ANY_TAG else f'tag {tag}'}")
                raise TimeoutError(named(f"no message from {sought} after {waited:.1f} s", method), self._rank)
            sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        return message
