#!/usr/bin/env python3
"""Draws comparisons from the files that compare.py has written, as SVG files beside them, small enough to be committed.

    plots.py results-shm.json       writes ratios-shm.svg and times-shm.svg
    plots.py --startup BEFORE NOW   writes startup.svg beside NOW, from two files of startup.py

Needs matplotlib, which `make bench-peers` installs into target/.
"""

import json
import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402  (after the choice of the backend)
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator  # noqa: E402

from results import load, size_text  # noqa: E402

# Text is written as text, not as outlines. The fixed salt makes the same results give the same file.
matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "anyccl", "font.family": "sans-serif", "font.size": 8}

COLOURS = ["#0b6fa4", "#d1671c", "#3c8d40", "#7a4fa3"]
STYLES = {"near": "-", "far": "--"}


def draw(results, folder):
    for name, picture in (("ratios", ratios(results)), ("times", times(results))):
        save(picture, folder / f"{name}-{results.mode}.svg")


def save(figure, path):
    figure.savefig(path, metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    plt.close(figure)
    # Makes the file smaller: two digits after the point are enough, and no indentation is needed.
    text = re.sub(r"(\d+\.\d{2})\d+", r"\1", path.read_text())
    path.write_text(re.sub(r"\n\s+", "\n", text))


def panels(results, y_label):
    """Returns a figure, and a list of (collective, panel) with a panel for each collective that has sizes."""
    names = [name for name in results.collectives() if name != "barrier"]
    columns = 3
    rows = -(-len(names) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(9, 2.3 * rows), sharex=True, squeeze=False, layout="constrained")
    for place in axes.flat[len(names):]:
        place.set_visible(False)
    sizes = sorted({r.cell.bytes for r in results.list if r.cell.bytes})
    for name, place in zip(names, axes.flat):
        place.set_title(name, fontsize=9)
        place.set_xscale("log", base=2)
        place.xaxis.set_major_locator(FixedLocator(sizes))
        place.xaxis.set_minor_locator(NullLocator())
        place.xaxis.set_major_formatter(FuncFormatter(lambda size, _: size_text(int(size))))
        place.tick_params(axis="x", labelrotation=35)
        place.grid(linewidth=0.3)
    for row in axes:
        row[0].set_ylabel(y_label)
    return figure, list(zip(names, axes.flat))


def set_log_y(place, base):
    place.set_yscale("log", base=base)
    place.yaxis.set_minor_locator(NullLocator())


def legend(figure, place):
    handles, labels = place.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)


def ratios(results):
    """Draws the ratios. Above the line at 1, anyccl is faster than the best other library."""
    figure, places = panels(results, "best other / anyccl")
    least, most = (bound(r.ratio for r in results.list) for bound in (min, max))
    least, most = min(least, 0.8) / 1.1, max(most, 2) * 1.1
    for name, place in places:
        place.axhline(1, color="black", linewidth=1)
        set_log_y(place, 2)
        place.yaxis.set_major_formatter(FuncFormatter(lambda ratio, _: f"{ratio:g}"))
        for colour, ranks in zip(COLOURS, results.ranks()):
            for placement in results.placements():
                line = [r for r in results.of(name, ranks, placement) if r.cell.bytes]
                place.plot([r.cell.bytes for r in line], [r.ratio for r in line], STYLES[placement], color=colour, marker=".",
                           linewidth=1, label=f"{ranks} ranks, {placement}")
        place.set_ylim(least, most)
    legend(figure, places[0][1])
    return figure


def times(results):
    """Draws the times of anyccl and of the best other library, with the smallest number of ranks."""
    few = results.ranks()[0]
    figure, places = panels(results, "microseconds")
    for name, place in places:
        set_log_y(place, 10)
        for placement in results.placements():
            line = [r for r in results.of(name, few, placement) if r.cell.bytes]
            for colour, who, of in ((COLOURS[0], "anyccl", "ours"), (COLOURS[1], "best other", "best")):
                place.plot([r.cell.bytes for r in line], [getattr(r, of) for r in line], STYLES[placement], color=colour,
                           marker=".", linewidth=1, label=f"{who}, {placement}")
    legend(figure, places[0][1])
    return figure


def startup(before, now):
    """Draws how long a job takes to start, and the memory of a rank, over the number of ranks, before and now."""
    files = {name: json.loads(path.read_text())["rows"] for name, path in (("before", before), ("now", now))}
    figure, (time, memory) = plt.subplots(1, 2, figsize=(9, 3), layout="constrained")
    ranks = [row["ranks"] for row in files["now"]]
    for colour, (when, rows) in zip(reversed(COLOURS[:2]), files.items()):
        line = {"color": colour, "marker": ".", "linewidth": 1}
        time.plot(ranks, [row["init_ms"] for row in rows], label=f"slowest anyccl_init, {when}", **line)
        memory.plot(ranks, [row["pss_used_mib"] for row in rows], label=f"after collectives, {when}", **line)
        memory.plot(ranks, [row["pss_world_mib"] for row in rows], linestyle="--", label=f"in a new world, {when}", **line)
    time.plot(ranks, ranks, color="black", linewidth=0.5, label="1 ms for each rank")
    set_log_y(time, 10)
    for place, label in ((time, "milliseconds"), (memory, "MiB of the rank that needs most")):
        place.set_xscale("log", base=2)
        place.xaxis.set_major_locator(FixedLocator(ranks))
        place.xaxis.set_major_formatter(FuncFormatter(lambda count, _: f"{count:g}"))
        place.set_xlabel("ranks")
        place.set_ylabel(label)
        place.set_ylim(bottom=None if place is time else 0)
        place.grid(linewidth=0.3)
        place.legend(frameon=False)
    return figure


def main():
    if sys.argv[1] == "--startup":
        before, now = map(Path, sys.argv[2:])
        return save(startup(before, now), now.parent / "startup.svg")
    for path in map(Path, sys.argv[1:]):
        draw(load(path), path.parent)


if __name__ == "__main__":
    main()
