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


def pytest_configure(config):
    config.addinivalue_line("markers", "since(minor, what): torch has what the test needs since release 2.minor, so the test fails before")
    config.addinivalue_line("markers", "fault_in(minor, what): release 2.minor does it wrong, with gloo as well, so the test fails there")


def pytest_collection_modifyitems(items):
    """Expects tests to fail with a torch that lacks what they need. A test that passes there has a wrong mark, and fails."""
    minor = int(torch.__version__.split(".")[1])
    for item in items:
        for mark in item.iter_markers("since"):
            first, what = mark.args
            if minor < first:
                item.add_marker(pytest.mark.xfail(strict=True, reason=f"{what}: since torch 2.{first}"))
        for mark in item.iter_markers("fault_in"):
            faulty, what = mark.args
            if minor == faulty:
                item.add_marker(pytest.mark.xfail(strict=True, reason=f"{what}: a fault of torch 2.{faulty}, with gloo as well"))


def pytest_terminal_summary(terminalreporter):
    import sample

    terminalreporter.write_line(sample.told())
