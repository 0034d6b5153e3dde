"""Settings for all tests of this folder."""

import sys
from pathlib import Path

import pytest
import torch

HERE = Path(__file__).resolve().parent
# Both have runners of their own: cuda/run.py and python/run.py.
collect_ignore = ["cuda", "python"]
sys.path[:0] = [str(HERE), str(HERE / "python")]
# sample.py is there, beside files whose names are also in this folder.
sys.path.append(str(HERE.parents[1] / "capi-tests"))
# The threads of torch's own thread pool do not survive the forks of ranks.py.
torch.set_num_threads(1)
# test_training.py imports its job before pytest does.
pytest.register_assert_rewrite("train_job")


def pytest_terminal_summary(terminalreporter):
    import sample

    terminalreporter.write_line(sample.told())
