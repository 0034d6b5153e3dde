"""Settings for the tests of this folder, which run.py starts."""

import sys
from pathlib import Path

import torch

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "python")]
# The threads of torch's own thread pool do not survive the forks of ranks.py.
torch.set_num_threads(1)
