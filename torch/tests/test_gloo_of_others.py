"""Programs that others wrote for gloo, in its place: torch's own tests, and scripts of accelerate. Takes minutes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pypi
import pytest
import sample
from anyccl import get_prefix

pytestmark = pytest.mark.skipif(not sample.IS_LONG, reason="takes minutes: ANYCCL_TEST_LONG")
HERE = Path(__file__).resolve().parent
TOOL = Path(get_prefix(), "bin", "anyccl")
PYTHON = [sys.executable, "-W", "ignore"]
# They look for the words of gloo's message.
OTHER_WORDS = {"test_monitored_barrier_gloo", "test_monitored_barrier_gloo_rank_0_timeout"}
# Of accelerate, which takes gloo on CPUs whatever the user says.
ACCELERATE = ("accelerate==1.15.0 huggingface_hub==2.4.0 safetensors==0.8.0 psutil pyyaml tqdm requests httpx hf-xet typer "
              "click anyio httpcore h11 certifi idna charset-normalizer urllib3 sniffio")
SCRIPTS = ["test_ops", "test_sync", "test_script"]
WAYS = {
    "variable": ({"ANYCCL_TORCH_AS": "gloo"}, [], []),
    "run": ({}, ["--as", "gloo"], []),
    "module": ({}, [], ["-m", "anyccl.as_gloo"]),
}


def packages(folder, names):
    """Installs packages from PyPI, without those that they need. Returns their folder."""
    try:
        python = pypi.environment(pypi.TARGET / folder, ["--no-deps", *names.split()])
    except pypi.Missing as reason:
        pytest.skip(str(reason))
    return next((python.parent.parent / "lib").glob("python*/site-packages"))


def suite(folder, backend, **environment):
    environment |= {"BACKEND": backend, "PYTHONPATH": str(packages("expecttest", "expecttest"))}
    file = folder / f"{backend}.{len(environment)}.json"
    done = subprocess.run([*PYTHON, HERE / "gloo_suite.py", file], env=os.environ | environment, cwd=folder,
                          capture_output=True, text=True, timeout=3000)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(file.read_text())


def test_torchs_own_tests_pass_in_the_place_of_gloo_and_more_of_them_than_under_our_name(tmp_path):
    on_gloo, ours = suite(tmp_path, "gloo"), suite(tmp_path, "anyccl")
    in_its_place = suite(tmp_path, "gloo", ANYCCL_TORCH_AS="gloo")
    passed = lambda outcomes: {name for name, outcome in outcomes.items() if outcome == "pass"}
    print({name: len(passed(one)) for name, one in (("gloo", on_gloo), ("as gloo", in_its_place), ("anyccl", ours))})
    for name in (passed(on_gloo) - OTHER_WORDS) | passed(ours):
        assert in_its_place[name] == "pass", in_its_place[name]
    for name in OTHER_WORDS:
        assert "failed to pass monitoredBarrier" in in_its_place[name], in_its_place[name]


def lines_of(folder, script, way):
    """Runs a script of accelerate on two ranks. Returns its output, in any order."""
    environment, options, module = WAYS.get(way, ({}, [], []))
    named = packages("accelerate", ACCELERATE)
    file = named / "accelerate" / "test_utils" / "scripts" / f"{script}.py"
    environment |= {"PYTHONPATH": str(named), "ACCELERATE_USE_CPU": "true", "OMP_NUM_THREADS": "1"}
    done = subprocess.run([TOOL, "run", "-n", "2", "--no-prefix", *options, "--", *PYTHON, *module, file],
                          env=os.environ | environment, cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return sorted(re.sub(r"0x[0-9a-f]+", "", line) for line in done.stdout.splitlines())


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_of_accelerate_print_the_same(tmp_path, script):
    expected = lines_of(tmp_path, script, None)
    assert expected
    for way in WAYS:
        assert lines_of(tmp_path, script, way) == expected, way
