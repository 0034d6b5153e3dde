#!/usr/bin/env python3
"""Runs a command once for each ANYCCL_WIRE, with ranks on two hosts whose link has a limited rate.

    benches/wire.py [--rate 1gbit] [--links 1] [--ranks 2] [--repeats 3] COMMAND...

The hosts are network namespaces of this machine, joined by veth pairs, eth0 and so on. A token bucket (tbf) limits each direction. The first half
of the ranks is on the one host, the rest on the other. The formats take turns. What rank 0 writes is shown under the format. Needs
root and iproute2. For example:

    benches/wire.py target/release/anyccl perf all_reduce -b 1M -e 64M -f 4
    benches/wire.py --ranks 4 python c-examples/torch-ddp/train.py c-examples/05-train/digits.csv.gz
"""

import argparse
import os
import subprocess
import tempfile

FORMATS = ["full", "bf16", "f8", "int8-block"]
SECONDS = 900
PORT = 29_400


def ip(*words):
    subprocess.run(["ip", *words], check=True)


class Link:
    """Two hosts, 10.78.0.1 and 10.78.0.2, and their links. Removed at the end of `with`."""

    def __init__(self, rate, links):
        self.rate, self.links, self.hosts = rate, links, [f"anyccl-wire-{os.getpid()}-{side}" for side in (1, 2)]

    def __enter__(self):
        try:
            for host in self.hosts:
                ip("netns", "add", host)
                ip("-n", host, "link", "set", "lo", "up")
            for number in range(self.links):
                self.add(number, f"eth{number}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def add(self, number, name):
        ip("link", "add", name, "netns", self.hosts[0], "type", "veth", "peer", "name", name, "netns", self.hosts[1])
        for side, host in enumerate(self.hosts, 1):
            ip("-n", host, "link", "set", name, "up")
            ip("-n", host, "address", "add", f"10.78.{number}.{side}/24", "dev", name)
            bucket = ["tbf", "rate", self.rate, "burst", "256kb", "latency", "50ms"]
            subprocess.run(["tc", "-n", host, "qdisc", "add", "dev", name, "root", *bucket], check=True)

    def __exit__(self, *_):
        for host in self.hosts:
            subprocess.run(["ip", "netns", "delete", host], check=False, stderr=subprocess.DEVNULL)


def run(link, command, ranks, wire, port):
    """Runs one job, and returns what rank 0 has written."""
    with tempfile.TemporaryFile("w+") as written:
        processes = []
        for rank in range(ranks):
            ours = {"ANYCCL_RANK": rank, "ANYCCL_WORLD_SIZE": ranks, "ANYCCL_STORE": f"tcp://10.78.0.1:{port}", "ANYCCL_WIRE": wire}
            torch = {"RANK": rank, "WORLD_SIZE": ranks, "LOCAL_RANK": rank, "MASTER_ADDR": "10.78.0.1", "MASTER_PORT": port + 1,
                     "GLOO_SOCKET_IFNAME": "eth0", "OMP_NUM_THREADS": 1}
            environment = os.environ | {name: str(value) for name, value in (ours | torch).items()}
            host = link.hosts[2 * rank // ranks]
            out = written if rank == 0 else subprocess.DEVNULL
            processes.append(subprocess.Popen(["ip", "netns", "exec", host, *command], env=environment, stdout=out))
        try:
            codes = [process.wait(SECONDS) for process in processes]
        finally:
            for process in processes:
                process.kill()
        if any(codes):
            raise SystemExit(f"ANYCCL_WIRE={wire}: the ranks ended with {codes}")
        written.seek(0)
        return written.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", default="1gbit", help="of each direction, as tc writes it")
    parser.add_argument("--links", type=int, default=1, help="between the hosts")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--formats", default=",".join(FORMATS), help="comma-separated values of ANYCCL_WIRE")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    formats = options.formats.split(",")
    with Link(options.rate, options.links) as link:
        for number in range(options.repeats):
            for at, wire in enumerate(formats):
                written = run(link, options.command, options.ranks, wire, PORT + 2 * (number * len(formats) + at))
                print(f"ANYCCL_WIRE={wire}\n{written}", flush=True)


if __name__ == "__main__":
    main()
