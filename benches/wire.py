#!/usr/bin/env python3
"""Runs a command once for each value of a variable, with ranks on two hosts whose link has a limited rate.

    benches/wire.py [--rate 1gbit] [--round-trip 0] [--links 1] [--ranks 2] [--repeats 3] COMMAND...

The hosts are network namespaces of this machine, joined by veth pairs, eth0 and so on. A token bucket (tbf) limits each direction. The first half
of the ranks is on the one host, the rest on the other. The values, by default those of ANYCCL_WIRE, take turns. What rank 0 writes is shown
under each. With a round trip, a third namespace is between the hosts, and a program there holds each frame back for half of it. Needs
root and iproute2. For example:

    benches/wire.py target/release/anyccl perf all_reduce -b 1M -e 64M -f 4
    benches/wire.py --round-trip 80 --variable ANYCCL_TCP_LANES --values 1,4,auto target/release/anyccl perf all_reduce -b 64M -e 64M
    benches/wire.py --ranks 4 python c-examples/torch-ddp/train.py c-examples/05-train/digits.csv.gz
"""

import argparse
import os
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque

FORMATS = ["full", "bf16", "f8", "int8-block"]
SECONDS = 900
PORT = 29_400


def ip(*words):
    subprocess.run(["ip", *words], check=True)


def packet_socket(interface):
    """Returns a socket for whole frames of an interface, as its driver has them: with a header that tells what is left to it."""
    frames = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    for option in (33, 32):  # SO_RCVBUFFORCE, SO_SNDBUFFORCE
        frames.setsockopt(socket.SOL_SOCKET, option, 64 << 20)
    frames.setsockopt(263, 15, 1)  # SOL_PACKET, PACKET_VNET_HDR
    frames.bind((interface, 3))  # ETH_P_ALL
    return frames


def relay(interfaces, delay):
    """Passes each frame of one interface on to the other after `delay` seconds. Never returns."""
    ends = [packet_socket(interface) for interface in interfaces]
    other = {ends[0]: ends[1], ends[1]: ends[0]}
    held = {end: deque() for end in ends}
    while True:
        due = min((queue[0][0] for queue in held.values() if queue), default=None)
        patience = None if due is None else max(0.0, due - time.monotonic())
        for end in select.select(ends, [], [], patience)[0]:
            try:
                while True:
                    frame, address = end.recvfrom(1 << 17, socket.MSG_DONTWAIT)
                    if address[2] != socket.PACKET_OUTGOING:
                        held[other[end]].append((time.monotonic() + delay, frame))
            except BlockingIOError:
                pass
        now = time.monotonic()
        for end, queue in held.items():
            while queue and queue[0][0] <= now:
                end.send(queue.popleft()[1])


class Link:
    """Two hosts, 10.78.0.1 and 10.78.0.2, and their links. Removed at the end of `with`."""

    def __init__(self, rate, links, round_trip):
        self.rate, self.links, self.round_trip = rate, links, round_trip
        self.hosts = [f"anyccl-wire-{os.getpid()}-{side}" for side in (1, 2)]
        self.middle = [f"anyccl-wire-{os.getpid()}-0"] if round_trip else []
        self.relays = []

    def __enter__(self):
        try:
            for host in self.hosts + self.middle:
                ip("netns", "add", host)
                ip("-n", host, "link", "set", "lo", "up")
            for number in range(self.links):
                self.add(number, f"eth{number}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def join(self, one, other):
        """Joins two interfaces, of which each is a namespace and a name."""
        ip("link", "add", one[1], "netns", one[0], "type", "veth", "peer", "name", other[1], "netns", other[0])

    def add(self, number, name):
        if self.round_trip:
            between = [f"{name}-{side}" for side in (1, 2)]
            for host, inner in zip(self.hosts, between):
                self.join((host, name), (self.middle[0], inner))
                ip("-n", self.middle[0], "link", "set", inner, "up")
            command = [sys.executable, __file__, "--relay", *between, str(self.round_trip / 2000)]
            self.relays.append(subprocess.Popen(["ip", "netns", "exec", self.middle[0], *command]))
        else:
            self.join((self.hosts[0], name), (self.hosts[1], name))
        for side, host in enumerate(self.hosts, 1):
            ip("-n", host, "link", "set", name, "up")
            ip("-n", host, "address", "add", f"10.78.{number}.{side}/24", "dev", name)
            bucket = ["tbf", "rate", self.rate, "burst", "256kb", "latency", "50ms"]
            subprocess.run(["tc", "-n", host, "qdisc", "add", "dev", name, "root", *bucket], check=True)

    def __exit__(self, *_):
        for process in self.relays:
            process.kill()
            process.wait()
        for host in self.hosts + self.middle:
            subprocess.run(["ip", "netns", "delete", host], check=False, stderr=subprocess.DEVNULL)


def run(link, command, ranks, variable, value, port):
    """Runs one job, and returns what rank 0 has written."""
    with tempfile.TemporaryFile("w+") as written:
        processes = []
        for rank in range(ranks):
            ours = {"ANYCCL_RANK": rank, "ANYCCL_WORLD_SIZE": ranks, "ANYCCL_STORE": f"tcp://10.78.0.1:{port}", variable: value}
            torch = {"RANK": rank, "WORLD_SIZE": ranks, "LOCAL_RANK": rank, "MASTER_ADDR": "10.78.0.1", "MASTER_PORT": port + 1,
                     "GLOO_SOCKET_IFNAME": "eth0", "OMP_NUM_THREADS": 1}
            environment = os.environ | {name: str(one) for name, one in (ours | torch).items()}
            host = link.hosts[2 * rank // ranks]
            out = written if rank == 0 else subprocess.DEVNULL
            processes.append(subprocess.Popen(["ip", "netns", "exec", host, *command], env=environment, stdout=out))
        try:
            codes = [process.wait(SECONDS) for process in processes]
        finally:
            for process in processes:
                process.kill()
        if any(codes):
            raise SystemExit(f"{variable}={value}: the ranks ended with {codes}")
        written.seek(0)
        return written.read()


def main():
    if sys.argv[1:2] == ["--relay"]:
        relay(sys.argv[2:4], float(sys.argv[4]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", default="1gbit", help="of each direction, as tc writes it")
    parser.add_argument("--round-trip", type=float, default=0, help="milliseconds that the way there and back takes longer")
    parser.add_argument("--links", type=int, default=1, help="between the hosts")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--variable", default="ANYCCL_WIRE", help="whose values take turns")
    parser.add_argument("--values", "--formats", default=",".join(FORMATS), help="comma-separated")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    values = options.values.split(",")
    with Link(options.rate, options.links, options.round_trip) as link:
        for number in range(options.repeats):
            for at, value in enumerate(values):
                port = PORT + 2 * (number * len(values) + at)
                written = run(link, options.command, options.ranks, options.variable, value, port)
                print(f"{options.variable}={value}\n{written}", flush=True)


if __name__ == "__main__":
    main()
