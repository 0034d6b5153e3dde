"""A wire between two network namespaces that loses, delays and reorders frames, by a seed.

Kernels without netem have nothing of the kind, so this process forwards the frames itself: it reads them from the near ends of two
veth pairs and writes them to the other one, or does not. Needs root and iproute2.
"""

import heapq
import os
import random
import select
import socket
import subprocess
import threading
import time
from typing import NamedTuple

SOL_PACKET, PACKET_VNET_HDR, PACKET_OUTGOING, ETH_P_ALL = 263, 15, 4, 3
LONGEST_FRAME = 70_000


class Condition(NamedTuple):
    """What the wire does to each frame. Jitter makes frames overtake each other."""

    loss: float = 0.0
    delay_ms: float = 0.0
    jitter_ms: float = 0.0

    def __str__(self):
        return f"{self.loss:.0%} lost, {self.delay_ms:.0f} to {self.delay_ms + self.jitter_ms:.0f} ms"


class Wire:
    """Two hosts, 10.77.0.1 and 10.77.0.2, as namespaces, and the wire between them. Removed at the end of `with`."""

    def __init__(self, condition, seed):
        self.condition, self.random = condition, random.Random(seed)
        self.hosts = [f"anyccl-wire-{os.getpid()}-{side}" for side in (1, 2)]
        self.ends = [f"wire{side}.{os.getpid()}"[:15] for side in (1, 2)]
        self.forwarded = self.lost = 0

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
        self.remove()

    def remove(self):
        for words in [("netns", "delete", host) for host in self.hosts] + [("link", "delete", end) for end in self.ends]:
            subprocess.run(["ip", *words], check=False, stderr=subprocess.DEVNULL)

    def forward(self):
        on_the_way, count = [], 0
        while not self.stop.is_set():
            rest = on_the_way[0][0] - time.monotonic() if on_the_way else 0.1
            ready, _, _ = select.select(self.sockets, [], [], max(0, min(rest, 0.1)))
            for source in ready:
                frame, _, _, address = source.recvmsg(LONGEST_FRAME)
                if address[2] == PACKET_OUTGOING:
                    continue
                if self.random.random() < self.condition.loss:
                    self.lost += 1
                    continue
                ms = self.condition.delay_ms + self.random.random() * self.condition.jitter_ms
                count += 1
                heapq.heappush(on_the_way, (time.monotonic() + ms / 1000, count, frame, source is self.sockets[0]))
            while on_the_way and on_the_way[0][0] <= time.monotonic():
                _, _, frame, is_from_first = heapq.heappop(on_the_way)
                try:
                    self.sockets[1 if is_from_first else 0].send(frame)
                    self.forwarded += 1
                except OSError:
                    # The queue of the device is full: one more loss.
                    self.lost += 1


def opened(end):
    """Opens a socket for all frames of a device. Its header keeps checksums that the kernel has left to the device."""
    one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    one.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    one.bind((end, 0))
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
