"""The results of a comparison: cells, and the ratio of each.

A cell is a collective with a number of ranks and of bytes, at one cache placement. Its ratio is the time of the fastest other
library, divided by anyccl's. Above 1, anyccl is faster than all others. Each run gives a median time, and the time of a cell is the
least of these over the runs at that placement.
"""

import json
import math
from dataclasses import dataclass

COLLECTIVES = ["all_reduce", "reduce_scatter", "all_gather", "all_to_all", "broadcast", "barrier", "ping_pong"]
PLACEMENTS = ["near", "far"]


@dataclass(frozen=True)
class Cell:
    collective: str
    ranks: int
    bytes: int
    placement: str

    def order(self):
        return COLLECTIVES.index(self.collective), self.ranks, self.bytes, PLACEMENTS.index(self.placement)


@dataclass
class Result:
    cell: Cell
    ours: float
    best: float  # microseconds, as `ours`
    best_name: str

    @property
    def ratio(self):
        return self.best / self.ours


class Results:
    """The results over one transport.

    `about` describes in words, by topic, what was measured, where and how. `times` is {Cell: {contestant: microseconds}}. `ours` is
    the contestant that the others are compared with.
    """

    def __init__(self, mode, about, ours, times):
        self.mode, self.about, self.ours, self.times = mode, about, ours, times
        # Cells that were not measured on both sides are left out.
        self.list = []
        for cell in sorted(times, key=Cell.order):
            others = {name: us for name, us in times[cell].items() if name != ours}
            if ours in times[cell] and others:
                best = min(others, key=others.get)
                self.list.append(Result(cell, times[cell][ours], others[best], best))

    def placements(self):
        return [placement for placement in PLACEMENTS if any(r.cell.placement == placement for r in self.list)]

    def ranks(self):
        return sorted({r.cell.ranks for r in self.list})

    def collectives(self):
        return [name for name in COLLECTIVES if any(r.cell.collective == name for r in self.list)]

    def of(self, collective, ranks, placement):
        """Returns the results of a collective with that number of ranks at that placement, by ascending bytes."""
        chosen = [r for r in self.list if (r.cell.collective, r.cell.ranks, r.cell.placement) == (collective, ranks, placement)]
        return sorted(chosen, key=lambda r: r.cell.bytes)

    def behind(self):
        """Returns the results in which another library is faster, the worst first."""
        return sorted((r for r in self.list if r.ratio < 1), key=lambda r: r.ratio)

    def add(self, other):
        """Returns these results joined with those of another measurement on the same machine. Of two times the lesser counts."""
        times = {cell: dict(of_cell) for cell, of_cell in self.times.items()}
        for cell, of_cell in other.times.items():
            known = times.setdefault(cell, {})
            for name, us in of_cell.items():
                known[name] = min(us, known.get(name, us))
        return Results(self.mode, self.about, self.ours, times)

    def save(self, path):
        """Writes the results as JSON, with one line per cell, so that a diff shows what has changed."""
        rows = [[*vars(cell).values(), {name: round(us, 3) for name, us in sorted(self.times[cell].items())}]
                for cell in sorted(self.times, key=Cell.order)]
        head = json.dumps({"mode": self.mode, "about": self.about, "ours": self.ours,
                           "columns": ["collective", "ranks", "bytes", "placement", "microseconds"]}, indent=2)
        lines = ",\n".join("    " + json.dumps(row) for row in rows)
        path.write_text(f'{head[:-2]},\n  "rows": [\n{lines}\n  ]\n}}\n')


def load(path):
    raw = json.loads(path.read_text())
    return Results(raw["mode"], raw["about"], raw["ours"], {Cell(*row[:4]): row[4] for row in raw["rows"]})


def geometric_mean(results):
    return math.exp(sum(math.log(r.ratio) for r in results) / len(results))


def size_text(count):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= unit:
            return f"{count // unit} {name}"
    return f"{count} B"


def summary(results):
    """Returns the last line that a comparison prints."""
    low = min(results.list, key=lambda r: r.ratio)
    where = f"{low.cell.collective}, {low.cell.ranks} ranks, {size_text(low.cell.bytes)}, {low.cell.placement}"
    return (f"geometric mean {geometric_mean(results.list):.2f}, lowest {low.ratio:.2f} ({where}), "
            f"{len(results.behind())} of {len(results.list)} cells behind")


def table(results):
    """Returns a table of all cells as text."""
    lines = [f"{'collective':15}{'ranks':>6}{'bytes':>10}{'placement':>10}{'our us':>12}{'best us':>12}{'ratio':>8}"]
    for r in results.list:
        c = r.cell
        lines.append(f"{c.collective:15}{c.ranks:6}{c.bytes:10}{c.placement:>10}{r.ours:12.2f}{r.best:12.2f}{r.ratio:8.2f}"
                     f"  {r.best_name}" + ("  <- behind" if r.ratio < 1 else ""))
    return "\n".join(lines)
