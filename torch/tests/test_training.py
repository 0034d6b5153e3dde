"""Runs the training jobs of train_job.py on forked ranks, which import torch once. The example torch-ddp trains under
torchrun."""

import contextlib
from pathlib import Path

import pytest
import ranks

# Imported here, for all ranks.
import train_job


@pytest.mark.parametrize("size", [2, 4])
def test_training_gives_what_one_process_gives(size, tmp_path):
    def body(rank, size):
        options = ["-q", "-x", "-s", "--no-header", "--tb=short", "-p", "no:cacheprovider", f"--basetemp={tmp_path}/{rank}"]
        with open(tmp_path / f"output.{rank}", "w") as output, contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            return int(pytest.main([*options, train_job.__file__]))

    statuses = ranks.run(size, body, within=300)
    said = [Path(tmp_path, f"output.{rank}").read_text()[-6000:] for rank in range(size)]
    assert statuses == [0] * size, "\n".join([str(statuses), *said])
    assert all(" passed" in one for one in said), said
