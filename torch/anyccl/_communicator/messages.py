"""Messages of buffers: Send, Recv and their relatives."""

from ctypes import byref, c_int
from time import perf_counter, sleep

from .._arrays import receiver, sender
from .._capi.errors import TimeoutError
from .._capi.header import ANY_SOURCE, ANY_TAG, MessageStatus
from .request import Request
from .status import fill_status
from .unequal import Unequal

# How long a probe polls without a pause, because an answer has often come by then; and its pauses after that.
EAGER_SECONDS, FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 100e-6, 50e-6, 1e-3


class Messages(Unequal):
    """Messages of buffers. A receive may have more room than its message needs; its Status tells how many
    elements came."""

    def _send(self, buf, dest, tag, call="send"):
        send = sender(buf)
        return self._begin(call, send.address, send.count, send.datatype, dest, tag, keeps=send)

    def _recv(self, buf, source, tag):
        recv = receiver(buf)
        return self._begin("recv", recv.address, recv.count, recv.datatype, source, tag, keeps=recv)

    def Send(self, buf, dest, tag=0):
        """Sends elements to one rank. Returns when buf may be changed."""
        self._return_from(self._started(Messages._send, buf, dest, tag))

    def Ssend(self, buf, dest, tag=0):
        """Sends elements to one rank. Returns when a receive there has matched the message."""
        self._return_from(self._started(Messages._send, buf, dest, tag, "ssend"))

    def Recv(self, buf, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        """Receives elements from one rank, or from any, and returns a Status."""
        return fill_status(status, self._complete(self._started(Messages._recv, buf, source, tag)).message)

    def Isend(self, buf, dest, tag=0):
        """Starts a Send and returns a Request."""
        return Request(self._keep(self._started(Messages._send, buf, dest, tag)))

    def Issend(self, buf, dest, tag=0):
        """Starts an Ssend and returns a Request."""
        return Request(self._keep(self._started(Messages._send, buf, dest, tag, "ssend")))

    def Irecv(self, buf, source=ANY_SOURCE, tag=ANY_TAG):
        """Starts a Recv and returns a Request, whose Wait returns the Status."""
        return Request(self._keep(self._started(Messages._recv, buf, source, tag)))

    def _both(self, sendbuf, dest, sendtag, recvbuf, source, recvtag):
        # Both buffers are checked before either operation is started.
        send, recv = sender(sendbuf), receiver(recvbuf)
        # In a stream of a GPU, nothing that comes after the receive begins before its message is there.
        sending = self._keep(self._send(send, dest, sendtag)) if send.is_on_gpu else None
        receiving = self._keep(self._recv(recv, source, recvtag))
        self._complete(sending or self._send(send, dest, sendtag))
        return receiving

    def Sendrecv(self, sendbuf, dest, sendtag=0, recvbuf=None, source=ANY_SOURCE, recvtag=ANY_TAG, status=None):
        """Sends to one rank and receives from one at the same time. Returns a Status."""
        receiving = self._started(Messages._both, sendbuf, dest, sendtag, recvbuf, source, recvtag)
        return fill_status(status, self._complete(receiving).message)

    def Probe(self, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        """Waits for a message without receiving it. Returns a Status, whose count tells how much room the
        message needs."""
        return fill_status(status, self._wait_for_message(source, tag))

    def Iprobe(self, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        """Returns a Status if a message has come, else None."""
        message = self._iprobe(source, tag)
        return message and fill_status(status, message)

    probe, iprobe = Probe, Iprobe

    def _iprobe(self, source, tag):
        found, message = c_int(), MessageStatus()
        self._check(self._library.anyccl_iprobe(source, tag, self._handle, byref(found), byref(message)))
        return message if found.value else None

    def _wait_for_message(self, source, tag):
        """Polls for a message, so that Ctrl-C can interrupt: often at first, then less and less often."""
        begun, pause = perf_counter(), FIRST_PAUSE_SECONDS
        while not (message := self._iprobe(source, tag)):
            waited = perf_counter() - begun
            if waited < EAGER_SECONDS:
                continue
            if self._timeout is not None and waited > self._timeout:
                raise TimeoutError(f"no message from {'any rank' if source == ANY_SOURCE else f'rank {source}'} with "
                                   f"{'any tag' if tag == ANY_TAG else f'tag {tag}'} after {waited:.1f} s", self._rank)
            sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
        return message
