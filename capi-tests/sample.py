"""A seeded sample of what a test could run, as common/sample.h describes it: ANYCCL_TEST_SEED, ANYCCL_TEST_LONG."""

import os

SEED = int(os.environ.get("ANYCCL_TEST_SEED") or 44)
IS_LONG = os.environ.get("ANYCCL_TEST_LONG", "0") not in ("", "0")


def mixed(factor, cell):
    """Returns the hash of common/sample.c."""
    value = 0xCBF29CE484222325
    for byte in f"{SEED}/{factor}/{cell}".encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value * 0x9E3779B97F4A7C15 % 2**64 >> 32


def level(cell, factor, levels):
    """Returns the level of a factor of a cell; all three are numbers."""
    return mixed(factor, cell) % levels


def some(levels, count, cell=0):
    """Returns `count` of the levels of a factor, or all of them in the long tests."""
    order = sorted(range(len(levels)), key=lambda number: mixed(number, cell))
    return [levels[number] for number in sorted(order if IS_LONG else order[:count])]


def told():
    """Returns words that tell which sample this is."""
    return "the full product, as ANYCCL_TEST_LONG is set" if IS_LONG else f"a sample with ANYCCL_TEST_SEED={SEED}"
