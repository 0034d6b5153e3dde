"""Runs the programs about windows where ranks reach each other by TCP: all of them, or those of pretended hosts."""

from programs import build, describe
from setting import SECONDS, Failure, job, launch

# Number of ranks, and of hosts among which they are dealt out. With one host, TCP is asked for.
LAYOUTS = ((2, 1), (2, 2), (3, 3), (4, 2))
# Gives each rank the name of its host.
DEALT = 'export ANYCCL_HOST_ID="host$((ANYCCL_RANK % {hosts}))"; exec "$0" "$@"'
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
