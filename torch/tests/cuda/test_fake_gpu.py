"""PyTorch's own backend "nccl" as `anyccl run --as nccl --fake-gpu` starts it, with nothing prepared."""

import os
import subprocess
import sys
from pathlib import Path

import gpu
import pytest
from anyccl import get_prefix

TOOL = Path(get_prefix(), "bin", "anyccl")
RANKS, DEVICES = 2, 1
PREPARED = ("LD_PRELOAD", "LD_LIBRARY_PATH", "CUDA_DOUBLE_VERSION", "CUDA_DOUBLE_DEVICES", "CUDA_VISIBLE_DEVICES")
JOB = f"""
import sys, torch, torch.distributed as dist
assert torch.cuda.device_count() == {DEVICES}
dist.init_process_group(sys.argv[1])
rank = dist.get_rank()
torch.cuda.set_device(rank % {DEVICES})
tensor = torch.empty(1000, device="cuda")
tensor.copy_(torch.full((1000,), rank + 1.0))
dist.all_reduce(tensor)
assert tensor.cpu().tolist() == [{RANKS * (RANKS + 1) / 2}] * 1000
if "gloo" in sys.argv[1]:
    on_cpu = torch.full((3,), rank + 1.0)
    dist.all_reduce(on_cpu)
    assert on_cpu.tolist() == [{RANKS * (RANKS + 1) / 2}] * 3
    kinds = [type(dist.group.WORLD._get_backend(torch.device(kind))).__name__ for kind in ("cpu", "cuda")]
    assert kinds[0] == "AnycclBackend" and kinds[1].startswith("ProcessGroupNCCL"), kinds
dist.destroy_process_group()
"""


@pytest.mark.parametrize("names", ["nccl", "cpu:gloo,cuda:nccl"])
@gpu.needs_the_double
def test_torch_sees_gpus_that_do_not_exist_and_computes_on_them(names):
    environment = {name: value for name, value in os.environ.items() if name not in PREPARED}
    environment |= {"ANYCCL_CUDA_DOUBLE": gpu.DOUBLE, "ANYCCL_TORCH_AS": "gloo"}
    words = [TOOL, "run", "--as", "nccl", "--fake-gpu", DEVICES, "-n", RANKS, "--", sys.executable, "-W", "ignore", "-c", JOB, names]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("NCCL is anyccl in rank") >= 1, done.stderr
    # Nor does the exit say anything.
    assert "error" not in done.stderr.lower() and "DevComm" not in done.stderr, done.stderr
