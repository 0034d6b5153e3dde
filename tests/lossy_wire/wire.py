"""A wire between two network namespaces that loses, delays and reorders frames, by a seed.

Kernels without netem have nothing of the kind, so this process forwards the frames itself: it reads them from the near ends of two
veth pairs and writes them to the other one, or does not. Needs root and iproute2.
"""

import contextlib
import heapq
import os
import random
import select
import socket
import struct
import subprocess
import threading
import time
from typing import NamedTuple

SOL_PACKET, PACKET_STATISTICS, PACKET_VNET_HDR, PACKET_IGNORE_OUTGOING, ETH_P_ALL = 263, 6, 15, 23, 3
SO_RCVBUFFORCE = 33
VNET_HEADER, ETHERNET_HEADER, IPV6_HEADER = 10, 14, 40
IPV4, IPV6, TCP, SYN = 0x0800, 0x86DD, 6, 0x02
LONGEST_FRAME = 70_000


class Condition(NamedTuple):
    """What the wire does to each frame. Jitter makes frames overtake each other.

    `syn_loss` is the loss of frames that begin a TCP connection: those with SYN, the answer with SYN and ACK among them.
    """

    loss: float = 0.0
    delay_ms: float = 0.0
    jitter_ms: float = 0.0
    syn_loss: float = 0.0

    def __str__(self):
        lost = f"{self.syn_loss:.0%} of SYNs" if self.syn_loss else f"{self.loss:.0%}"
        return f"{lost} lost, {self.delay_ms:.0f} to {self.delay_ms + self.jitter_ms:.0f} ms"

    def loss_of(self, frame):
        """Returns the probability that the frame is lost."""
        return max(self.loss, self.syn_loss) if self.syn_loss and begins_connection(frame) else self.loss


class Wire:
    """Two hosts, 10.77.0.1 and 10.77.0.2, as namespaces, and the wire between them. Removed at the end of `with`."""

    def __init__(self, condition, seed):
        self.condition, self.random = condition, random.Random(seed)
        self.hosts = [f"anyccl-wire-{os.getpid()}-{side}" for side in (1, 2)]
        self.ends = [f"wire{side}.{os.getpid()}"[:15] for side in (1, 2)]
        self.forwarded = self.lost = 0
        # Frames that this process was too slow to take, and the longest time by which one left too late.
        self.missed, self.latest = 0, 0.0

    def __enter__(self):
        try:
            for side, (host, end) in enumerate(zip(self.hosts, self.ends), 1):
                ip("netns", "add", host)
                ip("link", "add", end, "type", "veth", "peer", "name", "eth0", "netns", host)
                ip("link", "set", end, "up")
                ip("-n", host, "link", "set", "lo", "up")
                # One frame is one segment, so that a loss is that of one packet.
                ip("-n", host, "link", "set", "eth0", "up", "gso_max_segs", "1")
                ip("-n", host, "address", "add", f"10.77.0.{side}/24", "dev", "eth0")
            self.sockets = [opened(end) for end in self.ends]
        except BaseException:
            self.remove()
            raise
        self.stop = threading.Event()
        self.forwarder = threading.Thread(target=self.forward, daemon=True)
        self.forwarder.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.forwarder.join()
        # Frames in all, and those for which the socket had no room.
        counts = (struct.unpack("II", one.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8)) for one in self.sockets)
        self.missed = sum(missed for _, missed in counts)
        self.remove()

    def remove(self):
        for words in [("netns", "delete", host) for host in self.hosts] + [("link", "delete", end) for end in self.ends]:
            subprocess.run(["ip", *words], check=False, stderr=subprocess.DEVNULL)

    def forward(self):
        # The ranks may take all processors, and this thread must not be what delays frames.
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), -20)
        on_the_way, count = [], 0
        while not self.stop.is_set():
            rest = on_the_way[0][0] - time.monotonic() if on_the_way else 0.1
            ready, _, _ = select.select(self.sockets, [], [], max(0, min(rest, 0.1)))
            for source in ready:
                frame = source.recv(LONGEST_FRAME)
                if self.random.random() < self.condition.loss_of(frame):
                    self.lost += 1
                    continue
                ms = self.condition.delay_ms + self.random.random() * self.condition.jitter_ms
                count += 1
                heapq.heappush(on_the_way, (time.monotonic() + ms / 1000, count, frame, source is self.sockets[0]))
            while on_the_way and on_the_way[0][0] <= time.monotonic():
                due, _, frame, is_from_first = heapq.heappop(on_the_way)
                self.latest = max(self.latest, time.monotonic() - due)
                try:
                    self.sockets[1 if is_from_first else 0].send(frame)
                    self.forwarded += 1
                except OSError:
                    # The queue of the device is full: one more loss.
                    self.lost += 1


def begins_connection(frame):
    """Returns whether a frame, behind the header of its socket, has a TCP segment with SYN, with ACK or without."""
    at = VNET_HEADER + ETHERNET_HEADER
    kind = int.from_bytes(frame[at - 2:at], "big")
    if kind == IPV4 and len(frame) >= at + 20 and frame[at + 9] == TCP:
        at += 4 * (frame[at] & 15)
    elif kind == IPV6 and len(frame) >= at + IPV6_HEADER and frame[at + 6] == TCP:
        at += IPV6_HEADER
    else:
        return False
    return len(frame) > at + 13 and bool(frame[at + 13] & SYN)


def opened(end):
    """Opens a socket for all frames of a device. Its header keeps checksums that the kernel has left to the device."""
    one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    one.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    one.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    one.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
    one.bind((end, ETH_P_ALL))
    return one


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


def why_not():
    """Returns why there can be no wire here, or nothing."""
    try:
        with Wire(Condition(), 0):
            return ""
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", b"") or b""
        return f"network namespaces need root and iproute2 ({said.decode().strip() or error})"
