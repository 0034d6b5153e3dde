"""Which combinations the tests run: a sample by default, all of them with ANYCCL_TEST_LONG=1.

A cell is a call with a datatype and an operator. Every cell is run with some levels of the other factors, such as the
number of ranks. ANYCCL_TEST_SEED chooses others.
"""

import os

LONG = os.environ.get("ANYCCL_TEST_LONG") == "1"
SEED = int(os.environ.get("ANYCCL_TEST_SEED", "44"))


def _fnv1a(text):
    number = 0xCBF29CE484222325
    for byte in text.encode():
        number = (number ^ byte) * 0x100000001B3 % (1 << 64)
    return number


def level(cell, factor, levels, turn=0):
    """Returns the level that a factor takes in a turn of a cell; the cell, the factor and the levels are numbers. A cell
    meets all levels in as many turns."""
    return (turn + _fnv1a(f"{SEED}/{factor}/{cell}")) % levels


def some(usual, rest):
    """Returns what is run: `usual`, and with ANYCCL_TEST_LONG=1 the rest, too."""
    return [*usual, *rest] if LONG else list(usual)
