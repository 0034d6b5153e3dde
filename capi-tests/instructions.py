"""Compares the number of instructions of each small blocking call with a budget.

A small call should cost little beside the transfer of a cache line from core to core. The number of instructions tests that. Time
does not, because it changes with the machine. `instructions.txt` holds the last accepted number for each call. A call that takes
over a tenth more fails.
"""

import re
import subprocess
from pathlib import Path

BUDGETS = Path(__file__).resolve().parent / "instructions.txt"
CALLS = 2000
TOLERANCE = 0.1


def budgets():
    """Returns {name of a call: number of instructions}."""
    lines = (line.split("#")[0].split() for line in BUDGETS.read_text().splitlines())
    return {words[0]: int(words[1]) for words in lines if words}


def measured(program, name, folder):
    """Returns the instructions of one call of the function `name`, with the functions that it calls."""
    command = ["valgrind", "--tool=callgrind", f"--toggle-collect={name}",
               f"--callgrind-out-file={folder / 'callgrind.out'}", str(program), name, str(CALLS)]
    said = subprocess.run(command, check=True, text=True, capture_output=True).stderr
    return int(re.search(r"Collected\s*:\s*(\d+)", said)[1]) / CALLS


def check(program, folder):
    """Prints each call with its budget. Returns a sentence for each failure."""
    wrong = []
    for name, budget in budgets().items():
        count = measured(program, name, folder)
        print(f"{name}: {count:.0f} instructions, budget {budget}")
        if count > budget * (1 + TOLERANCE):
            wrong.append(f"{name} takes {count:.0f} instructions, more than {budget} and a tenth")
        elif count < budget * (1 - TOLERANCE):
            print(f"note: write {count:.0f} into {BUDGETS.name}, so that it stays so")
    return wrong
