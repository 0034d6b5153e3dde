#!/usr/bin/env python3
"""Writes the tables of measurements in README.md, docs/performance.md and docs/lab from files, so that nobody types a figure.

    report.py                            writes the tables from docs/lab/results.tar.xz
    report.py --check                    fails if the tables are not up to date; changes nothing
    report.py --import TEXT --mode shm   makes results-shm.json there from the text table of another harness
    report.py --unpack FOLDER            writes the files there to a folder
    report.py --pack FOLDER              takes them from a folder

This program writes the part of a page between `<!-- NAME -->` and `<!-- end -->`.
"""

import argparse
import io
import json
import re
import sys
import tarfile
import tempfile
from pathlib import Path

import results
from contestants import OUR_MPI, OURS, ROOT
from results import Cell, Results, geometric_mean, size_text

DOCUMENTS = [ROOT / "README.md", ROOT / "docs" / "performance.md", *sorted((ROOT / "docs" / "lab").glob("*.md"))]
# What was measured: a file for each page and mode.
ARCHIVE = ROOT / "docs" / "lab" / "results.tar.xz"
MODES = ["shm", "tcp"]
OTHER_MACHINES = ["shm-intel", "tcp-intel", "shm-16-cores"]
# The file that compares anyccl's MPI functions with other MPIs.
MPI = "shm-mpi"
# Names in the tables of the harness that collbench_anyccl.c is written for, and the names here.
OTHER_NAMES = {"allreduce": "all_reduce", "allgather": "all_gather", "alltoall": "all_to_all", "pingpong": "ping_pong",
               "ompi": "openmpi", "ompi_collsm": "openmpi-coll_sm", "ompi2": "openmpi-two_links", "impi": "intelmpi",
               "impi_nopin": "intelmpi-unpinned", "ccl": "oneccl"}
# The rows of a table of ratios by size: collective, title, and the least and the most bytes.
KIB, MIB = 1 << 10, 1 << 20
REGIONS = [("all", "up to 1 KiB", 0, KIB), ("all", "8 KiB", 8 * KIB, 8 * KIB), ("all", "64 and 512 KiB", 64 * KIB, 512 * KIB),
           ("reduce_scatter", "64 and 512 KiB", 64 * KIB, 512 * KIB), ("all", "4 and 32 MiB", 4 * MIB, 32 * MIB),
           ("all", "32 MiB", 32 * MIB, 32 * MIB), ("reduce_scatter", "4 and 32 MiB", 4 * MIB, 32 * MIB)]


def markdown(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def ratio_text(ratio):
    """Returns a ratio with two digits, in bold if it is below 1. A ratio below 1 is never rounded to 1.00."""
    if ratio < 1:
        return f"**{min(ratio, 0.99):.2f}**"
    return f"{ratio:.2f}"


def ratios(found):
    """Returns a table of ratios with a row per collective and size, and a column per number of ranks and placement."""
    columns = [(ranks, placement) for ranks in found.ranks() for placement in found.placements()
               if any((r.cell.ranks, r.cell.placement) == (ranks, placement) for r in found.list)]
    rows = []
    for collective in found.collectives():
        of_column = {c: {r.cell.bytes: r for r in found.of(collective, *c)} for c in columns}
        for size in sorted({size for cells in of_column.values() for size in cells}):
            cells = [of_column[c].get(size) for c in columns]
            rows.append([collective, size_text(size) if size else "", *(ratio_text(r.ratio) if r else "" for r in cells)])
    header = ["collective", "bytes", *(f"{ranks} ranks, {placement}" for ranks, placement in columns)]
    return markdown(header, rows)


def compact(found):
    """Returns a table of ratios with a row per collective and a column per size. A cell has the ratios of all numbers of ranks and
    placements, in the order of the line above the table."""
    columns = [(ranks, placement) for ranks in found.ranks() for placement in found.placements()
               if any((r.cell.ranks, r.cell.placement) == (ranks, placement) for r in found.list)]
    sizes = sorted({r.cell.bytes for r in found.list if r.cell.bytes and r.cell.ranks == found.ranks()[-1]})
    rows = []
    for collective in found.collectives():
        by_size = [{r.cell.bytes: ratio_text(r.ratio) for r in found.of(collective, *column)} for column in columns]
        # A barrier has no size. Its ratio stands in the first column.
        shown = [0] + sizes[1:] if all(set(cells) <= {0} for cells in by_size) else sizes
        cells = [" / ".join(cells[size] for cells in by_size if size in cells) for size in shown]
        rows.append([collective, *cells])
    names = ", ".join(f"{ranks} ranks {placement}" for ranks, placement in columns)
    return f"Ratios of {names}, in this order:\n\n" + markdown(["collective", *map(size_text, sizes)], rows)


def about(found):
    """Returns a line about a measurement: where, how, against which contestants, and the result."""
    a = found.about
    version = f"commit {a['commit']}, {a['date']}; " if "commit" in a else ""
    return (f"{a['processor']}; Linux {a['kernel']}; {version}{a['rounds']} rounds; against {a['contestants']}. "
            f"Result: {results.summary(found)}.")


def means(found):
    """Returns a table of geometric means of the ratios, by number of ranks and placement."""
    rows = []
    for ranks in found.ranks():
        for placement in found.placements():
            chosen = [r for r in found.list if (r.cell.ranks, r.cell.placement) == (ranks, placement)]
            if chosen:
                behind = sum(r.ratio < 1 for r in chosen)
                rows.append([str(ranks), placement, f"{geometric_mean(chosen):.2f}", f"{len(chosen)}", f"{behind}"])
    rows.append(["all", "", f"{geometric_mean(found.list):.2f}", f"{len(found.list)}", f"{len(found.behind())}"])
    return markdown(["ranks", "placement", "geometric mean", "cells", "behind"], rows)


def overview(folder, files):
    """Returns a table with a row per file of the folder: machine, transport, functions, and result."""
    rows = []
    for name in files:
        found = results.load(folder / f"results-{name}.json")
        rows.append([found.about["processor"].split(", a ")[0], "shared memory" if found.mode == "shm" else "TCP",
                     "MPI's" if found.ours == OUR_MPI else "native", ", ".join(str(ranks) for ranks in found.ranks()),
                     f"{geometric_mean(found.list):.2f}", f"{len(found.list)}", f"{len(found.behind())}"])
    return markdown(["machine", "transport", "functions", "ranks", "geometric mean", "cells", "behind"], rows)


def regions(private, lent):
    """Returns a table of geometric means of the ratios of two ranks, by size. It has columns for private buffers and for buffers of
    anyccl_mem_alloc, in each placement that was measured."""
    placements = [placement for placement in results.PLACEMENTS if any(r.cell.placement == placement for r in private)]

    def mean(found, collective, least, most, placement):
        chosen = [r for r in found if r.cell.ranks == 2 and r.cell.placement == placement and least <= r.cell.bytes <= most
                  and collective in ("all", r.cell.collective)]
        return f"{geometric_mean(chosen):.2f}" if chosen else ""
    rows = [[collective, words, *(mean(found, collective, least, most, placement) for found in (private, lent) for placement in placements)]
            for collective, words, least, most in REGIONS]
    return markdown(["collectives", "bytes", *placements, *(f"mem_alloc, {placement}" for placement in placements)], rows)


def behind(found):
    rows = [[r.cell.collective, str(r.cell.ranks), size_text(r.cell.bytes), r.cell.placement, us_text(r.ours),
             us_text(r.best), r.best_name, ratio_text(r.ratio)] for r in found.behind()]
    return markdown(["collective", "ranks", "bytes", "placement", "ours, us", "best, us", "best", "ratio"], rows)


def us_text(us):
    """Returns a time with three digits, or more if they stand before the point."""
    return f"{us:.2f}" if us < 10 else f"{us:.1f}" if us < 100 else f"{us:.0f}"


def times(found, text):
    """Returns a table for the smallest number of ranks: a row per collective and size, and a column per placement with the `text` of
    each result."""
    few, placements = found.ranks()[0], found.placements()
    rows = []
    for name in found.collectives():
        by_placement = {placement: {r.cell.bytes: r for r in found.of(name, few, placement)} for placement in placements}
        for size in sorted({size for cells in by_placement.values() for size in cells}):
            cells = [by_placement[placement].get(size) for placement in placements]
            rows.append([name, size_text(size) if size else "", *(text(r) if r else "" for r in cells)])
    return markdown(["collective", "bytes", *placements], rows)


def ours_and_best(r):
    return f"{us_text(r.ours)} / {us_text(r.best)} {r.best_name}"


def few_times(found):
    """Returns a table of times between two ranks, anyccl's and the best other: a row per size, and a column per placement of three
    collectives."""
    chosen = [(name, placement) for name in ("all_reduce", "all_to_all", "ping_pong") for placement in found.placements()]
    by_size = {column: {r.cell.bytes: r for r in found.of(column[0], 2, column[1])} for column in chosen}
    sizes = [size for size in sorted(by_size[chosen[0]]) if size <= 4 * MIB]
    rows = [[size_text(size), *(f"{us_text(by_size[c][size].ours)} / {us_text(by_size[c][size].best)}" for c in chosen)] for size in sizes]
    return markdown(["bytes", *(f"{name}, {placement}" for name, placement in chosen)], rows)


def private_and_lent(r):
    """Returns the text of a result in which `ours` is another form of anyccl (with anyccl_mem_alloc, or by MPI's functions) and the
    other is anyccl."""
    return f"{us_text(r.best)} / {us_text(r.ours)} = {r.ratio:.2f}"


def messages(path):
    """Returns a table from the lines that messages.py prints:
    `WHAT: anyccl-mpi TIME us; NAME TIME, ...; best other over ours: RATIO`."""
    rows = []
    for line in path.read_text().splitlines():
        what, ours, others, ratio = re.match(r"(.+): anyccl-mpi ([\d.]+) us; (.+); best other over ours: ([\d.]+)$", line).groups()
        best = min((pair.split() for pair in others.split(", ")), key=lambda pair: float(pair[1]))
        rows.append([what, us_text(float(ours)), f"{us_text(float(best[1]))} {best[0]}", ratio_text(float(ratio))])
    return markdown(["message", "ours, us", "best other, us", "ratio"], rows)


def startup(before, now):
    """Returns a table from two files of startup.py. A cell has the value before and that of now."""
    before, now = (json.loads(path.read_text())["rows"] for path in (before, now))
    names = ["init_ms", "world_ms", "pss_world_mib", "pss_used_mib"]
    rows = [[str(new["ranks"]), *(f"{old[name]:.1f} / {new[name]:.1f}" for name in names)] for old, new in zip(before, now)]
    assert [row["ranks"] for row in before] == [row["ranks"] for row in now], "the same jobs"
    return markdown(["ranks", "init, ms", "world, ms", "in the world, MiB", "in use, MiB"], rows)


def idle(path):
    """Returns a table from the lines that tests/jobs/idle.rs prints: `WHAT over TRANSPORT: PERCENT % of a core`."""
    lines = [re.match(r"(.+) over (\w+): ([\d.]+) %", line).groups() for line in path.read_text().splitlines()]
    whats = sorted({what for what, _, _ in lines})
    share = {(what, mode): percent for what, mode, percent in lines}
    rows = [[what, *(f"{share[what, mode]} %" for mode in MODES)] for what in whats]
    return markdown(["waiting in", *MODES], rows)


def instructions(path):
    """Returns a table from the lines `FUNCTION COUNT` of capi-tests/instructions.txt."""
    lines = (line.split("#")[0].split() for line in path.read_text().splitlines())
    return markdown(["call", "instructions"], [[f"`{words[0]}`", words[1]] for words in lines if words])


def sections(folder):
    """Returns {name: text} for all sections, from the files of a folder."""
    made = {}
    for mode in MODES:
        found = results.load(folder / f"results-{mode}.json")
        made |= {f"{mode}-about": about(found), f"{mode}-means": means(found), f"{mode}-ratios": ratios(found),
                 f"{mode}-behind": behind(found), f"{mode}-times": times(found, ours_and_best)}
    for name in OTHER_MACHINES:
        found = results.load(folder / f"results-{name}.json")
        made |= {f"{name}-about": about(found), f"{name}-means": means(found), f"{name}-ratios": ratios(found),
                 f"{name}-behind": behind(found), f"{name}-compact": compact(found)}
    between, lent = (results.load(folder / f"results-{name}.json").list for name in ("shm-between", "shm-mem_alloc"))
    made["shm-regions"] = regions(results.load(folder / "results-shm.json").list + between, lent)
    made["shm-intel-regions"] = regions(*(results.load(folder / f"results-{name}.json").list for name in ("shm-intel", "shm-intel-mem_alloc")))
    mpi = results.load(folder / f"results-{MPI}.json")
    made |= {f"{MPI}-about": about(mpi), f"{MPI}-means": means(mpi), f"{MPI}-ratios": ratios(mpi), f"{MPI}-compact": compact(mpi),
             f"{MPI}-behind": behind(mpi), f"{MPI}-times": times(mpi, ours_and_best), f"{MPI}-few": few_times(mpi)}
    native = results.load(folder / "results-mpi-native.json")
    made |= {"mpi-native-about": about(native), "mpi-native-times": times(native, private_and_lent)}
    made["messages"] = messages(folder / "results-messages.txt")
    made["overview"] = overview(folder, [MPI, *MODES, *OTHER_MACHINES])
    check = results.load(folder / "results-check.json")
    made |= {"check-about": about(check), "check-behind": behind(check)}
    made["mem_alloc"] = times(results.load(folder / "results-mem_alloc.json"), private_and_lent)
    made["startup"] = startup(*(folder / f"results-startup{when}.json" for when in ("-before", "")))
    made["idle"] = idle(folder / "results-idle.txt")
    made["instructions"] = instructions(ROOT / "capi-tests" / "instructions.txt")
    return made


def written(document, made, page):
    """Returns the page with the new text of every marked section."""
    def replace(match):
        name = match[1]
        if name not in made:
            sys.exit(f"{page} asks for {name}, which no file in {ARCHIVE.relative_to(ROOT)} gives")
        return f"<!-- {name} -->\n\n{made[name]}\n\n<!-- end -->"
    return re.sub(r"<!-- ([\w-]+) -->\n.*?<!-- end -->", replace, document, flags=re.DOTALL)


def unrounded(ours, best, ratio):
    """Returns two times that were printed with two digits after the point, corrected within their rounding. Their ratio is nearer to
    the printed one."""
    best = min(max(ours * ratio, best - 0.005), best + 0.005)
    ours = min(max(best / ratio, ours - 0.005), ours + 0.005)
    return ours, best


def import_text(path, mode, about):
    """Returns the results from the lines `collective ranks bytes placement ours best ratio vs name`. Skips other lines."""
    times = {}
    for line in path.read_text().splitlines():
        words = line.split()
        if len(words) >= 9 and words[3] in results.PLACEMENTS and words[7] == "vs":
            collective = OTHER_NAMES.get(words[0], words[0])
            name = words[8].replace(f"_{mode}", "", 1)
            cell = Cell(collective, int(words[1]), int(words[2]), words[3])
            ours, best = unrounded(*map(float, words[4:7]))
            times[cell] = {OURS: ours, OTHER_NAMES.get(name, name): best}
    return Results(mode, about, OURS, times)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--import", dest="source", type=Path)
    parser.add_argument("--mode", choices=MODES)
    parser.add_argument("--name", help="of the file of imported results; default: the mode")
    parser.add_argument("--unpack", type=Path, metavar="FOLDER")
    parser.add_argument("--pack", type=Path, metavar="FOLDER")
    parser.add_argument("--about", nargs="*", default=[], metavar="TOPIC=WORDS", help="kept with the imported results")
    return parser.parse_args()


def unpack(folder):
    """Writes the files of the archive to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            (folder / Path(member.name).name).write_bytes(archive.extractfile(member).read())


def pack(folder):
    """Makes the archive from the files of a folder. The same files give the same bytes."""
    with tarfile.open(ARCHIVE, "w:xz", preset=9) as archive:
        for path in sorted(folder.glob("results-*")):
            member, data = tarfile.TarInfo(path.name), path.read_bytes()
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


def write_pages(folder, only_checks):
    """Writes the tables of all pages, or compares them."""
    made = sections(folder)
    for document in DOCUMENTS:
        page = document.relative_to(ROOT)
        text = document.read_text()
        new = written(text, made, page)
        if only_checks and new != text:
            sys.exit(f"{page} does not show what {ARCHIVE.relative_to(ROOT)} has: benches/peers/report.py")
        if new != text:
            document.write_text(new)


def main():
    args = arguments()
    if args.unpack:
        return unpack(args.unpack)
    if args.pack:
        pack(args.pack)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        unpack(folder)
        if args.source:
            about = dict(item.split("=", 1) for item in args.about)
            import_text(args.source, args.mode, about).save(folder / f"results-{args.name or args.mode}.json")
            pack(folder)
        write_pages(folder, args.check)


if __name__ == "__main__":
    main()
