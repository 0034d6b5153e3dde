"""The network interfaces of this host, as the kernel reports them."""

import fcntl
import ipaddress
import socket
import struct
from typing import NamedTuple

# linux/sockios.h, linux/if.h
_SIOCGIFFLAGS, _SIOCGIFADDR = 0x8913, 0x8915
_UP, _LOOPBACK = 0x1, 0x8
# Prefixes of interfaces that only containers and virtual machines of this host can reach.
_BRIDGES = ("docker", "br-", "virbr", "veth", "cni", "flannel", "podman", "lxc", "dummy")


class Address(NamedTuple):
    """An address of an interface, with the attribute `ip` of the package ifaddr."""

    ip: str


class Interface(NamedTuple):
    """An interface that is up and has addresses, IPv4 first."""

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
    """Returns the interfaces that are up and have an address, in the kernel's order."""
    found, ipv6 = [], _ipv6_addresses()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for _, name in socket.if_nameindex():
            request = struct.pack("40s", name.encode()[:15])
            try:
                flags = struct.unpack_from("H", fcntl.ioctl(any_socket, _SIOCGIFFLAGS, request), 16)[0]
            except OSError:  # The interface has gone meanwhile.
                continue
            ips = []
            try:
                answer = fcntl.ioctl(any_socket, _SIOCGIFADDR, request)
                ips.append(Address(socket.inet_ntoa(answer[20:24])))
            except OSError:
                pass  # The interface has no IPv4 address.
            ips += ipv6.get(name, [])
            if flags & _UP and ips:
                found.append(Interface(name, tuple(ips), bool(flags & _LOOPBACK)))
    return found


def _ipv6_addresses():
    """Returns the IPv6 addresses of each interface. Link-local ones are left out: they need the number of the
    interface to be used."""
    found = {}
    try:
        with open("/proc/net/if_inet6", encoding="ascii") as table:
            for line in table:
                digits, _, _, _, _, name = line.split()
                address = ipaddress.IPv6Address(int(digits, 16))
                if not address.is_link_local:
                    found.setdefault(name, []).append(Address(str(address)))
    except FileNotFoundError:
        pass  # The kernel has no IPv6.
    return found
