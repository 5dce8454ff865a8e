"""Plots as data: marks on axes are recorded; page/plots.js draws the record in the browser and paper.py as PNG."""
import os
import zlib

import numpy as np

from . import style

DASHES = {"--": [6, 4], ":": [2, 3], "-.": [6, 3, 2, 3]}
MARGIN = 0.05  # of the range of the data, on each side, where no limit is given


def _colour(value):
    """A colour as CSS writes it; "0.6" is a grey."""
    return "#%02x%02x%02x" % ((round(255 * float(value)),) * 3) if value and value.replace(".", "").isdigit() else value


class Mark(dict):
    """One mark, and the points that it spans. sticky: ends of the axes that need no margin."""

    def __init__(self, kind, x=(), y=(), sticky=(), /, **more):
        super().__init__(kind=kind, **{k: v for k, v in more.items() if v is not None})
        self.span, self.sticky = {"x": np.ravel(x), "y": np.ravel(y)}, sticky


class Axes:
    def __init__(self):
        self.marks, self.right, self.used = [], None, 0
        self.info = {"title": "", "equal": False}
        self.of = {d: {"label": "", "kind": "linear", "grid": True, "low": None, "high": None, "margin": MARGIN} for d in "xy"}

    # ---- what is drawn

    def add(self, mark):
        """Records a mark unless its position is not finite, as after a flow has blown up."""
        if all(np.isfinite(mark[k]).all() for k in ("box", "at", "five", "x0", "x1") if k in mark):
            self.marks.append(mark)
        return mark

    def _next(self):
        self.used += 1
        return style.COLOURS[(self.used - 1) % len(style.COLOURS)]

    def plot(self, x, y, form="-", color=None, label=None, linestyle=None, linewidth=1.6, marker=None, markersize=5, hollow=None,
             shape=None):
        """form, linestyle: "-", "--", ":", "-." or "" (points only), with "o" or "." for points."""
        x, y = np.atleast_1d(np.asarray(x, float)), np.atleast_1d(np.asarray(y, float))
        form, marker = form if linestyle is None else linestyle, marker or next((m for m in ".o" if form.startswith(m)), None)
        line = form.lstrip(".o")
        return self.add(Mark("line", x, y, colour=_colour(color or self._next()), name=label, width=linewidth if line else 0,
                             dash=DASHES.get(line), point=(0.6 if marker == "." else 1) * markersize if marker else None, hollow=hollow, shape=shape, x=x, y=y))

    def barh(self, y, width, left=0, height=0.8, color=None, label=None, alpha=None, hatch=None, edge=None):
        return self.add(Mark("bar", (left, left + width), (y - height / 2, y + height / 2), ("x0",), name=label, alpha=alpha, hatch=hatch, edge=edge,
                             box=[float(v) for v in (left, left + width, y - height / 2, y + height / 2)], colour=_colour(color or style.COLOURS[0])))

    def bar(self, x, height, width=0.8, color=None):
        for a, h in zip(x, height):
            self.add(Mark("bar", (a - width / 2, a + width / 2), (0, h), ("y0",), box=[float(v) for v in (a - width / 2, a + width / 2, 0, h)],
                          colour=_colour(color)))

    def text(self, x, y, words, ha="left", va="bottom", color=style.INK, inside=None, shift=(0, 0), fontsize=9):
        """inside: the text is left out where it is wider than these two positions along x. shift: in points."""
        self.add(Mark("text", at=[float(x), float(y)], words=str(words), ha=ha, va=va, colour=color, inside=inside, shift=list(shift), size=fontsize))

    def axhline(self, y, color=style.INK, linewidth=1, linestyle=None):
        self.add(Mark("rule", (), y, y=float(y), colour=_colour(color), width=linewidth, dash=DASHES.get(linestyle)))

    def axvline(self, x, color=style.INK, linewidth=1, linestyle=None):
        self.add(Mark("rule", x, (), x=float(x), colour=_colour(color), width=linewidth, dash=DASHES.get(linestyle)))

    def axvspan(self, x0, x1, color):
        self.add(Mark("span", (x0, x1), (), x0=float(x0), x1=float(x1), colour=color))

    def boxplot(self, columns, colours, width=0.6):
        """Quartiles, whiskers to the last value within 1.5 times the interquartile range, and the values beyond."""
        for i, (values, colour) in enumerate(zip(columns, colours), 1):
            low, middle, high = np.percentile(values, (25, 50, 75))
            near = values[(values >= low - 1.5 * (high - low)) & (values <= high + 1.5 * (high - low))]
            far = np.unique(values[(values < near.min()) | (values > near.max())])
            self.add(Mark("box", (i - width, i + width), values, place=i, wide=width, far=far.tolist(), colour=colour,
                          five=[float(v) for v in (near.min(), low, middle, high, near.max())]))

    # ---- fields

    def cells(self, x, y, values, low, high, cmap, levels=None):
        """Cells of a grid between the faces x and y, each one colour; levels: isolines."""
        values = np.ma.filled(np.ma.asarray(values, float), np.nan)
        levels = None if levels is None else [float(v) for v in levels if np.isfinite(v)]
        return self._coloured(Mark("cells", x, y, ("x0", "x1", "y0", "y1"), x=np.asarray(x, float), y=np.asarray(y, float), values=values.astype("f4"),
                                   levels=levels), low, high, cmap)

    def mesh(self, vtu, inside, values, limits, cmap, edges, levels=0, is_wide=None, words=None):
        """The cells `inside` of an unstructured mesh, each one colour; values None: edges only. is_wide: a logarithmic scale;
        words: the integers that the values take. The page draws neither of these two."""
        corners, used = vtu.corners[inside], np.zeros(len(vtu.node), bool)
        used[corners] = True
        mark = Mark("mesh", mesh="%x-%x" % (zlib.crc32(inside), len(vtu.node)), edges=edges, wide=is_wide or None, words=words,
                    levels=np.linspace(*limits, levels + 2)[1:-1].tolist() if levels else None, nodes=vtu.node[used].astype("f4"),
                    corners=(np.cumsum(used) - 1)[corners].astype("u2" if np.count_nonzero(used) < 65536 else "u4"))
        if values is None:
            return self.add(mark)
        mark["values"] = values.astype("f4")
        return self._coloured(mark, *limits, cmap)

    def _coloured(self, mark, low, high, cmap):
        low, high = (float(low), float(high)) if np.isfinite([low, high]).all() and high > low else (0.0, 1.0)
        mark.update(low=low, high=high, cmap=cmap, map=style.MAPS.get(cmap))
        return self.add(mark)

    def stream(self, x, y, u, v):
        """Streamlines of a velocity on a uniform grid. The page draws them again for each frame that the reader chooses."""
        self.add(Mark("stream", box=[float(e) for e in (x[0], x[-1], y[0], y[-1])], size=[len(x), len(y)], u=u.astype("f4"), v=v.astype("f4")))

    # ---- axes

    def set_title(self, words):
        self.info["title"] = words

    def set_xlabel(self, words):
        self.of["x"]["label"] = words

    def set_ylabel(self, words):
        self.of["y"]["label"] = words

    def frame(self, x="x", y="y", equal=True):
        """Axes of a picture of a field."""
        self.grid(False)
        self.set_xlabel(x)
        self.set_ylabel(y)
        self.info["equal"] = equal

    def grid(self, visible=True, axis="xy"):
        for d in axis:
            self.of[d]["grid"] = visible

    def margins(self, **of):
        for d, margin in of.items():
            self.of[d]["margin"] = margin

    def _limit(self, d, low, high):
        for end, value in (("low", low), ("high", high)):
            if value is not None and np.isfinite(value):
                self.of[d][end] = float(value)

    def set_xlim(self, low=None, high=None):
        self._limit("x", low, high)

    def set_ylim(self, low=None, high=None):
        self._limit("y", low, high)

    def get_ylim(self):
        return self.limits("y")

    def invert_yaxis(self):
        low, high = self.limits("y")
        self.of["y"].update(low=high, high=low)

    def log(self, d="y"):
        self.of[d]["kind"] = "log"

    def symlog(self, d, threshold):
        """Linear up to the threshold, logarithmic beyond."""
        self.of[d].update(kind="symlog", threshold=threshold)

    def _ticks(self, d, places, names):
        self.of[d].update(ticks=[float(p) for p in places], names=None if names is None else [str(n) for n in names])

    def set_xticks(self, places, names=None, slanted=False):
        self._ticks("x", places, names)
        self.of["x"]["slanted"] = slanted

    def set_yticks(self, places, names=None):
        self._ticks("y", places, names)

    def twinx(self):
        self.right = Axes()
        self.right.used = self.used
        self.right.grid(False)
        return self.right

    def named(self):
        return list({m["name"]: m for m in reversed(self.marks) if m.get("name")}.values())[::-1]

    def limits(self, d):
        """The limits of an axis: as given, otherwise from the data with a margin."""
        axis = self.of[d]
        low, high = axis["low"], axis["high"]
        if low is not None and high is not None:
            return low, high
        is_log = axis["kind"] == "log"
        values = np.concatenate([m.span[d] for m in self.marks] or [[]]).astype(float)
        values = values[(np.abs(values) < 1e300) & (values > 0 if is_log else True)]  # margins must not overflow
        first, last = (values.min(), values.max()) if len(values) else (1, 10) if is_log else (0, 1)
        if is_log:
            first, last = np.log10(first), np.log10(last)
        nothing = 0 if is_log else 1e-5 * max(abs(first), abs(last))  # a change that is not drawn: noise of a constant
        if not last - first > nothing:
            first, last = first - 0.05 * abs(first) - (0 if first else 1), last + 0.05 * abs(last) + (0 if last else 1)
        sticky = {s for m in self.marks for s in m.sticky}
        margin = axis["margin"] * (last - first)
        first -= 0 if d + "0" in sticky and (first >= 0 or d + "1" in sticky) else margin
        last += 0 if d + "1" in sticky else margin
        if is_log:
            first, last = 10.0 ** first, 10.0 ** last
        return (first if low is None else low), (last if high is None else high)

    def kept(self):
        kept = {**self.info, "marks": self.marks}
        for d, axis in self.of.items():
            low, high = map(float, self.limits(d))
            kept[d] = {k: v for k, v in axis.items() if v is not None and k != "margin"}
            kept[d].update(low=min(low, high), high=max(low, high), down=low > high)
        if self.right:
            kept["right"] = self.right.kept()
        return kept


class Canvas:
    """A figure: axes in rows and columns. share: the directions in which all axes have one scale, "x", "y" or "xy"."""

    def __init__(self, width, height, rows, columns, share, ratios):
        self.size, self.columns, self.share, self.ratios, self.bar, self.legend = (width, height), columns, share, ratios, None, None
        self.axes = [Axes() for _ in range(rows * columns)]

    def _share(self):
        for d in self.share:
            for key, usual in (("kind", "linear"), ("threshold", None), ("low", None), ("high", None)):
                given = [a.of[d][key] for a in self.axes if a.of[d].get(key, usual) != usual]
                for axes in self.axes if given else ():
                    axes.of[d][key] = given[-1]
            limits = np.array([axes.limits(d) for axes in self.axes])
            for axes in self.axes:
                axes.of[d].update(low=limits[:, 0].min(), high=limits[:, 1].max())
        for i, axes in enumerate(self.axes):
            axes.of["x"]["bare"] = "x" in self.share and i < len(self.axes) - self.columns  # the neighbour has the labels
            axes.of["y"]["bare"] = "y" in self.share and i % self.columns > 0

    def kept(self):
        self._share()
        return {"size": self.size, "columns": self.columns, "share": self.share, **self.ratios, "bar": self.bar, "legend": self.legend,
                "axes": [a.kept() for a in self.axes]}

    def colour_bar(self, drawn, label, values=None, ticks=None, names=None):
        """The colour bar of a picture; its ends are pointed if `values` lie beyond the limits of the colours."""
        self.bar = {k: drawn[k] for k in ("low", "high", "map", "cmap", "wide", "words") if k in drawn}
        self.bar.update(label=label, beyond=[bool(values is not None and np.nanmin(values) < drawn["low"]),
                                             bool(values is not None and np.nanmax(values) > drawn["high"])])
        if ticks is not None:
            self.bar.update(ticks=[float(t) for t in ticks], names=[str(n) for n in names])

    def key(self, handles, names):
        """A legend below all axes. Named lines need none, because their readout also names them."""
        if not any(h.get("kind") == "line" for h in handles):
            self.legend = [{"name": name, **{k: h[k] for k in ("colour", "line", "dashed", "alpha") if k in h}} for h, name in zip(handles, names)]

    def finish(self, axes, title=None, x=None, y=None):
        """Title and labels; a legend below where there are several names."""
        if title:
            axes.set_title(title)
        if x:
            axes.set_xlabel(x)
        if y:
            axes.set_ylabel(y)
        marks = axes.named()
        if len(marks) > 1:
            self.key(marks, [m["name"] for m in marks])

    def save(self, folder, name, caption, data=None):
        """Writes FOLDER/NAME.csv from data = [(column, values), ...]; without a folder nothing is written."""
        path = os.path.join(folder, name)
        if data and folder:
            os.makedirs(folder, exist_ok=True)
            style.write_csv(path + ".csv", data)
        return style.Figure(path, caption, name, self.size[0] > 1.5 * style.WIDTH, self.kept(), data)


def new(width=style.WIDTH, height=3.7, rows=1, columns=1, share="", **ratios):
    """A figure and its axes: one, or a list. ratios: height_ratios, width_ratios."""
    figure = Canvas(width, height, rows, columns, share, ratios)
    return figure, figure.axes if len(figure.axes) > 1 else figure.axes[0]


def patch(color):
    """A colour of a legend."""
    return {"colour": _colour(color)}


def rule(color, linestyle="-"):
    """A line of a legend."""
    return {"colour": _colour(color), "line": True, "dashed": linestyle != "-"}
