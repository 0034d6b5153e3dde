"""Which address of this host others can use, and files on a shared file system that tell it.

`nfs_ip_init` is the one to use: the ranks prove to each other that they are of one job. `dump_ip_address` and
`get_ip_address` write and read a plain line, for programs that read such files themselves.
"""

import ctypes
import os
import tempfile
import time

from .._capi import check, load
from .._capi.header import ADDRESS_BYTES
from .._communicator.starting import settings
from .._communicator.waiting import interruptibly
from .interfaces import interfaces

# How often a file is looked for. A file of NFS may be seen some seconds late all the same.
POLL_SECONDS = 0.05


def get_socket():
    """The interface that others reach this host by: the one that SAR_SOCKET_NAME names, else the first that is up and not
    loopback, bridges of containers last, else loopback. Its address is `.ips[0].ip`, its name `.name`."""
    known = interfaces()
    if wanted := os.environ.get("SAR_SOCKET_NAME"):
        for interface in known:
            if interface.name == wanted:
                return interface
        names = ", ".join(interface.name for interface in known)
        raise ValueError(f"SAR_SOCKET_NAME is {wanted!r}, which is no interface that is up and has an address; those are: "
                         f"{names}")
    if not known:
        raise OSError("no network interface is up and has an address, not even loopback")
    return min(known, key=lambda interface: (interface.is_loopback, interface.is_bridge))


def dump_ip_address(ip_file):
    """Writes this host's address to a file, whole or not at all, and gives it."""
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
    """Waits for a file that dump_ip_address writes, and gives the address. One that an earlier run has left is taken for
    it: use nfs_ip_init. timeout: seconds, then TimeoutError; None: for ever."""
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
    """Tells all ranks the address of rank 0 by a file that all of them see, and gives it.

    A file that an earlier run has left is never believed: a rank takes only an address that answers and proves that it is
    of the run that wrote the file. With world_size, which SAR does not have, rank 0 waits for the others and then removes
    the file; without, the file stays, and the process of rank 0 has to live until they have come. timeout: seconds.
    """
    address = ctypes.create_string_buffer(ADDRESS_BYTES)
    # Before the variables of other libraries, which would come first if the library were left to choose.
    config = settings(timeout, interface=f"={get_socket().name}" if os.environ.get("SAR_SOCKET_NAME") else None)
    interruptibly(lambda: check(load(), load().anyccl_unique_id_exchange_by_file(
        os.fsencode(ip_file), world_size, _rank, ctypes.byref(config), None, address), _rank))
    return address.value.decode()
