"""Axes of a plot on the page: what is drawn on them, with matplotlib's names for it, and their scales."""
import base64
import struct
import zlib

import numpy as np

from . import style

DASHES = {"--": [6, 4], ":": [2, 3], "-.": [6, 3, 2, 3]}
MARGIN = 0.05  # of the range of the data, on each side, where no limit is given


def pack(values, kind="f8"):
    """Numbers as the page carries them: little-endian, base64; f8, f4, u4 or u2."""
    return {kind: base64.b64encode(np.ascontiguousarray(values, "<" + kind)).decode("ascii")}


def grey(value):
    """"0.6", matplotlib's grey, as CSS has it."""
    if isinstance(value, str) and value.replace(".", "").isdigit():
        return "rgb(%d, %d, %d)" % ((round(255 * float(value)),) * 3)
    if isinstance(value, tuple):
        return "rgba(%d, %d, %d, %g)" % (*(round(255 * c) for c in value[:3]), value[3] if len(value) > 3 else 1)
    return {"white": "#fff", "black": "#000", "none": "transparent"}.get(value, value)


class Mark(dict):
    """One thing drawn: a dictionary for the page, and the points that it spans. sticky: ends that need no margin."""

    def __init__(self, kind, x=(), y=(), sticky=(), /, **more):
        super().__init__(kind=kind, **{k: v for k, v in more.items() if v is not None})
        self.span, self.sticky = {"x": np.ravel(x), "y": np.ravel(y)}, sticky

    def get_color(self):
        return self.get("colour")

    def get_label(self):
        return self.get("name", "")


class Drawn:
    """A picture's colours, for its bar."""

    def __init__(self, mark, low, high, cmap):
        self.mark, self.cmap = mark, cmap
        self.limits = (float(low), float(high)) if np.isfinite([low, high]).all() and high > low else (0.0, 1.0)
        mark.update(low=self.limits[0], high=self.limits[1], cmap=cmap)

    def get_clim(self):
        return self.limits


class Nothing:
    """What only paper has: spines and the like."""

    def __getitem__(self, _):
        return self

    def __getattr__(self, _):
        return lambda *arguments, **options: None


class Axes:
    spines = xaxis = yaxis = Nothing()

    def __init__(self, figure):
        self.figure, self.marks, self.right, self.used = figure, [], None, 0
        self.info = {"title": "", "equal": False, "off": False}
        self.of = {d: {"label": "", "kind": "linear", "grid": True, "low": None, "high": None, "margin": MARGIN} for d in "xy"}

    # ---- what is drawn

    def add(self, mark):
        """Unless its place is no number: what has blown up is not drawn."""
        if all(np.isfinite(mark[k]).all() for k in ("box", "at", "five", "x", "y", "x0", "x1") if not isinstance(mark.get(k, {}), dict)):
            self.marks.append(mark)
        return mark

    def _next(self):
        self.used += 1
        return style.COLOURS[(self.used - 1) % len(style.COLOURS)]

    def plot(self, x, y, form="-", color=None, label=None, linestyle=None, linewidth=1.6, marker=None, markersize=5, markerfacecolor=None,
             drawstyle=None, zorder=None, **_):
        x, y = np.atleast_1d(np.asarray(x, float)), np.atleast_1d(np.asarray(y, float))
        form, marker = form if linestyle is None else linestyle, marker or next((m for m in ".o" if form.startswith(m)), None)
        line = form if not isinstance(form, str) else form.lstrip(".o")
        mark = Mark("line", x, y, colour=grey(color or self._next()), name=label, width=linewidth if line else 0,
                    dash=list(np.multiply(line[1], linewidth)) if isinstance(line, tuple) else DASHES.get(line),
                    point=(0.6 if marker == "." else 1) * markersize if marker else None, hollow=True if markerfacecolor == "white" else None,
                    steps=True if drawstyle == "steps-mid" else None)
        mark.update(x=pack(x), y=pack(y))
        return [self.add(mark)]

    def _bars(self, x0, x1, y0, y1, color, label, alpha, hatch, edge, sticky):
        return self.add(Mark("bar", (x0, x1), (y0, y1), sticky, box=[float(v) for v in (x0, x1, y0, y1)], colour=grey(color or style.COLOURS[0]),
                             name=label, alpha=alpha, hatch=hatch, edge=grey(edge)))

    def barh(self, y, width, left=0, height=0.8, color=None, label=None, alpha=None, hatch=None, edgecolor=None, **_):
        y, width = np.atleast_1d(y), np.atleast_1d(width)
        left = np.broadcast_to(left, width.shape)
        return [self._bars(a, a + w, b - height / 2, b + height / 2, color, label if i == 0 else None, alpha, hatch, edgecolor, ("x0",))
                for i, (a, b, w) in enumerate(zip(left, y, width))]

    def bar(self, x, height, width=0.8, color=None, label=None, **_):
        return [self._bars(a - width / 2, a + width / 2, 0, h, color, label if i == 0 else None, None, None, None, ("y0",))
                for i, (a, h) in enumerate(zip(np.atleast_1d(x), np.atleast_1d(height)))]

    def bar_label(self, bars, labels, label_type="edge", **options):
        for bar, words in zip(bars, labels):
            x0, x1, y0, y1 = bar["box"]
            self.text(0.5 * (x0 + x1), 0.5 * (y0 + y1), words, ha="center", va="center", inside=[x0, x1], **options)

    def text(self, x, y, s, ha="left", va="bottom", color=style.INK, inside=None, shift=(0, 0), fontsize=9, **_):
        self.add(Mark("text", at=[float(x), float(y)], words=str(s), ha=ha, va=va, colour=grey(color), inside=inside, shift=list(shift), size=fontsize))

    def annotate(self, s, at, shift, textcoords=None, bbox=None, **options):
        self.text(*at, s, shift=shift, **options)

    def axhline(self, y, color=style.INK, linewidth=1, linestyle=None, **_):
        self.add(Mark("rule", (), y, y=float(y), colour=grey(color), width=linewidth, dash=DASHES.get(linestyle)))

    def axvline(self, x, color=style.INK, linewidth=1, linestyle=None, **_):
        self.add(Mark("rule", x, (), x=float(x), colour=grey(color), width=linewidth, dash=DASHES.get(linestyle)))

    def axvspan(self, x0, x1, color=None, **_):
        self.add(Mark("span", (x0, x1), (), x0=float(x0), x1=float(x1), colour=grey(color)))

    def vlines(self, x, low, high, color=None):
        for a, b in zip(x, np.broadcast_to(high, np.shape(x))):
            self.plot([a, a], [low, b], color=color)

    def boxplot(self, columns, widths=0.6, **_):
        """Quartiles, whiskers to the last value within 1.5 times the interquartile range, and what lies beyond."""
        boxes = []
        for i, values in enumerate(columns, 1):
            low, middle, high = np.percentile(values, (25, 50, 75))
            near = values[(values >= low - 1.5 * (high - low)) & (values <= high + 1.5 * (high - low))]
            far = np.unique(values[(values < near.min()) | (values > near.max())])
            boxes.append(self.add(Mark("box", (i - widths, i + widths), values, place=i, wide=widths, far=far.tolist(),
                                       five=[float(v) for v in (near.min(), low, middle, high, near.max())])))
            boxes[-1].set = lambda facecolor, box=boxes[-1], **_: box.update(colour=grey(facecolor))
        return {"boxes": boxes}

    # ---- pictures

    def pcolorfast(self, x, y, values, vmin, vmax, cmap):
        mark = Mark("cells", x, y, ("x0", "x1", "y0", "y1"))
        values = np.ma.filled(np.ma.asarray(values, float), np.nan)
        mark.update(x=pack(x), y=pack(y), values=pack(values, "f4"))
        return Drawn(self.add(mark), vmin, vmax, cmap)

    def pcolormesh(self, x, y, values, cmap, vmin, vmax, **_):
        return self.pcolorfast(x, y, values, vmin, vmax, cmap)

    def contour(self, x, y, values, levels, **_):
        self.marks[-1]["levels"] = [float(v) for v in levels if np.isfinite(v)]

    def streamplot(self, x, y, u, v, **_):
        """Drawn again for each frame that the reader chooses."""
        self.add(Mark("stream", box=[float(e) for e in (x[0], x[-1], y[0], y[-1])], size=[len(x), len(y)],
                      u=pack(np.ma.filled(u, np.nan), "f4"), v=pack(np.ma.filled(v, np.nan), "f4")))

    def imshow(self, colours, origin, extent, **_):
        """[rows, columns, 3], the lowest row first, each 0 to 1."""
        self.add(Mark("image", extent[:2], extent[2:], ("x0", "x1", "y0", "y1"), box=[float(e) for e in extent], png=png(colours[::-1])))
        self.info["equal"] = True

    # ---- axes

    def set(self, **options):
        for name, value in options.items():
            getattr(self, "set_" + name)(*value if name in ("xlim", "ylim") else (value,))

    def set_title(self, words):
        self.info["title"] = words

    def set_xlabel(self, words, **_):
        self.of["x"]["label"] = words

    def set_ylabel(self, words, color=None):
        self.of["y"]["label"] = words

    def set_aspect(self, kind):
        self.info["equal"] = kind == "equal"

    def axis(self, what):
        self.info["off"] = what == "off"

    def grid(self, visible=True, axis="both"):
        for d in "xy" if axis == "both" else axis:
            self.of[d]["grid"] = visible

    def margins(self, **of):
        for d, margin in of.items():
            self.of[d]["margin"] = margin

    def locator_params(self, **_):
        pass

    def _limit(self, d, low, high):
        if isinstance(low, (tuple, list)):
            low, high = low
        for end, value in (("low", low), ("high", high)):
            if value is not None and np.isfinite(value):
                self.of[d][end] = float(value)

    def set_xlim(self, left=None, right=None):
        self._limit("x", left, right)

    def set_ylim(self, bottom=None, top=None):
        self._limit("y", bottom, top)

    def get_xlim(self):
        return self.limits("x")

    def get_ylim(self):
        return self.limits("y")

    def invert_yaxis(self):
        low, high = self.limits("y")
        self.of["y"].update(low=high, high=low)

    def set_xscale(self, kind, linthresh=None):
        self.of["x"].update(kind=kind, threshold=linthresh)

    def set_yscale(self, kind):
        self.of["y"].update(kind=kind)

    def _ticks(self, d, places, names):
        self.of[d].update(ticks=[float(p) for p in places], names=None if names is None else [str(n) for n in names])

    def set_xticks(self, places, names=None, rotation=0, **_):
        self._ticks("x", places, names)
        self.of["x"]["slanted"] = bool(rotation)

    def set_yticks(self, places, names=None, **_):
        self._ticks("y", places, names)

    def twinx(self):
        self.right = Axes(self.figure)
        self.right.used = self.used
        return self.right

    def get_legend_handles_labels(self):
        named = [m for m in self.marks if m.get("name")]
        return named, [m["name"] for m in named]

    def limits(self, d):
        """As given; else from the data with a margin."""
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
        if not last > first:
            first, last = first - 0.05 * abs(first) - (0 if first else 1), last + 0.05 * abs(last) + (0 if last else 1)
        sticky = {s for m in self.marks for s in m.sticky}
        margin = axis["margin"] * (last - first)
        first -= 0 if d + "0" in sticky and (first >= 0 or d + "1" in sticky) else margin
        last += 0 if d + "1" in sticky else margin
        if is_log:
            first, last = 10.0 ** first, 10.0 ** last
        return (first if low is None else low), (last if high is None else high)

    def kept(self):
        """For the page."""
        kept = {**self.info, "marks": self.marks}
        for d, axis in self.of.items():
            low, high = map(float, self.limits(d))
            kept[d] = {k: v for k, v in axis.items() if v is not None and k != "margin"}
            kept[d].update(low=min(low, high), high=max(low, high), down=low > high)
        if self.right:
            kept["right"] = self.right.kept()
        return kept


def png(colours):
    """A PNG of [rows, columns, 3], base64."""
    pixels = np.clip(255 * np.asarray(colours) + 0.5, 0, 255).astype(np.uint8)
    rows, columns = pixels.shape[:2]
    lines = np.concatenate([np.zeros((rows, 1), np.uint8), pixels.reshape(rows, -1)], axis=1)

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0))
    return base64.b64encode(data + chunk(b"IDAT", zlib.compress(lines.tobytes(), 3)) + chunk(b"IEND", b"")).decode("ascii")
