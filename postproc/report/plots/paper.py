"""Recorded plots (sketch.py) as matplotlib figures: PNG files and notebooks."""
import os

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.collections import PolyCollection
from matplotlib.colors import BoundaryNorm, ListedColormap, LogNorm, Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from . import output, style

DPI = 150
SHAPES = {None: "o", "circle": "o", "square": "s", "diamond": "D"}
GLYPHS = {"●": "o", "■": "s", "◆": "D"}
LOOK = {
    "font.family": "DejaVu Sans", "font.size": 10.5, "axes.titlesize": 11.5, "axes.titleweight": "bold", "axes.titlelocation": "left",
    "axes.labelsize": 10.5, "axes.edgecolor": "#444444", "axes.linewidth": 0.8, "grid.color": "#dddddd", "grid.linewidth": 0.7,
    "axes.axisbelow": True, "axes.spines.top": False, "legend.frameon": False, "legend.fontsize": 9, "xtick.labelsize": 9.5, "ytick.labelsize": 9.5,
    "xtick.color": "#444444", "ytick.color": "#444444"}


def save(plot, path):
    """Writes a PNG under a temporary name and renames it."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with output.aside(path) as partial:
        FigureCanvasAgg(figure(plot)).print_png(partial, metadata={"Software": None}, pil_kwargs={"compress_level": 2})


def figure(plot):
    with matplotlib.rc_context(LOOK):
        canvas = Figure(figsize=_size(plot), dpi=DPI, layout="constrained")
        ratios = {k: plot[k] for k in ("height_ratios", "width_ratios") if k in plot}
        every = canvas.subplots(len(plot["axes"]) // plot["columns"], plot["columns"], squeeze=False, gridspec_kw=ratios).ravel()
        for axes, kept in zip(every, plot["axes"]):
            axes.spines["right"].set_visible("right" in kept)
            _draw(axes, kept)
            if "right" in kept:
                _draw(axes.twinx(), kept["right"])
        if plot["bar"]:
            _bar(canvas, every, plot["bar"])
        _legend(canvas, plot)
    return canvas


def _size(plot):
    """Size in inches: as recorded, or from the proportions of the picture."""
    width, height = plot["size"]
    kept = plot["axes"][0]
    if kept["equal"]:
        x, y = kept["x"], kept["y"]
        height = min((width - 0.8) * (y["high"] - y["low"]) / (x["high"] - x["low"]), 1.2 * style.WIDTH) + 1.5
    return width, height


def _draw(axes, kept):
    for d in "xy":
        _scale(axes, d, kept[d])
    axes.set_title(kept["title"])
    axes.set_aspect("equal" if kept["equal"] else "auto")
    for mark in kept["marks"]:
        globals()["_draw_" + mark["kind"]](axes, mark)


def _scale(axes, d, kept):
    axis = getattr(axes, d + "axis")
    low, high = kept["low"], kept["high"]
    options = {"linthresh": kept["threshold"]} if kept["kind"] == "symlog" else {}
    getattr(axes, "set_%sscale" % d)(kept["kind"], **options)
    getattr(axes, "set_%slim" % d)(*((high, low) if kept["down"] else (low, high)))
    if kept["kind"] == "log":  # powers of ten; 1, 2 and 5 of each where there are few; even steps below a decade
        axis.set_major_locator(MaxNLocator(5) if high < 8 * low else LogLocator(subs=(1, 2, 5) if high < 200 * low else (1,), numticks=7))
    axis.set_major_formatter(FuncFormatter(style.tick))
    axis.set_minor_locator(NullLocator())
    if "ticks" in kept:
        axis.set_ticks(kept["ticks"], labels=kept.get("names"), **({"rotation": 45, "ha": "right"} if kept.get("slanted") else {}))
    axis.grid(kept["grid"])
    axis.set_tick_params(labelbottom=not kept["bare"], labelleft=not kept["bare"]) if kept.get("bare") else None
    axis.set_label_text(kept["label"])


def _draw_line(axes, mark):
    dash = (0, mark["dash"]) if "dash" in mark else "-"
    axes.plot(mark["x"], mark["y"], color=mark["colour"], linewidth=mark["width"], linestyle=dash if mark["width"] else "none",
              marker=SHAPES[mark.get("shape")] if "point" in mark else None, markersize=mark.get("point"), markerfacecolor="white" if mark.get("hollow") else None)


def _draw_bar(axes, mark):
    x0, x1, y0, y1 = mark["box"]
    axes.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, facecolor=mark["colour"], alpha=mark.get("alpha"), hatch=mark.get("hatch"),
                             edgecolor=mark.get("edge", "none")))


def _draw_box(axes, mark):
    low, first, middle, last, high = mark["five"]
    axes.bxp([{"whislo": low, "q1": first, "med": middle, "q3": last, "whishi": high, "fliers": mark["far"]}], positions=[mark["place"]],
             widths=mark["wide"], patch_artist=True, manage_ticks=False, boxprops={"facecolor": mark["colour"]},
             medianprops={"color": style.INK}, flierprops={"marker": ".", "markersize": 2})


def _draw_rule(axes, mark):
    line = axes.axvline if "x" in mark else axes.axhline
    line(mark["x" if "x" in mark else "y"], color=mark["colour"], linewidth=mark["width"], linestyle=(0, mark["dash"]) if "dash" in mark else "-")


def _draw_span(axes, mark):
    axes.axvspan(mark["x0"], mark["x1"], color=mark["colour"], zorder=0, linewidth=0)


def _draw_text(axes, mark):
    axes.annotate(mark["words"], mark["at"], mark["shift"], textcoords="offset points", ha=mark["ha"], va=mark["va"], color=mark["colour"],
                  fontsize=mark["size"], annotation_clip=True)


def _colours(mark):
    """Norm and colour map of a picture or its bar."""
    if "words" in mark:
        words = np.asarray(mark["words"])
        cmap = ListedColormap([matplotlib.colormaps["tab10"](k) for k in range(len(words))]).with_extremes(bad=style.NO_VALUE)
        return BoundaryNorm(np.append(words - 0.5, words[-1] + 0.5), len(words)), cmap
    cmap = matplotlib.colormaps[mark["cmap"]].with_extremes(bad=style.NO_VALUE)
    return (LogNorm if mark.get("wide") else Normalize)(mark["low"], mark["high"]), cmap


def _draw_cells(axes, mark):
    norm, cmap = _colours(mark)
    values = np.ma.masked_invalid(mark["values"])
    axes.pcolormesh(mark["x"], mark["y"], values, norm=norm, cmap=cmap, rasterized=True)
    if mark.get("levels") and min(values.shape) > 1 and values.max() > values.min():
        x, y = (0.5 * (mark[d][1:] + mark[d][:-1]) for d in "xy")
        axes.contour(x, y, values, levels=mark["levels"], colors="black", linewidths=0.35, alpha=0.5, linestyles="solid")


def _draw_stream(axes, mark):
    x0, x1, y0, y1 = mark["box"]
    nx, ny = mark["size"]
    u, v = (np.ma.masked_invalid(mark[name]) for name in "uv")
    density = (1, float(np.clip((y1 - y0) / (x1 - x0), 0.35, 2)))
    axes.streamplot(np.linspace(x0, x1, nx), np.linspace(y0, y1, ny), u, v, density=density, color=(1, 1, 1, 0.75), linewidth=0.75, arrowsize=0.8)


def _draw_mesh(axes, mark):
    polygons = mark["nodes"][mark["corners"]]
    widths = _edges(polygons, axes.get_xlim())
    if "values" not in mark:
        axes.add_collection(PolyCollection(polygons, facecolors="white", edgecolors="#222222", linewidths=3 * widths))
        return
    norm, cmap = _colours(mark)
    # Without edges nothing is smoothed: otherwise the background shines through between the cells.
    axes.add_collection(PolyCollection(polygons, array=mark["values"], norm=norm, cmap=cmap, antialiaseds=bool(mark["edges"]),
                                       linewidths=widths if mark["edges"] else 0.1, edgecolors=(0, 0, 0, 0.5) if mark["edges"] else "face"))
    if mark.get("levels"):
        corners = mark["corners"]
        quads = corners[:, 3] != corners[:, 2]
        triangles = np.concatenate([corners[:, :3], corners[quads][:, [0, 2, 3]]])  # so that no isoline crosses a body
        axes.tricontour(*mark["nodes"].T, triangles, node_values(mark), levels=mark["levels"], colors="black", linewidths=0.4, alpha=0.6)


def _edges(polygons, ends):
    """Line widths in points: a tenth of each cell's thickness, so that edges never hide the colours of small cells."""
    sides = np.linalg.norm(np.roll(polygons, -1, axis=1) - polygons, axis=2).max(axis=1)
    x, y = polygons[..., 0], polygons[..., 1]
    area = 0.5 * np.abs(np.sum(x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1), axis=1))
    return np.clip(0.1 * 72 * style.WIDTH / (ends[1] - ends[0]) * area / np.maximum(sides, 1e-300), 0.01, 0.6)


def node_values(mark):
    """The mean of the cells around each node."""
    corners, count = mark["corners"], len(mark["nodes"])
    distinct = np.stack([np.ones(len(corners), bool)] * 3 + [corners[:, 3] != corners[:, 2]], axis=1)
    total = np.bincount(corners[distinct], np.repeat(mark["values"], distinct.sum(axis=1)), count)
    return total / np.maximum(np.bincount(corners[distinct], minlength=count), 1)


def _bar(canvas, every, bar):
    norm, cmap = _colours(bar)
    extend = {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}[tuple(map(int, bar["beyond"]))]
    drawn = canvas.colorbar(ScalarMappable(norm, cmap), ax=list(every), orientation="horizontal", extend=extend, aspect=40, pad=0.02)
    drawn.set_label(bar["label"])
    if "ticks" in bar:
        drawn.set_ticks(bar["ticks"], labels=bar["names"])
    elif not bar.get("wide"):
        drawn.formatter = FuncFormatter(style.tick)
        drawn.update_ticks()


def _legend(canvas, plot):
    shown = [(key["name"], _handle(key)) for key in plot["legend"] or ()]
    if not shown:
        lines = [m for a in plot["axes"] for part in (a, a.get("right", {"marks": []})) for m in part["marks"] if m["kind"] == "line" and m.get("name")]
        shown = list({m["name"]: (m["name"], _handle({"line": True, **m})) for m in lines}.values())
    if len(shown) > 1:
        names, handles = zip(*shown)
        columns = min(max(1, int(plot["size"][0] / (0.085 * max(map(len, names)) + 0.6))), len(names))
        canvas.legend(handles, names, loc="lower center", ncols=columns)
        below = (0.1 + 0.19 * -(-len(names) // columns)) / canvas.get_figheight()
        canvas.get_layout_engine().set(rect=(0, below, 1, 1 - below))


def _handle(key):
    if "glyph" in key:
        return Line2D([], [], color=key["colour"], linestyle="none", marker=GLYPHS[key["glyph"]], markersize=8)
    if not key.get("line"):
        return Patch(color=key["colour"], alpha=key.get("alpha"))
    style_of = "--" if key.get("dashed") or "dash" in key else "-" if key.get("width", 1) else "none"
    return Line2D([], [], color=key["colour"], linestyle=style_of, marker="o" if "point" in key else None, markersize=5)
