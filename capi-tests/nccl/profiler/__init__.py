"""A profiler plugin of NCCL's interface sees the calls of this library, in versions 4 and 5 of the interface."""

import os
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
VERSIONS = (5, 4)


class Failed(Exception):
    pass


def expected(version, rank, size):
    """Returns the events of profiled.c by its communicators, in the order in which they begin."""
    following, before = (rank + 1) % size, (rank + size - 1) % size

    def groups():
        return ["group_api depth 1 in nothing", "group in nothing"] if version == 5 else ["group in nothing"]

    def coll(function, count, root, number):
        api = [f"coll_api {function} {count} ncclFloat32 root {root} in group_api"] if version == 5 else []
        parent = "coll_api" if version == 5 else "group"
        return [*api, f"{function} {count} ncclFloat32 root {root}, number {number}, in {parent}"]

    def p2p(function, peer):
        api = [f"p2p_api {function} 3 ncclFloat32 in group_api"] if version == 5 else []
        return [*api, f"{function} 3 ncclFloat32 peer {peer} in {'p2p_api' if version == 5 else 'group'}"]

    first = [*groups(), *coll("AllReduce", 300, 0, 0),
             *groups(), *p2p("Send", following), *p2p("Recv", before), *coll("AllReduce", 7, 0, 1),
             *groups(), *coll("Broadcast", 300, size - 1, 0),
             *groups(), *coll("AllReduce", 6, 0, 2)]
    part = [*groups(), *coll("AllReduce", 300, 0, 0), *groups(), *coll("AllReduce", 5, 0, 1)]
    return {"comm": first, "comm.split": part}


def check(program, compile_c, work, limit_s):
    """Runs the program with plugins of each version, which its name or its path names, and with one that is none."""
    for version in VERSIONS:
        plugin = compile_c(work / f"libnccl-profiler-v{version}.so", "-shared", "-fPIC", f"-DVERSION={version}", HERE / "plugin.c")
        for name, spread in ((str(plugin), (2, 1)), (f"v{version}", (1, 3))):
            with tempfile.TemporaryDirectory() as folder:
                environment = {"NCCL_PROFILER_PLUGIN": name, "PROFILED": folder, "LD_LIBRARY_PATH": str(work)}
                subprocess.run([program, *map(str, spread)], env=os.environ | environment, check=True, timeout=limit_s)
                size = spread[0] * spread[1]
                for rank in range(size):
                    for comm, lines in expected(version, rank, size).items():
                        found = Path(folder, f"{comm}-{rank}").read_text().splitlines()
                        if found != lines:
                            raise Failed(f"version {version}, {comm}, rank {rank} of {size}: {found}")
    for name in ("missing", "none", str(program)):
        subprocess.run([program, "2", "1"], env=os.environ | {"NCCL_PROFILER_PLUGIN": name}, check=True, timeout=limit_s)
    print("profiler plugins: versions 4 and 5, by name and by path")
