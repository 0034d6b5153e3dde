"""Settings for the tests of this folder, which run.py starts."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
# The threads of torch's own thread pool do not survive the forks of ranks.py.
torch.set_num_threads(1)
