"""Trains a small transformer by frameworks over gloo, by their own launch commands, and over anyccl in its place.

The scripts are in scripts/. Each rank writes its losses, and which class serves the group.
"""

import contextlib
import functools
import json
import math
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import install
import pypi
from ports import unheld_port

HERE = Path(__file__).resolve().parent
TORCH = HERE.parents[1]
PACKAGES = ["accelerate==1.15.0", "deepspeed==0.19.8", "lightning==2.6.6", "torchft==0.2.0", "transformers==5.24.0"]
RAY = ["ray[train]==2.60.0", "numpy"]
SECONDS = 600
# What DeepSpeed compiles when it is first used.
COMPILED = pypi.TARGET / "deepspeed-compiled"
AS_GLOO = {"ANYCCL_TORCH_AS": "gloo"}
AS_CCL = {"PYTHONPATH": str(TORCH / "ccl-compat")}
TORCHRUN = "python -m torch.distributed.run"
# A ring of gloo adds the numbers of more than two ranks in another order for each part of a tensor.
RELATIVE = 1e-4


@dataclass
class Framework:
    """How a framework is started, and under which names of torch anyccl serves it.

    A server runs beside it. With replicas, each rank is started by a command of its own."""

    command: str
    names: dict = field(default_factory=lambda: {"gloo": AS_GLOO})
    server: str = ""
    has_replicas: bool = False
    uses_ray: bool = False


FRAMEWORKS = {
    "accelerate": Framework("accelerate launch --cpu --num_processes {ranks} --main_process_port {port} "
                            "--mpirun_hostfile {hosts} {script}"),
    "deepspeed": Framework("deepspeed --num_accelerators {ranks} --master_port {port} {script}",
                           {"gloo": AS_GLOO, "ccl": AS_CCL}),
    "lightning": Framework("python {script} {ranks}"),
    "ray_train": Framework("python {script} {ranks}", uses_ray=True),
    "torchft": Framework(f"{TORCHRUN} --master-port {{port}} --nproc-per-node 1 {{script}}",
                         server="torchft_lighthouse --min_replicas {ranks} --bind [::]:{port}", has_replicas=True),
    "transformers": Framework(f"{TORCHRUN} --standalone --nproc-per-node {{ranks}} {{script}}"),
}


@functools.cache
def package(prefix):
    """Installs this package, and PyTorch if it is missing. Returns their folders."""
    for left_by_a_killed_run in COMPILED.glob("*/lock"):
        left_by_a_killed_run.unlink()
    install.make_environment()
    own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"ANYCCL_ROOT": str(prefix)}
    done = subprocess.run([sys.executable, TORCH / "tests/install.py"], env=own, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    return next(install.HOME.glob("lib/python*/site-packages")), install.torch_folder().parent


def environment(framework, prefix, more):
    """Returns the environment of a framework: its programs, PyTorch, this package, and the mpirun of anyccl."""
    own, torch = package(prefix)
    if framework.uses_ray:
        python, places = pypi.environment(pypi.TARGET / "ray", RAY), [own, torch]
    else:
        python, places = pypi.environment(pypi.TARGET / "frameworks", PACKAGES, [torch]), [own]
    path = [python.parent, prefix / "lib/anyccl/mpi/bin", os.environ["PATH"]]
    places += [more["PYTHONPATH"]] if "PYTHONPATH" in more else []
    named = {"TORCH_EXTENSIONS_DIR": str(COMPILED), "OMP_NUM_THREADS": "1"}
    lists = {"PATH": path, "PYTHONPATH": places}
    return os.environ | more | named | {name: os.pathsep.join(map(str, values)) for name, values in lists.items()}


@contextlib.contextmanager
def server(framework, ranks, environment):
    """Runs the server of a framework, if it has one, and yields its address."""
    if not framework.server:
        yield ""
        return
    port = unheld_port()
    command = shlex.split(framework.server.format(ranks=ranks, port=port))
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield f"http://localhost:{port}"
        finally:
            process.kill()


def run_all(commands, folder):
    """Runs commands, given with their environments, at the same time. None of their processes stays."""
    output = Path(folder, "output")
    with output.open("a", encoding="utf-8") as file:
        started = [subprocess.Popen(shlex.split(words), env=environ, cwd=folder, stdout=file, stderr=subprocess.STDOUT,
                                    start_new_session=True) for words, environ in commands]
    end = time.monotonic() + SECONDS
    try:
        failed = [one.args for one in started if one.wait(end - time.monotonic())]
    finally:
        for one in started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(one.pid, signal.SIGKILL)
    assert not failed, f"{failed}: {output.read_text(encoding='utf-8', errors='replace')[-4000:]}"


def train(name, ranks, prefix, **more):
    """Trains by a framework. Returns what each rank has reported."""
    framework = FRAMEWORKS[name]
    environ = environment(framework, prefix, more)
    with tempfile.TemporaryDirectory() as folder, server(framework, ranks, environ) as address:
        hosts, reports = Path(folder, "hosts"), Path(folder, "reports")
        hosts.write_text("localhost\n", encoding="utf-8")
        reports.mkdir()
        environ |= {"REPORTS": str(reports), "TORCHFT_LIGHTHOUSE": address, "NUM_REPLICA_GROUPS": str(ranks)}
        commands = []
        for replica in range(ranks if framework.has_replicas else 1):
            script = HERE / f"scripts/with_{name}.py"
            words = framework.command.format(ranks=ranks, port=unheld_port(), hosts=hosts, script=script)
            commands.append((words, environ | {"REPLICA_GROUP_ID": str(replica)}))
        run_all(commands, folder)
        return [json.loads((reports / str(rank)).read_text(encoding="utf-8")) for rank in range(ranks)]


def difference(ours, theirs):
    """Returns the largest relative difference of two lists of losses."""
    assert len(ours) == len(theirs) > 0
    return max(abs(one - other) / abs(other) for one, other in zip(ours, theirs))


def compare(name, ranks, prefix):
    """Trains over gloo, and over anyccl by each of its names. The losses are those of gloo."""
    on_gloo = train(name, ranks, prefix)
    assert all(one["class"] == "ProcessGroupGloo" and all(map(math.isfinite, one["losses"])) for one in on_gloo), on_gloo
    for known_as, more in FRAMEWORKS[name].names.items():
        ours = train(name, ranks, prefix, **more)
        for one, theirs in zip(ours, on_gloo):
            assert one["class"] == "AnycclBackend" and one["name"] == theirs["name"].replace("gloo", known_as), one
            apart = difference(one["losses"], theirs["losses"])
            assert apart <= (0 if ranks == 2 else RELATIVE), f"{name} on {ranks} ranks as {known_as}: {apart}: {one} {theirs}"


def tests():
    """Yields a test for each framework."""
    for name in FRAMEWORKS:
        def test(prefix, _folder, name=name):
            for ranks in (2, 4):
                compare(name, ranks, prefix)

        test.__name__, test.__doc__ = name, "It trains as over gloo, with anyccl in its place, on 2 and 4 ranks."
        yield test
