"""Runs the programs about windows where ranks reach each other by TCP: all of them, or those of pretended hosts."""

import tempfile
from pathlib import Path

from programs import build, describe
from setting import SECONDS, Failure, job, launch

# Number of ranks, and of hosts among which they are dealt out. With one host, TCP is asked for.
LAYOUTS = ((2, 1), (2, 2), (3, 3), (4, 2))
# Gives each rank the name of its host.
DEALT = 'export ANYCCL_HOST_ID="host$((ANYCCL_RANK % {hosts}))"; exec "$0" "$@"'
# Milliseconds after which a rank of lock_timeout.c does not wait any more. Another one holds the lock until then.
LIMIT = 1500
# Ways in which the ranks of lost_target.c synchronize.
WAYS = 3


def command(tool, program, ranks, hosts, *arguments):
    if hosts == 1:
        return launch(tool, ranks, [program, *arguments])
    return launch(tool, ranks, ["sh", "-c", DEALT.format(hosts=hosts), program, *arguments])


def run(library, tool, seconds=SECONDS):
    """`tool` is the file of `anyccl`. The environment may have the number of seeds in WINDOWS_SEEDS."""
    for ranks, hosts in LAYOUTS:
        for name in ("windows", "random_windows"):
            for thread in ("0", "1"):
                more = {"ANYCCL_TRANSPORT": "tcp" if hosts == 1 else "auto", "ANYCCL_ASYNC_PROGRESS": thread}
                ended = job(command(tool, build(name, library.abi), ranks, hosts), library, seconds, **more)
                if ended.status != 0:
                    raise Failure(f"{name}, {ranks} ranks on {hosts} hosts, thread {thread}: {describe(ended, seconds)}")
    return f"{len(LAYOUTS)} layouts, with and without a thread"


def run_lost(library, tool, seconds=SECONDS):
    """Kills a rank whose window others access."""
    program = build("lost_target", library.abi)
    for ranks, hosts in ((2, 2), (4, 2)):
        for way in range(WAYS):
            words = command(tool, program, ranks, hosts, way)
            ended = job([*words[:2], "--keep-going", *words[2:]], library, seconds)
            if ended.status is None or "the target is lost" not in ended.out or "another error" in ended.out:
                raise Failure(f"way {way}, {ranks} ranks: {ended.out}{describe(ended, seconds)}")
    return f"{WAYS} ways to synchronize"


def run_late(library, tool, seconds=SECONDS):
    """A lock that is not there within the time limit, by shared memory, by TCP, and by TCP from one rank of two."""
    for transport, hosts in (("shm", 1), ("tcp", 1), ("auto", 2)):
        with tempfile.TemporaryDirectory() as folder:
            words = command(tool, build("lock_timeout", library.abi), 3, hosts, Path(folder) / "file", LIMIT)
            ended = job(words, library, seconds, ANYCCL_TRANSPORT=transport)
        if ended.status != 0:
            raise Failure(f"{transport}, {hosts} hosts: {describe(ended, seconds)}")
    return "the target stays usable"
