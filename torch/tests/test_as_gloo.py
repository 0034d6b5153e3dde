"""anyccl in the place of gloo: the same program on gloo and by each of the three ways, and what is refused."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from anyccl import get_prefix

JOB = Path(__file__).with_name("gloo_job.py")
TOOL = Path(get_prefix(), "bin", "anyccl")
PYTHON = [sys.executable, "-W", "ignore"]
AS_GLOO = {"ANYCCL_TORCH_AS": "gloo"}
AUTOLOAD_OFF = {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}


def run(*command, folder, **environment):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300, cwd=folder,
                          env={**os.environ, "OMP_NUM_THREADS": "1", **environment})


def facts(folder, *options, python=PYTHON, program=(JOB,), **environment):
    """Runs the job on two ranks. Returns who served it, what each rank has seen, and standard error."""
    folder.mkdir()
    done = run(TOOL, "run", "-n", "2", "--no-prefix", *options, "--", *python, *program, folder / "checkpoint", folder=folder,
               **environment)
    assert done.returncode == 0, done.stderr
    ranks = sorted(map(json.loads, filter(lambda line: line.startswith("{"), done.stdout.splitlines())), key=lambda one: one["rank"])
    assert len(ranks) == 2, done.stdout
    return {one["served_by"] for one in ranks}, [one["facts"] for one in ranks], done.stderr


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What the job tells on gloo."""
    servers, seen, _ = facts(tmp_path_factory.mktemp("gloo") / "job")
    assert servers == {"ProcessGroupGloo"}
    return seen


def test_a_program_for_gloo_does_the_same_by_each_way(tmp_path, expected):
    for name, options, python in (("run", ["--as", "gloo"], PYTHON), ("module", [], [*PYTHON, "-m", "anyccl.as_gloo"])):
        servers, got, _ = facts(tmp_path / name, *options, python=python)
        assert servers == {"AnycclBackend"}, name
        for mine, theirs in zip(got, expected):
            differ = {key: (mine.get(key), theirs.get(key)) for key in {*mine, *theirs} if mine.get(key) != theirs.get(key)}
            assert not differ, (name, differ)


@pytest.mark.since(14, "DDP with DETAIL under the name gloo")
def test_it_serves_debugged_groups_and_says_so_once(tmp_path, expected):
    environment = {**AS_GLOO, "TORCH_DISTRIBUTED_DEBUG": "DETAIL"}
    servers, got, errors = facts(tmp_path / "debugged", **environment)
    assert servers == {"AnycclBackend"}
    for mine, theirs in zip(got, expected):
        assert mine["names"][:3] == ["gloo", "custom", "custom"] and mine["ddp"][0] == theirs["ddp"][0]
        # gloo itself does not survive DDP here, and the type that would give the group its name is the reason.
        for name in theirs.keys() - {"names", "ddp"}:
            assert mine[name] == theirs[name], name
    assert errors.count("is served by anyccl") == 1 and "anyccl: info: rank 0 of 2:" in errors, errors
    assert "means nothing" not in errors, errors


SPAWNING = """
import os, sys, torch, torch.distributed as dist, torch.multiprocessing as mp

def main(rank, store):
    dist.init_process_group("gloo", init_method=store, rank=rank, world_size=2)
    tensor = torch.ones(1)
    dist.all_reduce(tensor)
    kind = type(dist.group.WORLD._get_backend(torch.device("cpu"))).__name__
    os.write(1, f"{kind} {tensor.item()} {__name__} {sys.argv[1:]}\\n".encode())
    dist.destroy_process_group()

if __name__ == "__main__":
    mp.spawn(main, args=("file://" + os.path.abspath("store"),), nprocs=2)
    print("ended", __name__, sys.argv[1:])
"""


@pytest.mark.parametrize("program", [["spawning.py"], ["-m", "spawning"]])
def test_processes_that_it_spawns_are_served(tmp_path, program):
    (tmp_path / "spawning.py").write_text(SPAWNING)
    done = run(*PYTHON, "-m", "anyccl.as_gloo", *program, "--x", "1", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    served = "AnycclBackend 2.0 __mp_main__ ['--x', '1']"
    assert sorted(done.stdout.splitlines()) == [served, served, "ended __main__ ['--x', '1']"], done.stdout


ALONE = "import torch.distributed as dist; dist.init_process_group('gloo', store=dist.HashStore(), rank=0, world_size=1); "
NEWER = "import os, torch; torch.__version__ = '2.99.0'; os.environ['ANYCCL_TORCH_AS'] = 'gloo'; import anyccl"
OTHER = "import os, torch.distributed.distributed_c10d as c; c._new_process_group_helper = lambda: 0; import anyccl"
REFUSED = {
    "another name": ("import torch", {"ANYCCL_TORCH_AS": "nccl"}, "serves the name gloo only"),
    "a group exists": (ALONE + "import anyccl", {**AS_GLOO, **AUTOLOAD_OFF}, "a group exists already"),
    "an unknown release": (NEWER, AUTOLOAD_OFF, "torch 2.99.0 is not among the releases"),
    "an unknown form": (OTHER, {**AS_GLOO, **AUTOLOAD_OFF}, "in a way that this anyccl does not know"),
    "a class that derives": (ALONE + "type('A', (dist.ProcessGroupGloo,), {})", AS_GLOO, "no class can derive from it"),
    "an address": (ALONE + "dist.ProcessGroupGloo.create_device(hostname='::1')", AS_GLOO, "the name of an interface"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_it_cannot_serve_is_refused_with_a_sentence(tmp_path, case):
    code, environment, sentence = REFUSED[case]
    done = run(*PYTHON, "-c", code, folder=tmp_path, **environment)
    assert done.returncode == 1 and sentence in done.stderr, done.stderr


def test_a_python_that_cannot_serve_is_refused_before_it_is_started(tmp_path):
    (tmp_path / "job.py").write_text("print('started')")
    run_it = [TOOL, "run", "-n", "2", "--as", "gloo"]
    for command in ([*PYTHON, "-m", "anyccl.as_gloo", "job.py"], [*run_it, *PYTHON, "job.py"]):
        done = run(*command, folder=tmp_path, **AUTOLOAD_OFF)
        assert done.returncode == 1 and "TORCH_DEVICE_BACKEND_AUTOLOAD=0 keeps torch" in done.stderr, done.stderr
        assert "started" not in done.stdout
    (tmp_path / "anyccl").mkdir()
    (tmp_path / "anyccl" / "__init__.py").touch()
    done = run(*run_it, *PYTHON, "job.py", folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.returncode == 1 and "has no package anyccl that serves it: pip install" in done.stderr, done.stderr


def test_info_tells_who_serves_each_name(tmp_path):
    for environment, server in (({}, "torch"), (AS_GLOO, "anyccl")):
        done = run(TOOL, "info", "--torch", sys.executable, "--json", folder=tmp_path, **environment)
        served = {row["name"]: row["served_by"] for row in json.loads(done.stdout)["names"]}
        assert served["gloo"] == server and served["anyccl"] == "anyccl", done.stdout
    done = run(TOOL, "info", "--torch", sys.executable, folder=tmp_path, ANYCCL_TORCH_AS="ucc")
    assert done.returncode == 1 and "serves the name gloo only" in done.stdout, done.stdout
