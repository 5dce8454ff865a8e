"""A map: who takes least over a grid of two parameters, and by how much; hatched where the runs do not decide."""
import os

import numpy as np

from . import page, records, style


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

    def headline(self):
        won = {name: sum(w == name and d > 0 for w, d in zip(self.winner, self.cells["decided"])) for name in self.names}
        said = ["%s in %d" % (name, count) for name, count in won.items() if count]
        open_cells = len(self.winner) - sum(won.values())
        return "Of %d cells: %s%s" % (len(self.winner), ", ".join(said) or "none decided", "; undecided: %d" % open_cells if open_cells else "")


def diagram(study, x_label, y_label, folder):
    figure, axes = style.new(height=1.4 + 0.6 * len(study.y))
    seen = set()
    for i, name in enumerate(study.winner):
        x, y = study.x.index(study.cells["x"][i]), study.y.index(study.cells["y"][i])
        decided = study.cells["decided"][i] > 0
        axes.barh(y, 1, left=x - 0.5, height=1, color=study.colour.get(name, style.GREY), alpha=0.85 if decided else 0.35,
                  hatch=None if decided else "////", edgecolor="white", linewidth=1)
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
    axes.set_title("Who takes least")
    shown = [n for n in study.names if n in seen]
    style.legend_below(figure, [style.patch(study.colour[n]) for n in shown], shown)
    data = [(c, study.cells[c] if c not in ("winner", "second") else getattr(study, c)) for c in ("x", "y", "winner", "decided", "second", "margin")]
    return style.save(figure, folder, "map", "Colour: who takes least; number: what the next one takes over it. Hatched: the intervals of the two overlap.", data)


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
        rows.append([r["x"][i], r["y"][i], r["configuration"][i], cell("ratio", more + "%.3f"), interval, verdict, cell("total_s", more + "%.3g")])
    return page.table(names, rows, (3, 4, 6))
