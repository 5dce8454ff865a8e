"""Plots for the page: what is drawn with the part of matplotlib's interface that the plots use is kept, and page/plots.js draws
it in the reader's browser. Nothing is rendered here, and matplotlib is not loaded. The functions have the names of those in paper.py."""
import os
import zlib

import numpy as np

from . import style
from .sketch_axes import Axes, Drawn, Mark, Nothing, grey, pack


class Canvas:
    """A figure: axes in rows and columns."""
    known_meshes = set()  # on the page so far

    def __init__(self, width, height, nrows, ncols, share, ratios):
        self.size, self.shape, self.share, self.ratios = (width, height), (nrows, ncols), share, ratios
        self.meshes, self.bar, self.legend = [], None, None
        self.axes = [Axes(self) for _ in range(nrows * ncols)]

    def _share(self):
        """Axes of one row or column have one scale."""
        for d in self.share:
            for key, usual in (("kind", "linear"), ("threshold", None), ("low", None), ("high", None)):
                given = [a.of[d][key] for a in self.axes if a.of[d].get(key, usual) != usual]
                for axes in self.axes if given else ():
                    axes.of[d][key] = given[-1]
            limits = np.array([axes.limits(d) for axes in self.axes])
            for axes in self.axes:
                axes.of[d].update(low=limits[:, 0].min(), high=limits[:, 1].max())
        rows, columns = self.shape
        for i, axes in enumerate(self.axes):
            axes.of["x"]["bare"] = "x" in self.share and i < (rows - 1) * columns  # its neighbour's labels are enough
            axes.of["y"]["bare"] = "y" in self.share and i % columns > 0

    def kept(self):
        self._share()
        return {"size": self.size, "columns": self.shape[1], "share": self.share, **self.ratios, "bar": self.bar, "legend": self.legend,
                "axes": [a.kept() for a in self.axes]}


class Bar:
    def __init__(self, figure):
        self.kept, self.ax = figure.bar, Nothing()

    def set_ticks(self, places, labels):
        self.kept.update(ticks=[float(p) for p in places], names=list(labels))


def start():
    """A new page, which has no mesh yet."""
    Canvas.known_meshes = set()


def new(width=style.WIDTH, height=3.7, nrows=1, ncols=1, sharex=False, sharey=False, squeeze=True, gridspec_kw=None):
    figure = Canvas(width, height, nrows, ncols, ("x" if sharex else "") + ("y" if sharey else ""), gridspec_kw or {})
    if squeeze and len(figure.axes) == 1:
        return figure, figure.axes[0]
    table = np.array(figure.axes, dtype=object).reshape(nrows, ncols)
    return figure, table.squeeze() if squeeze else table


def plain(axis):
    pass


def log(axes, which="y"):
    axes.of[which]["kind"] = "log"


def frame(axes, x="x", y="y"):
    axes.grid(False)
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def colours(cmap):
    if cmap not in style.MAPS:
        raise ValueError("no colour map '%s'" % cmap)
    return cmap


def mesh(axes, vtu, inside, values, limits, cmap, edges, is_wide, words, levels, everywhere):
    """The cells `inside`, each one colour. Figures of the same cells share them on the page."""
    if is_wide or words is not None:
        raise ValueError("draw_mesh.py draws such fields")
    name = "%x-%x" % (zlib.crc32(inside), len(vtu.node))
    mark = axes.add(Mark("mesh", mesh=name, values=pack(values, "f4"), edges=edges,
                         levels=np.linspace(*limits, levels + 2)[1:-1].tolist() if levels else None))
    if name not in Canvas.known_meshes:
        corners, used = vtu.corners[inside], np.zeros(len(vtu.node), bool)
        used[corners] = True
        mark.update(nodes=pack(vtu.node[used], "f4"), corners=pack((np.cumsum(used) - 1)[corners], "u2" if np.count_nonzero(used) < 65536 else "u4"))
        axes.figure.meshes.append(name)
    return Drawn(mark, *limits, cmap)


def scale(low, high, cmap):
    return Drawn(Mark("scale"), low, high, cmap)


def patch(color):
    return {"colour": grey(color)}


def rule(color, linestyle="-", linewidth=1.6):
    return {"colour": grey(color), "line": True, "dashed": linestyle != "-"}


def colour_bar(figure, axes, drawn, label, values=None, below=True):
    low, high = drawn.get_clim()
    figure.bar = {"label": label, "low": low, "high": high, "map": style.MAPS[drawn.cmap],
                  "beyond": [bool(values is not None and np.nanmin(values) < low), bool(values is not None and np.nanmax(values) > high)]}
    return Bar(figure)


def legend_below(figure, handles, names, columns=3, **_):
    if not any(isinstance(h, Mark) and h["kind"] == "line" for h in handles):  # those stand below with their values
        figure.legend = [{"name": name, **{k: h[k] for k in ("colour", "line", "dashed", "alpha") if k in h}} for h, name in zip(handles, names)]


def finish(figure, axes, title=None, x=None, y=None):
    if title:
        axes.set_title(title)
    if x:
        axes.set_xlabel(x)
    if y:
        axes.set_ylabel(y)
    handles, names = axes.get_legend_handles_labels()
    if len(names) > 1:
        legend_below(figure, handles, names)


def save(figure, folder, name, caption, data=None):
    """Writes NAME.csv from data = [(column, values), ...]; the plot itself is the page's."""
    path = os.path.join(folder, name)
    if data:
        os.makedirs(folder, exist_ok=True)
        style.write_csv(path + ".csv", data)
    figure.known_meshes.update(figure.meshes)
    for axes in figure.axes:
        for mark in axes.marks:
            if "cmap" in mark:
                mark["map"] = style.MAPS[mark.pop("cmap")]
    return style.Figure(path, caption, name, figure.size[0] > 1.5 * style.WIDTH, figure.kept())
