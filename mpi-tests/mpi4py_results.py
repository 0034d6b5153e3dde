"""The results of mpi4py's own tests, which `run.py --keep` writes: one file per ABI, launcher and number of ranks."""

import json
from collections import Counter
from dataclasses import dataclass, field

from setting import HERE

FOLDER = HERE / "mpi4py_results"
ABIS = {"mpich": "wheel, libmpi.so.12", "std": "source build, libmpi_abi.so.1",
        "ompi": "wheel, libmpi.so.40"}
LAUNCHERS = {"mpiexec": "mpiexec", "anyccl run": "run"}
RANKS = (1, 2, 4)


@dataclass
class Kept:
    """The results of one module: numbers of tests, and failures with their reasons."""

    tests: int = 0
    skipped: Counter = field(default_factory=Counter)
    refused: Counter = field(default_factory=Counter)
    known: list = field(default_factory=list)
    failed: list = field(default_factory=list)

    def numbers(self):
        return self.tests, sum(self.skipped.values()), sum(self.refused.values()), len(self.known) + len(self.failed)


@dataclass(frozen=True)
class Cell:
    """An ABI, a launcher and a number of ranks, with which the tests ran."""

    abi: str
    launcher: str
    ranks: int

    def __str__(self):
        launcher = "MPICH's mpiexec" if self.launcher == "mpiexec" else self.launcher
        return f"{ABIS[self.abi]}, {launcher} -n {self.ranks}"

    @property
    def file(self):
        return FOLDER / f"{self.abi}-{LAUNCHERS[self.launcher]}-{self.ranks}.json"

    def modules(self):
        """Returns {module: Kept} for all modules that have results."""
        if not self.file.exists():
            return {}
        return {module: Kept(it["tests"], Counter(it["skipped"]), Counter(it["refused"]), it["known"], it["failed"])
                for module, it in json.loads(self.file.read_text()).items()}

    def keep(self, outcome):
        """Writes the outcome of a module. It replaces an older one."""
        known = sorted({test.rpartition(".")[2] for test, _ in outcome.known})
        # Subtests of one test that fail for the same reason become one entry.
        failed = sorted(map(list, {(test.partition(" ")[0].partition(".")[2], why) for test, why in outcome.wrong}))
        modules = self.modules() | {outcome.module: Kept(outcome.tests, outcome.skipped, outcome.refused_functions(), known, failed)}
        lines = (f"{json.dumps(module)}: {json.dumps(vars(kept), sort_keys=True)}" for module, kept in sorted(modules.items()))
        FOLDER.mkdir(exist_ok=True)
        self.file.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def cells():
    return [Cell(abi, launcher, ranks) for abi in ABIS for launcher in LAUNCHERS for ranks in RANKS]
