#!/usr/bin/env python3
"""Writes what compare.py has measured into docs/PERFORMANCE.md: figures there come from files, none is typed.

    report.py                            tables of docs/PERFORMANCE.md from docs/plots/results-*.json
    report.py --check                    whether they are up to date; changes nothing
    report.py --import TEXT --mode shm   makes docs/plots/results-shm.json of the text table of another harness

Between `<!-- NAME -->` and `<!-- end -->` the document has what this program writes.
"""

import argparse
import json
import re
import sys
from pathlib import Path

import results
from contestants import ROOT
from results import Cell, Result, Results, geometric_mean, size_text

DOCUMENT = ROOT / "docs" / "PERFORMANCE.md"
FOLDER = ROOT / "docs" / "plots"
MODES = ["shm", "tcp"]
# Names in the tables of the harness that collbench_anyccl.c is written for.
OTHER_NAMES = {"allreduce": "all_reduce", "allgather": "all_gather", "alltoall": "all_to_all", "pingpong": "ping_pong",
               "ompi": "openmpi", "ompi_collsm": "openmpi-coll_sm", "ompi2": "openmpi-two_links", "impi": "intelmpi",
               "impi_nopin": "intelmpi-unpinned", "ccl": "oneccl"}


def markdown(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def ratio_text(ratio):
    """Two digits; a cell that is behind is bold. 1.00 is said only of what is not below 1."""
    if ratio < 1:
        return f"**{min(ratio, 0.99):.2f}**"
    return f"{ratio:.2f}"


def ratios(found):
    """A row per collective and size, a column per number of ranks and mood."""
    columns = [(ranks, mood) for ranks in found.ranks() for mood in found.moods()]
    rows = []
    for collective in found.collectives():
        of_column = {c: {r.cell.bytes: r for r in found.of(collective, *c)} for c in columns}
        for size in sorted({size for cells in of_column.values() for size in cells}):
            cells = [of_column[c].get(size) for c in columns]
            rows.append([collective, size_text(size) if size else "", *(ratio_text(r.ratio) if r else "" for r in cells)])
    header = ["collective", "bytes", *(f"{ranks} ranks, {mood}" for ranks, mood in columns)]
    return markdown(header, rows)


def means(found):
    """Geometric means of the ratios, by ranks and mood."""
    rows = []
    for ranks in found.ranks():
        for mood in found.moods():
            chosen = [r for r in found.list if (r.cell.ranks, r.cell.mood) == (ranks, mood)]
            if chosen:
                behind = sum(r.ratio < 1 for r in chosen)
                rows.append([str(ranks), mood, f"{geometric_mean(chosen):.2f}", f"{len(chosen)}", f"{behind}"])
    rows.append(["all", "", f"{geometric_mean(found.list):.2f}", f"{len(found.list)}", f"{len(found.behind())}"])
    return markdown(["ranks", "mood", "geometric mean", "cells", "behind"], rows)


def behind(found):
    rows = [[r.cell.collective, str(r.cell.ranks), size_text(r.cell.bytes), r.cell.mood, f"{r.ours:.2f}",
             f"{r.best:.2f}", r.best_name, ratio_text(r.ratio)] for r in found.behind()]
    return markdown(["collective", "ranks", "bytes", "mood", "ours, us", "best, us", "best", "ratio"], rows)


def times(found):
    """Times of two ranks: ours and the best other library's."""
    two = found.ranks()[0]
    columns = [(name, mood) for name in found.collectives() if name != "barrier" for mood in found.moods()]
    sizes = sorted({r.cell.bytes for r in found.list if r.cell.bytes})
    rows = []
    for size in sizes:
        cells = [next((r for r in found.of(name, two, mood) if r.cell.bytes == size), None) for name, mood in columns]
        rows.append([size_text(size), *(f"{r.ours:.3g} / {r.best:.3g}" if r else "" for r in cells)])
    return markdown(["bytes", *(f"{name}, {mood}" for name, mood in columns)], rows)


def lent(found):
    """What memory of the library's own brings: private buffers over such memory, in the same program."""
    columns = [(name, mood) for name in found.collectives() for mood in found.moods()]
    rows = []
    for size in sorted({r.cell.bytes for r in found.list}):
        cells = [next((r for r in found.of(name, found.ranks()[0], mood) if r.cell.bytes == size), None)
                 for name, mood in columns]
        rows.append([size_text(size), *(f"{r.best:.3g} / {r.ours:.3g}" if r else "" for r in cells)])
    return markdown(["bytes", *(f"{name}, {mood}" for name, mood in columns)], rows)


def startup(path):
    measured = json.loads(path.read_text())
    rows = [[str(row["ranks"]), f"{row['init_ms']:.1f}", f"{row['world_ms']:.1f}",
             *(f"{row[name] - row['pss_before_mib']:.1f}" for name in ("pss_world_mib", "pss_used_mib"))]
            for row in measured["rows"]]
    return markdown(["ranks", "in anyccl_init, ms", "from the launcher's start, ms", "MiB per rank in a new world",
                     "after many collectives"], rows)


def sections():
    """{name: text}, of the result files that are there."""
    made = {}
    for mode in MODES:
        path = FOLDER / f"results-{mode}.json"
        if path.exists():
            found = results.load(path)
            made |= {f"{mode}-summary": results.summary(found) + ".", f"{mode}-means": means(found),
                     f"{mode}-ratios": ratios(found), f"{mode}-behind": behind(found), f"{mode}-times": times(found)}
    path = FOLDER / "results-mem_alloc.json"
    if path.exists():
        made["mem_alloc"] = lent(results.load(path))
    path = FOLDER / "results-startup.json"
    if path.exists():
        made["startup"] = startup(path)
    return made


def written(document, made):
    """The document with every section that is marked in it."""
    def replace(match):
        name = match[1]
        if name not in made:
            sys.exit(f"{DOCUMENT.name} asks for {name}, which no file in {FOLDER.relative_to(ROOT)} gives")
        return f"<!-- {name} -->\n\n{made[name]}\n\n<!-- end -->"
    return re.sub(r"<!-- ([\w-]+) -->\n.*?<!-- end -->", replace, document, flags=re.DOTALL)


def unrounded(ours, best, ratio):
    """Two times that were printed with two digits behind the point, so that they give the ratio that was printed too."""
    best = min(max(ours * ratio, best - 0.005), best + 0.005)
    ours = min(max(best / ratio, ours - 0.005), ours + 0.005)
    return ours, best


def import_text(path, mode, about):
    """Lines `collective ranks bytes mood ours best ratio vs name`; all else is passed over."""
    rows = []
    for line in path.read_text().splitlines():
        words = line.split()
        if len(words) >= 9 and words[3] in results.MOODS and words[7] == "vs":
            collective = OTHER_NAMES.get(words[0], words[0])
            name = words[8].replace(f"_{mode}", "", 1)
            cell = Cell(collective, int(words[1]), int(words[2]), words[3])
            rows.append(Result(cell, *unrounded(*map(float, words[4:7])), OTHER_NAMES.get(name, name)))
    return Results(mode, about, sorted(rows, key=lambda r: r.cell.order()))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--import", dest="source", type=Path)
    parser.add_argument("--mode", choices=MODES)
    parser.add_argument("--about", nargs="*", default=[], metavar="TOPIC=WORDS", help="kept with the imported results")
    return parser.parse_args()


def main():
    args = arguments()
    FOLDER.mkdir(exist_ok=True)
    if args.source:
        about = dict(item.split("=", 1) for item in args.about)
        import_text(args.source, args.mode, about).save(FOLDER / f"results-{args.mode}.json")
    document = DOCUMENT.read_text()
    new = written(document, sections())
    if args.check and new != document:
        sys.exit(f"{DOCUMENT.relative_to(ROOT)} does not show what docs/plots has: benches/peers/report.py")
    if new != document:
        DOCUMENT.write_text(new)


if __name__ == "__main__":
    main()
