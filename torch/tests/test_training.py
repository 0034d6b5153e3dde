"""Runs the training jobs of train_job.py under torchrun."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

JOB = Path(__file__).with_name("train_job.py")


@pytest.mark.parametrize("size", [2, 4])
def test_training_gives_what_one_process_gives(size, tmp_path):
    torchrun = [sys.executable, "-W", "ignore", "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={size}"]
    pytest_ = ["-m", "pytest", "-q", "-x", "--no-header", "--tb=short", "-p", "no:cacheprovider", str(JOB)]
    done = subprocess.run(
        [*torchrun, *pytest_], capture_output=True, text=True, timeout=150, cwd=tmp_path, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    assert done.returncode == 0, done.stdout[-12000:] + done.stderr[-3000:]
