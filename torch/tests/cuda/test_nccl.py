"""PyTorch's own backend "nccl" over anyccl's `libnccl.so.2`, with all ranks on one GPU, which NCCL refuses."""

import os

import cases
import pytest
import ranks
import torch
import torch.distributed as dist

pytestmark = pytest.mark.skipif("libnccl" not in os.environ.get("LD_PRELOAD", ""), reason="needs ANYCCL_ROOT")

MOVES = [
    "broadcast", "all_gather", "all_gather_into_tensor", "gather", "scatter", "all_to_all", "all_to_all, unequal sizes",
    "all_to_all_single", "all_to_all_single, unequal splits", "send, recv", "batch_isend_irecv",
    "functional all_to_all_single",
]  # fmt: skip
OPERATORS = ["SUM", "PRODUCT", "MIN", "MAX", "AVG", "PREMUL_SUM"]


def wrong(case, *args):
    got, expected = case(*args)
    return None if got == expected else f"{got} instead of {expected}"


@pytest.mark.parametrize("size", [2, 4])
@pytest.mark.parametrize("name", ["nccl", "cpu:anyccl,cuda:nccl"])
def test_calls_give_the_right_values(size, name, monkeypatch):
    # The backend takes the device with the number of the rank, if there are enough.
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")

    def body(rank, size):
        cases.DEVICE = "cuda:0"
        found = {}
        for move in MOVES:
            found[move] = wrong(cases.MOVES[move], torch.float32, rank, size)
        for call in ("all_reduce", "reduce", "reduce_scatter", "reduce_scatter_tensor"):
            for operator in OPERATORS:
                make, _ = cases.OPERATORS[operator]
                found[f"{call} {operator}"] = wrong(cases.REDUCTIONS[call], make(), operator, torch.float32, rank, size)
        if "cpu" in name:
            cases.DEVICE = "cpu"
            found["CPU"] = wrong(cases.MOVES["all_gather"], torch.float32, rank, size)
        backend = dist.group.WORLD._get_backend(torch.device("cuda"))
        return {call: why for call, why in found.items() if why}, backend.name()

    wrong_calls, name = ranks.same(size, body, backend=name, within=200)
    assert wrong_calls == {} and name.startswith("nccl")
