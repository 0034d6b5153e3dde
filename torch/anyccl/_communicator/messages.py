"""Messages of buffers: Send, Recv and their relatives."""

from ctypes import byref, c_int

from .._arrays import receiver, sender
from .._capi.header import ANY_SOURCE, ANY_TAG, MessageStatus
from .request import Request
from .status import told
from .unequal import Unequal
from .waiting import interruptibly


class Messages(Unequal):
    """A receive may have more room than its message needs; the Status that it gives tells how much came."""

    def _send(self, buf, dest, tag, call="send"):
        send = sender(buf)
        return self._begin(call, send.address, send.count, send.datatype, dest, tag, keeps=send)

    def _recv(self, buf, source, tag):
        recv = receiver(buf)
        return self._begin("recv", recv.address, recv.count, recv.datatype, source, tag, keeps=recv)

    def Send(self, buf, dest, tag=0):
        """Sends elements to one rank; returns when buf may be changed."""
        self._complete(self._send(buf, dest, tag))

    def Ssend(self, buf, dest, tag=0):
        """Sends elements to one rank; returns when it receives them."""
        self._complete(self._send(buf, dest, tag, "ssend"))

    def Recv(self, buf, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        """Receives elements from one rank, or from any; gives a Status."""
        return told(status, self._complete(self._recv(buf, source, tag)).message)

    def Isend(self, buf, dest, tag=0):
        """Starts a Send and gives a Request."""
        return Request(self._keep(self._send(buf, dest, tag)))

    def Issend(self, buf, dest, tag=0):
        """Starts an Ssend and gives a Request."""
        return Request(self._keep(self._send(buf, dest, tag, "ssend")))

    def Irecv(self, buf, source=ANY_SOURCE, tag=ANY_TAG):
        """Starts a Recv and gives a Request, whose Wait gives the Status."""
        return Request(self._keep(self._recv(buf, source, tag)))

    def Sendrecv(self, sendbuf, dest, sendtag=0, recvbuf=None, source=ANY_SOURCE, recvtag=ANY_TAG, status=None):
        """Sends to one rank and receives from one, at the same time; gives a Status."""
        send, recv = sender(sendbuf), receiver(recvbuf)
        receiving = self._keep(self._recv(recvbuf, source, recvtag))
        self._complete(self._begin("send", send.address, send.count, send.datatype, dest, sendtag, keeps=send))
        return told(status, self._complete(receiving).message)

    def Probe(self, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        """Waits for a message and leaves it there; gives a Status, whose count tells how much room it needs."""
        if message := self._iprobe(source, tag):
            return told(status, message)
        return told(status, interruptibly(self._wait_for_message, source, tag))

    def Iprobe(self, source=ANY_SOURCE, tag=ANY_TAG, status=None):
        """Whether a message has come: a Status, or None."""
        message = self._iprobe(source, tag)
        return message and told(status, message)

    probe, iprobe = Probe, Iprobe

    def _iprobe(self, source, tag):
        found, message = c_int(), MessageStatus()
        self._check(self._library.anyccl_iprobe(source, tag, self._handle, byref(found), byref(message)))
        return message if found.value else None

    def _wait_for_message(self, source, tag):
        message = MessageStatus()
        self._check(self._library.anyccl_probe(source, tag, self._handle, byref(message)))
        return message
