"""Settings for all tests of this folder."""

import sys
from pathlib import Path

import torch

# Has its own settings: cuda/run.py.
collect_ignore = ["cuda"]
sys.path.insert(0, str(Path(__file__).resolve().parent))
# The threads of torch's own thread pool do not survive the forks of ranks.py.
torch.set_num_threads(1)
