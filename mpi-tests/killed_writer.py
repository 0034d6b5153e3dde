"""Kills a rank that writes to a file with others: no byte may change outside of the ranks' views."""

import tempfile
from pathlib import Path

from programs import build
from setting import SECONDS, Failure, job, launch

BLOCK = 700
RANKS = 3


def run(library, launcher):
    program = build("killed_writer", library.abi)
    found = []
    for is_collective in (0, 1):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "file"
            ended = job(launch(launcher, RANKS, [program, str(file), str(is_collective)]), library, SECONDS)
            if ended.status in (0, None):
                raise Failure(f"the job ended with {ended.status}, although rank 1 was killed")
            data = file.read_bytes() if file.exists() else b""
        for at in range(0, len(data), BLOCK):
            owner = at // BLOCK % (RANKS + 1)
            allowed = {0} if owner == RANKS else {0, ord("a") + owner}
            if not set(data[at:at + BLOCK]) <= allowed:
                raise Failure(f"block {at // BLOCK} of rank {owner} has foreign bytes, collective: {is_collective}")
        if not data:
            raise Failure(f"nothing was written before the rank was killed, collective: {is_collective}")
        found.append(f"{len(data) / 1e6:.1f} MB")
    return f"{found[0]} of independent writes, {found[1]} of collective ones"
