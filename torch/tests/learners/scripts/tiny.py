"""A small transformer, its data, and the report of a rank, for the scripts that train by a framework. None names anyccl.

torch/bench/compare_steps.py makes the model larger, and times the steps (turns.py).
"""

import json
import os

import torch
import torch.distributed as dist
import turns
from torch import nn

TOKENS, SAMPLES = 64, 4
WIDTH, LAYERS, LENGTH, STEPS = (int(os.environ.get(f"TINY_{name}", least)) for name, least in
                                (("WIDTH", 32), ("LAYERS", 2), ("LENGTH", 16), ("STEPS", 8)))
RATE = 1e-2 * (32 / WIDTH) ** 2


class Transformer(nn.Module):
    """Predicts the next token. Its output is the loss."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(TOKENS, WIDTH)
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 2 * WIDTH, dropout=0.0, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, TOKENS)

    def forward(self, tokens):
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.shape[1] - 1)
        hidden = self.layers(self.embedding(tokens[:, :-1]), mask=mask, is_causal=True)
        return nn.functional.cross_entropy(self.head(hidden).flatten(0, 1), tokens[:, 1:].flatten())


class Data(torch.utils.data.Dataset):
    """Rows of tokens that count upwards from a random one: those of all ranks."""

    def __init__(self, ranks):
        first = torch.randint(TOKENS, (STEPS * SAMPLES * ranks, 1), generator=torch.Generator().manual_seed(1))
        self.rows = (first + torch.arange(LENGTH + 1)) % TOKENS

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


def model():
    torch.manual_seed(0)
    return Transformer()


def mean(loss):
    """Returns the mean of the losses of all ranks."""
    loss = loss.detach().clone()
    dist.all_reduce(loss)
    return loss.item() / dist.get_world_size()


def report(losses, name=None, rank=None, group=None):
    """Writes the losses, and who serves the group, to a file of this rank. Without a group, it is the default one."""
    name, rank, group = (name, rank, group) if group else (dist.get_backend(), dist.get_rank(), dist.group.WORLD)
    served_by = type(group._get_backend(torch.device("cpu"))).__name__
    with open(f"{os.environ['REPORTS']}/{rank}", "w", encoding="utf-8") as file:
        json.dump({"name": name, "class": served_by, "losses": losses, "seconds": turns.seconds}, file)
