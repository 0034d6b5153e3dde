"""The table of docs/torch-support.md: each call with each datatype and operator, for gloo and for anyccl.

    python torch/tests/test_support_table.py     writes it
    pytest torch/tests/test_support_table.py     fails if it is not what the backends do

"yes" means that the values were compared on all ranks. For a refused case, a note has the message.
"""

import re
from pathlib import Path

import cases
import pytest
import ranks
import torch
import torch.distributed as dist

PAGE = Path(__file__).resolve().parents[2] / "docs" / "torch-support.md"
BACKENDS = ["gloo", "anyccl"]
SIZE = 2
WRONG = "WRONG"

GENERAL = [
    (r"^\[.*?\] ", ""),
    (r"^anyccl, [^:]*: ", "anyccl: "),
    (r"INTERNAL ASSERT FAILED at .*", "INTERNAL ASSERT FAILED in torch"),
    (r"invalid op: \w+ on", "invalid op: ... on"),
    (r"on b?float\w+", "on floats"),
    (r"on complex\d+", "on complex numbers"),
    (r"is not connected .*", "is not connected"),
    (r"RedOpType\.\w+", "RedOpType..."),
    (r"ReduceOp\.(BAND|BOR|BXOR)", "ReduceOp..."),
    (r"output type \w+", "output type ..."),
    (r"expected \(.*?\), got \(.*?\)\)", "expected ..., got ...)"),
    (r"^[a-z_]+ does not", "... does not"),
    (r"op .. on complex", "op ... on complex"),
]

HEAD = """# What each backend of torch does on the CPU

This page tells which call works with which datatype and operator, by gloo and by anyccl. It is made by
`python torch/tests/test_support_table.py` and compared by `make test-torch`; torch {version}, {size} ranks. A cell has gloo's
answer, then anyccl's. **yes** says that the values were compared on all ranks. A number is a note below the tables,
with the message of the refusal. Notes of torch itself are the same for any backend.
"""


def outcome(case, *args):
    """Runs a case. Returns "yes", what is wrong, or why the case was refused."""
    try:
        got, expected = case(*args)
    except Exception as error:
        # If the backend refuses a call of a coalescing manager, torch goes on collecting calls for ever.
        dist.distributed_c10d._world.pg_coalesce_state.clear()
        return re.sub(r"\s+", " ", str(error).split("\nException raised from")[0]).strip()
    return "yes" if got == expected else f"{WRONG}: {got} instead of {expected}"


def body(rank, size, here):
    """Returns the outcome of each case on this rank."""
    results = {}
    for dtype_name, dtype in cases.DTYPES.items():
        for name, case in cases.MOVES.items():
            results["move", name, dtype_name] = outcome(case, dtype, rank, size)
        for operator, (make, _) in cases.OPERATORS.items():
            for name, case in cases.REDUCTIONS.items():
                results[operator, name, dtype_name] = outcome(case, make(), operator, dtype, rank, size)
        # Ranks that refuse different cases would get out of step, so they wait for each other here. Not by
        # gloo's barrier: it waits for earlier calls, and fails if a refused call is still among them.
        for other in range(size):
            here[other].give()
        here[rank].wait(size)
    return results


def measure():
    """Returns {backend: {(operator or "move", call, dtype): answer}}. The ranks of a backend must agree."""
    answers = {}
    for backend in BACKENDS:
        here = [ranks.Sign() for _ in range(SIZE)]
        per_rank = ranks.values(SIZE, body, here, backend=backend, within=120)
        answers[backend] = {}
        for key, answer in per_rank[0].items():
            others = {general(result[key]) for result in per_rank}
            bad = [other for other in others if other.startswith(WRONG)]
            answers[backend][key] = (bad or sorted(others, key=lambda other: (other == "yes", other)))[0]
    return answers


def general(message):
    """Removes from a message what differs from case to case: names of calls, operators and types, odd bytes."""
    for pattern, instead in GENERAL:
        message = re.sub(pattern, instead, message)
    return "".join(c if c.isprintable() else "?" for c in message)


class Notes:
    """The distinct messages, by number."""

    def __init__(self):
        self.numbers = {}

    def cell(self, answer):
        return "yes" if answer == "yes" else f"({self.numbers.setdefault(answer, len(self.numbers) + 1)})"

    def lines(self):
        return [f"{number}. {message}" for message, number in self.numbers.items()]


def row(label, cells):
    return "| " + " | ".join([label, *cells]) + " |"


def page(answers):
    notes = Notes()
    dtypes = list(cases.DTYPES)
    both = lambda *key: " · ".join(notes.cell(answers[backend][key]) for backend in BACKENDS)
    lines = [HEAD.format(version=re.sub(r"\+.*", "", torch.__version__), size=SIZE), "## Calls that move", ""]
    lines += [row("call", dtypes), row("---", ["---"] * len(dtypes))]
    lines += [row(name, [both("move", name, dtype) for dtype in dtypes]) for name in cases.MOVES]
    tables = {}
    for name in cases.REDUCTIONS:
        table = [row(operator, [both(operator, name, dtype) for dtype in dtypes]) for operator in cases.OPERATORS]
        tables.setdefault("\n".join(table), []).append(name)
    for table, names in tables.items():
        lines += ["", f"## {', '.join(names)}", "", row("operator", dtypes), row("---", ["---"] * len(dtypes)), table]
    return "\n".join([*lines, "", "## Notes", "", *notes.lines(), ""])


@pytest.fixture(scope="module")
def answers():
    return measure()


def test_no_value_of_anyccl_is_wrong(answers):
    wrong = {key: answer for key, answer in answers["anyccl"].items() if answer.startswith(WRONG)}
    assert not wrong


def test_anyccl_does_all_that_gloo_does(answers):
    missing = [key for key, answer in answers["gloo"].items() if answer == "yes" and answers["anyccl"][key] != "yes"]
    assert not missing


def test_the_page_says_what_the_backends_do(answers):
    assert PAGE.read_text() == page(answers), f"run {Path(__file__).name} to write {PAGE.name} anew"


if __name__ == "__main__":
    PAGE.write_text(page(measure()))
    print(f"wrote {PAGE}")
