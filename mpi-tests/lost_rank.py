"""Kills a rank of a program that goes on without it, by MPIX_Comm_revoke, MPIX_Comm_agree and MPIX_Comm_shrink."""

from programs import build, describe
from setting import SECONDS, Failure, job, launch

# ABIs that have these functions.
ABIS = ("mpich", "ompi")
RANKS = (2, 4)


def run(library, tool):
    """`tool` is the file of `anyccl`: mpiexec ends a job when a rank is killed."""
    program = build("lost_rank", library.abi)
    for ranks in RANKS:
        command = launch(tool, ranks, [program])
        ended = job([*command[:2], "--keep-going", *command[2:]], library, SECONDS)
        done = sorted(line for line in ended.out.splitlines() if line.endswith("is done"))
        expected = [f"rank {rank} of {ranks - 1} is done" for rank in range(ranks - 1)]
        if ended.status != 0 or [line[line.index("rank"):] for line in done] != expected:
            raise Failure(f"{ranks} ranks, {len(done)} are done: {describe(ended)}")
    return "the others have finished"
