"""A map: the configuration with the least cost in each cell of a grid of two parameters, and its margin; hatched where undecided."""
import os

import numpy as np

from . import page, records, sketch, style
from .shadow import SHOWN


def read(directory, name):
    return records.read_csv(os.path.join(directory, name))


def words(column):
    """As written: numbers are read as such."""
    return column if isinstance(column, list) else ["%g" % v for v in column]


class Map:
    def __init__(self, directory):
        self.cells = read(directory, "map_cells.csv")
        self.rows = read(directory, "map.csv")
        for rows in (self.cells, self.rows):
            rows["x"], rows["y"] = words(rows["x"]), words(rows["y"])
        self.x, self.y = (list(dict.fromkeys(self.cells[c])) for c in ("x", "y"))
        self.names = list(dict.fromkeys(name for name, verdict in zip(self.rows["configuration"], self.rows["verdict"]) if verdict != "control"))
        self.colour = {name: style.COLOURS[i % len(style.COLOURS)] for i, name in enumerate(self.names)}
        winner, second = (c if isinstance(c, list) else [""] * len(self.cells["x"]) for c in (self.cells["winner"], self.cells["second"]))
        self.winner, self.second = winner, second

    def wins(self):
        """name -> the cells in which it has the least cost; the name with the most cells first."""
        won = {n: [i for i, (w, d) in enumerate(zip(self.winner, self.cells["decided"])) if w == n and d > 0] for n in self.names}
        return dict(sorted(won.items(), key=lambda item: -len(item[1])))

    def headline(self):
        won = self.wins()
        said = ["%s in %d" % (name, len(cells)) for name, cells in won.items() if cells]
        undecided = len(self.winner) - sum(map(len, won.values()))
        return "Least cost in %d cells: %s%s" % (len(self.winner), ", ".join(said) or "none decided", "; undecided: %d" % undecided if undecided else "")

    def sentences(self):
        said = []
        for name, cells in self.wins().items():
            margins = [self.cells["margin"][i] for i in cells if np.isfinite(self.cells["margin"][i])]
            by = "; there the second-best configuration costs %s times as much" % " to ".join(dict.fromkeys("%.2g" % f(margins) for f in (min, max))) if margins else ""
            said.append("%s has the least cost in %d of %d cells%s." % (name, len(cells), len(self.winner), by))
        return said


def diagram(study, x_label, y_label, folder):
    figure, axes = sketch.new(2 * style.WIDTH, 1.4 + 0.6 * len(study.y))
    seen = set()
    for i, name in enumerate(study.winner):
        x, y = study.x.index(study.cells["x"][i]), study.y.index(study.cells["y"][i])
        decided = study.cells["decided"][i] > 0
        axes.barh(y, 1, left=x - 0.5, height=1, color=study.colour.get(name, style.GREY), alpha=0.85 if decided else 0.35,
                  hatch=None if decided else "////", edge="white")
        seen.add(name)
        if np.isfinite(study.cells["margin"][i]):
            axes.text(x, y, "%.2f" % study.cells["margin"][i], ha="center", va="center", fontsize=9, color="white" if decided else style.INK)
    axes.set_xlim(-0.5, len(study.x) - 0.5)
    axes.set_ylim(-0.5, len(study.y) - 0.5)
    axes.set_xticks(range(len(study.x)), study.x)
    axes.set_yticks(range(len(study.y)), study.y)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.grid(False)
    axes.set_title("Configuration with the least cost")
    shown = [n for n in study.names if n in seen]
    figure.key([sketch.patch(study.colour[n]) for n in shown], shown)
    data = [(c, study.cells[c] if c not in ("winner", "second") else getattr(study, c)) for c in ("x", "y", "winner", "decided", "second", "margin")]
    return figure.save(folder, "map", "Colour: configuration with the least cost. Number: cost of the second-best one relative to it. "
                       "Hatched: undecided, because the intervals of the two overlap.", data)


def table(study):
    names = ["x", "y", "configuration", "time / baseline's", "95 % interval", "verdict", "total s"]
    rows, r = [], study.rows
    for i in range(len(r["x"])):
        def cell(name, form):
            value = r[name][i] if not isinstance(r[name], list) else np.nan
            return form % value if np.isfinite(value) else ""
        more = "> " if r["stopped"][i] else ""
        interval = cell("low", "%.3f") and cell("low", "%.3f") + (" or more" if more else " to " + cell("high", "%.3f"))
        verdict = r["verdict"][i] + (", %d of %d runs excluded" % (r["failures"][i], r["runs"][i]) if r["failures"][i] else "")
        rows.append([r["x"][i], r["y"][i], SHOWN.get(r["configuration"][i], r["configuration"][i]), cell("ratio", more + "%.3f"), interval, verdict, cell("total_s", more + "%.3g")])
    return page.table(names, rows, (3, 4, 6))
