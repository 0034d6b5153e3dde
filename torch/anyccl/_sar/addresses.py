"""The address by which other hosts reach this one, and files on a shared file system that tell it.

Use `nfs_ip_init`: its ranks prove to each other that they belong to one job. `dump_ip_address` and
`get_ip_address` write and read a plain line, for programs that read such files themselves.
"""

import ctypes
import os
import tempfile
import time

from .._capi import check, load
from .._capi.errors import called
from .._capi.header import ADDRESS_BYTES
from .._communicator.starting import settings
from .._communicator.waiting import interruptibly
from .._interfaces import interfaces

# Pause between two looks for a file. On NFS a file may become visible some seconds late nevertheless.
POLL_SECONDS = 0.05


def get_socket():
    """Returns the interface by which others reach this host: the one that SAR_SOCKET_NAME names, if it is
    set. Else it is the first interface that is up. Bridges of containers come after all others, and loopback
    last. Its address is `.ips[0].ip`, its name `.name`."""
    known = interfaces()
    if wanted := os.environ.get("SAR_SOCKET_NAME"):
        for interface in known:
            if interface.name == wanted:
                return interface
        names = ", ".join(interface.name for interface in known)
        raise ValueError(f"SAR_SOCKET_NAME is {wanted!r}, but no interface of that name is up and has an address; those are: "
                         f"{names}")
    if not known:
        raise OSError("no network interface is up and has an address, not even loopback")
    return min(known, key=lambda interface: (interface.is_loopback, interface.is_bridge))


def dump_ip_address(ip_file):
    """Writes this host's address to a file, whole or not at all, and returns the address."""
    address = get_socket().ips[0].ip
    folder = os.path.dirname(os.path.abspath(ip_file))
    handle, partial = tempfile.mkstemp(dir=folder, prefix=os.path.basename(ip_file) + ".")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(address + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.chmod(partial, 0o644)
        os.replace(partial, ip_file)
    except BaseException:
        os.unlink(partial)
        raise
    return address


def get_ip_address(ip_file, timeout=None):
    """Waits for a file of dump_ip_address, and returns its address. A file of an earlier run is accepted,
    too; nfs_ip_init does not do that. timeout: seconds, then TimeoutError; None: no limit."""
    end = None if timeout is None else time.monotonic() + timeout
    while True:
        try:
            with open(ip_file, encoding="ascii") as file:
                if address := file.readline().strip():
                    return address
        except FileNotFoundError:
            pass
        if end is not None and time.monotonic() > end:
            raise TimeoutError(f"{ip_file}: not there, or empty, after {timeout} s; rank 0 writes it by dump_ip_address")
        time.sleep(POLL_SECONDS)


def nfs_ip_init(_rank, ip_file, world_size=0, timeout=None):
    """Tells all ranks the address of rank 0, by a file that all of them see, and returns the address.

    A rank accepts only an address where a process proves that it knows the secret of the file. So a file of
    an earlier run does no harm. With world_size, an argument that SAR lacks, rank 0 waits for the others and
    then removes the file. Without it the file stays, and the process of rank 0 must live until the others
    have come. timeout: seconds.
    """
    address = ctypes.create_string_buffer(ADDRESS_BYTES)
    # Named explicitly, because the library would prefer variables of other libraries to SAR_SOCKET_NAME.
    config = settings(timeout, interface=f"={get_socket().name}" if os.environ.get("SAR_SOCKET_NAME") else None)
    interruptibly(lambda: check(load(), called(
        load(), "anyccl_unique_id_exchange_by_file", os.fsencode(ip_file), world_size, _rank, ctypes.byref(config), None,
        address), _rank))
    return address.value.decode()
