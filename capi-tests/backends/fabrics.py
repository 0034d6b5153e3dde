#!/usr/bin/env python3
"""Tests of the transport over libfabric.

Ranks that pretend to be on several hosts run every collective over providers that work on any machine, and an oracle checks the
results. Other tests check which transport is used, and what is said where it cannot be.

    make install
    python3 capi-tests/backends/fabrics.py [--prefix INSTALLED] [NAME...]

The script installs MPICH and Intel MPI from PyPI into target/launchers, once, for their libfabric. When that is not possible, it
skips their tests.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import run  # noqa: E402
from launchers import installed  # noqa: E402
from named_tests import Failure, Skipped  # noqa: E402

PROVIDERS = ("tcp", "tcp;ofi_rxm", "sockets")
LAYOUTS = {"two hosts of one rank": ("a", "b"), "two hosts of two ranks": ("a", "a", "b", "b"), "three hosts": ("a", "b", "c")}


def library():
    return str(installed("mpich") / "lib" / "mpich" / "libfabric.so.1")


def of_intel():
    """Returns the variables of Intel's libfabric, whose providers are files of their own."""
    folder = installed("intel") / "lib"
    return {"ANYCCL_OFI_LIB": str(folder / "libfabric.so.1"), "FI_PROVIDER_PATH": str(folder)}


def ofi(host, provider="tcp", **more):
    return {"ANYCCL_TRANSPORT": "ofi", "ANYCCL_OFI_LIB": library(), "ANYCCL_OFI_PROVIDER": provider, "ANYCCL_HOST_ID": host,
            "ANYCCL_LOG": "info", "FI_TCP_IFACE": "lo", **more}


def namespaces(count):
    """Returns the words that run a program in each of so many network namespaces with a network between them, and a function that
    removes them. Raises Skipped where they are not permitted."""
    names = [f"anyccl{os.getpid()}-{at}" for at in range(count)]

    def remove():
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True)

    steps = [["ip", "netns", "add", name] for name in names]
    steps.append(["ip", "-n", names[0], "link", "add", "fabric0", "type", "veth", "peer", "name", "fabric0", "netns", names[1]])
    for at, name in enumerate(names):
        steps += [["ip", "-n", name, "addr", "add", f"10.77.0.{at + 1}/24", "dev", "fabric0"],
                  ["ip", "-n", name, "link", "set", "fabric0", "up"], ["ip", "-n", name, "link", "set", "lo", "up"]]
    try:
        for step in steps:
            subprocess.run(step, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        remove()
        raise Skipped(f"no network namespaces: {error}") from None
    return [["ip", "netns", "exec", name] for name in names], remove


def tests(options):
    """Yields a name and a function for each test."""

    def matrix(provider, hosts, point, more=dict):
        ended = run.by_hand(options, run.matrix(options, point), [ofi(host, provider) | more() for host in hosts])
        run.all_as_expected(ended, len(hosts))
        others = sum(host != hosts[0] for host in hosts)
        peers = "1 peer" if others == 1 else f"{others} peers"
        run.says(ended, f"a fabric to {peers}: provider {provider}", f"ofi to {peers}")

    def in_namespaces(provider, point):
        inside, remove = namespaces(2)
        try:
            store = tempfile.mktemp(prefix="store-", dir=options.folder)
            commands = []
            for rank, words in enumerate(inside):
                variables = ofi("", provider) | {"ANYCCL_RANK": str(rank), "ANYCCL_WORLD_SIZE": "2", "ANYCCL_STORE": f"file:{store}",
                                                 "ANYCCL_TIMEOUT_MS": "20000"}
                for name in ("ANYCCL_HOST_ID", "FI_TCP_IFACE"):
                    del variables[name]
                commands.append(([*words, *run.matrix(options, point)], variables))
            ended = run.Ended(commands)
        finally:
            remove()
        run.all_as_expected(ended, 2)
        run.says(ended, f"a fabric to 1 peer: provider {provider}")

    def by_itself():
        """A rank that may choose uses TCP, and does not look for the library."""
        lost = "/there/is/no/libfabric.so.1"
        variables = [ofi(host, ANYCCL_TRANSPORT="auto", ANYCCL_OFI_LIB=lost) for host in ("a", "b")]
        ended = run.by_hand(options, run.matrix(options), variables)
        run.all_as_expected(ended, 2)
        run.says(ended, "tcp to 1 peer")

    def other_providers():
        ended = run.by_hand(options, run.matrix(options), [ofi("a", "tcp"), ofi("b", "sockets")])
        run.says(ended, "ANYCCL_TRANSPORT=ofi, but rank ", " has provider ", ", this rank ", fails=True)

    def one_without():
        variables = [ofi("a"), ofi("b", ANYCCL_OFI_LIB="/there/is/no/libfabric.so.1")]
        ended = run.by_hand(options, run.matrix(options), variables)
        run.says(ended, "ANYCCL_TRANSPORT=ofi, but ", "/there/is/no/libfabric.so.1", "rank 1", fails=True)
        if ended.err.count("last error: ") != ended.err.count("/there/is/no/libfabric.so.1: cannot open"):
            raise Failure(f"not on both ranks: {ended.described()}")

    def without_providers():
        ended = run.by_hand(options, run.matrix(options), [ofi(host) | of_intel() | {"FI_PROVIDER_PATH": "/"} for host in ("a", "b")])
        run.says(ended, "ANYCCL_TRANSPORT=ofi, but libfabric 2.", "offers no provider tcp", fails=True)
        if ended.err.count("offers no provider tcp") < 2:
            raise Failure(f"not on both ranks: {ended.described()}")

    def no_libfabric():
        lost = "/there/is/no/libfabric.so.1"
        ended = run.by_hand(options, run.matrix(options), [ofi(host, ANYCCL_OFI_LIB=lost) for host in ("a", "b")])
        run.says(ended, f"ANYCCL_TRANSPORT=ofi, but {lost}", fails=True)

    def other_library():
        ended = run.by_hand(options, run.matrix(options), [ofi(host, ANYCCL_OFI_LIB="libm.so.6") for host in ("a", "b")])
        run.says(ended, "ANYCCL_TRANSPORT=ofi, but libm.so.6 has no fi_getinfo of version FABRIC_1.3", fails=True)

    def one_wants_tcp():
        ended = run.by_hand(options, run.matrix(options), [ofi("a"), ofi("b", ANYCCL_TRANSPORT="tcp")])
        run.says(ended, "ANYCCL_TRANSPORT=ofi on rank 0", "and not on rank 1", fails=True)

    for point, (provider, (layout, hosts)) in enumerate((provider, row) for provider in PROVIDERS for row in LAYOUTS.items()):
        yield f"every collective over {provider}, {layout}", lambda row=(provider, hosts, point): matrix(*row)
    for point, provider in enumerate(PROVIDERS):
        yield f"two network namespaces over {provider}", lambda row=(provider, point): in_namespaces(*row)
    for at, (layout, hosts) in enumerate(LAYOUTS.items()):
        row = ("tcp", hosts, len(PROVIDERS) * len(LAYOUTS) + at, of_intel)
        yield f"Intel's libfabric, {layout}", lambda row=row: matrix(*row)
    yield "Intel's libfabric without its providers", without_providers
    yield "no libfabric", no_libfabric
    yield "a library that is no libfabric", other_library
    yield "TCP, unless a user asks for a fabric", by_itself
    yield "ranks with other providers", other_providers
    yield "a rank without libfabric", one_without
    yield "a rank that wants TCP", one_wants_tcp


if __name__ == "__main__":
    run.run_tests(tests, __doc__)
