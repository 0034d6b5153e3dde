"""The network interfaces of this host, as the kernel tells of them."""

import fcntl
import ipaddress
import socket
import struct
from typing import NamedTuple

# linux/sockios.h, linux/if.h
_SIOCGIFFLAGS, _SIOCGIFADDR = 0x8913, 0x8915
_UP, _LOOPBACK = 0x1, 0x8
# What containers and virtual machines of this host have among themselves: other hosts cannot reach it.
_BRIDGES = ("docker", "br-", "virbr", "veth", "cni", "flannel", "podman", "lxc", "dummy")


class Address(NamedTuple):
    """An address of an interface; `ip` as a package called ifaddr has it."""

    ip: str


class Interface(NamedTuple):
    """An interface that is up and has addresses; the most useful one first."""

    name: str
    ips: tuple
    is_loopback: bool

    @property
    def nice_name(self):
        return self.name

    @property
    def is_bridge(self):
        return self.name.startswith(_BRIDGES)


def interfaces():
    """Those that are up and have an address, in the kernel's order."""
    found, ipv6 = [], _ipv6_addresses()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for _, name in socket.if_nameindex():
            request = struct.pack("40s", name.encode()[:15])
            try:
                flags = struct.unpack_from("H", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request), 16)[0]
            except OSError:  # It has gone meanwhile.
                continue
            ips = []
            try:
                answer = fcntl.ioctl(any_socket, _SIOCGIFADDR, request)
                ips.append(Address(socket.inet_ntoa(answer[20:24])))
            except OSError:
                pass  # No IPv4 there.
            ips += ipv6.get(name, [])
            if flags & _UP and ips:
                found.append(Interface(name, tuple(ips), bool(flags & _LOOPBACK)))
    return found


def _ipv6_addresses():
    """By interface; those of the link only are left out: they lead nowhere without the interface's number."""
    found = {}
    try:
        with open("/proc/net/if_inet6", encoding="ascii") as table:
            for line in table:
                digits, _, _, _, _, name = line.split()
                address = ipaddress.IPv6Address(int(digits, 16))
                if not address.is_link_local:
                    found.setdefault(name, []).append(Address(str(address)))
    except FileNotFoundError:
        pass  # A kernel without IPv6.
    return found
