"""Plots as PNG, by matplotlib: fonts, layout, saving with the data."""
import os

import matplotlib
import numpy as np
from matplotlib import font_manager
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from . import output, style
from .style import COLOURS, WIDTH, Figure, tick

DPI = 150
TICKS, LABEL, TITLE = 0.26, 0.21, 0.34  # inches: heights of tick labels, of an axis label, of a title

LOOK = {
    "font.family": "DejaVu Sans", "font.size": 10.5, "axes.titlesize": 11.5, "axes.titleweight": "bold",
    "axes.titlelocation": "left", "axes.titlepad": 8, "axes.labelsize": 10.5, "axes.edgecolor": "#444444",
    "axes.linewidth": 0.8, "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.7, "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
    "lines.linewidth": 1.6, "legend.frameon": False, "legend.fontsize": 9, "xtick.labelsize": 9.5,
    "ytick.labelsize": 9.5, "xtick.color": "#444444", "ytick.color": "#444444", "image.cmap": "viridis"}
matplotlib.rcParams.update(LOOK)


def plain(axis):
    axis.set_major_formatter(FuncFormatter(tick))
    axis.set_minor_locator(NullLocator())  # a mark costs as much as a label


def log(axes, which="y"):
    """A logarithmic axis: powers of ten; 1, 2 and 5 of each where there are few; even steps below a decade. To be called when
    all is drawn."""
    axis = getattr(axes, which + "axis")
    getattr(axes, "set_%sscale" % which)("log")
    low, high = getattr(axes, "get_%slim" % which)()
    axis.set_major_locator(MaxNLocator(5) if high < 8 * low else LogLocator(subs=(1, 2, 5) if high < 200 * low else (1,), numticks=7))
    plain(axis)


# ---- figures

def start():
    """A new page: nothing is kept from one to the next."""


def new(width=WIDTH, height=3.7, nrows=1, ncols=1, **options):
    """A figure and its axes, as pyplot.subplots; `save` lays it out."""
    figure = Canvas(figsize=(width, height), dpi=DPI)
    axes = figure.subplots(nrows, ncols, **options)
    for one in np.ravel(axes):
        plain(one.xaxis)
        plain(one.yaxis)
    return figure, axes


def frame(axes, x="x", y="y"):
    """Axes for a picture: framed, without a grid."""
    axes.grid(False)
    axes.spines[:].set_visible(True)
    axes.set_xlabel(x)
    axes.set_ylabel(y)


def colours(cmap):
    """A colour map, by name or itself; grey where there is no value."""
    if isinstance(cmap, str) and cmap not in matplotlib.colormaps:
        raise ValueError("no colour map '%s'" % cmap)
    return (matplotlib.colormaps[cmap] if isinstance(cmap, str) else cmap).with_extremes(bad=style.NO_VALUE)


def mesh(*arguments, **options):
    from . import paper_mesh
    return paper_mesh.mesh(*arguments, **options)


def scale(low, high, cmap):
    """Colours for a bar of their own."""
    return matplotlib.cm.ScalarMappable(matplotlib.colors.Normalize(low, high), cmap)


def patch(color):
    """A colour in a legend."""
    return matplotlib.patches.Rectangle((0, 0), 1, 1, color=color)


def rule(color, linestyle="-", linewidth=1.6):
    """A line in a legend."""
    return matplotlib.lines.Line2D([], [], color=color, linestyle=linestyle, linewidth=linewidth)


def colour_bar(figure, axes, drawn, label, values=None, below=True):
    """The bar of a picture; pointed where `values` lie beyond the limits of its colours."""
    low, high = drawn.get_clim()
    beyond = (False, False) if values is None else (np.nanmin(values) < low, np.nanmax(values) > high)
    extend = {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}[tuple(map(int, beyond))]
    bar = figure.colorbar(drawn, cax=figure.add_axes([0, 0, 1, 1]), orientation="horizontal" if below else "vertical", extend=extend)
    bar.set_label(label)
    bar.outline.set_linewidth(0.6)
    if drawn.norm.__class__.__name__ == "Normalize":
        bar.formatter = FuncFormatter(tick)
        bar.update_ticks()
    figure.bar = bar, below
    return bar


def legend_below(figure, handles, names, columns=3, **options):
    """A legend under all axes of a figure."""
    widest = max(_width(n, 9) for n in names)
    columns = max(1, min(columns, len(names), int(figure.get_size_inches()[0] / (widest + 0.62))))
    figure.legend_height = 0.1 + 0.19 * -(-len(names) // columns)
    figure.legend(handles, names, loc="lower center", ncol=columns, borderaxespad=0.2, **options)


def _width(text, size=9.5):
    """Inches, without the layout that matplotlib would make of it."""
    font = font_manager.get_font(font_manager.findfont("DejaVu Sans"))
    font.set_size(size, 72)
    font.set_text(text, 0)
    return font.get_width_height()[0] / 64 / 72


def _beside(axes):
    """Inches that the labels of the y axis need."""
    labels = [_width(t.get_text()) for t in axes.yaxis.get_majorticklabels() if t.get_visible()]
    return 0.14 + max(labels, default=0) + (0.27 if axes.yaxis.get_label_text() else 0.04)


def _under(axes):
    """Inches that the labels of the x axis need."""
    axis = axes.xaxis
    labels = [t for t in axis.get_majorticklabels() if t.get_visible() and t.get_text()]
    slanted = [t for t in labels if t.get_rotation()]
    height = TICKS if labels else 0.06
    if slanted:
        height = 0.2 + 0.72 * max(_width(t.get_text()) for t in slanted)
    return height + (LABEL if axis.get_label_text() else 0)


def lay_out(figure):
    """Margins from the lengths of the labels. matplotlib's own layouts measure every text and draw each figure twice; this needs
    half of the time, and a picture in true proportions gets a figure of its height."""
    width, height = figure.get_size_inches()
    bar, below = getattr(figure, "bar", (None, True))
    axes = [a for a in figure.axes if hasattr(a, "get_subplotspec") and a.get_subplotspec()]
    place = {a: a.get_subplotspec() for a in axes}
    shown = [a for a in axes if a.axison]
    lefts = [a for a in shown if a.yaxis.get_ticks_position() != "right"]
    titled = [a for a in axes if a.get_title(loc="left")]

    def largest(size, some, default):
        return max((size(a) for a in some), default=default)

    left = largest(_beside, [a for a in lefts if place[a].is_first_col()], 0.1)
    gap = largest(_beside, [a for a in lefts if not place[a].is_first_col()], 0) + 0.16
    right = largest(_beside, [a for a in shown if a not in lefts], 0.16)
    top = largest(lambda a: TITLE, [a for a in titled if place[a].is_first_row()], 0.12)
    between = largest(lambda a: TITLE, [a for a in titled if not place[a].is_first_row()], 0.04) + \
        largest(_under, [a for a in shown if not place[a].is_last_row()], 0)
    bottom = getattr(figure, "legend_height", 0.04)
    if bar and below:
        bar_at = bottom + TICKS + LABEL
        bottom = bar_at + 0.21
    elif bar:
        right = 0.26 + max(_beside(bar.ax), 1.0)  # pictures side by side of one size
    bottom += largest(_under, [a for a in shown if place[a].is_last_row()], 0)
    across = width - left - right
    if len(axes) == 1 and axes[0].get_aspect() in (1.0, "equal"):
        (x0, x1), (y0, y1) = axes[0].get_xlim(), axes[0].get_ylim()
        tall = min(across * (y1 - y0) / (x1 - x0), 1.2 * WIDTH)
        across = tall * (x1 - x0) / (y1 - y0)
        height = top + tall + bottom
        figure.set_size_inches(width, height)
        axes[0].set_aspect("auto")  # its frame has the proportions now
    grid = place[axes[0]].get_gridspec()
    wide = (across - gap * (grid.ncols - 1)) / grid.ncols
    tall = (height - top - bottom - between * (grid.nrows - 1)) / grid.nrows
    figure.subplots_adjust(left=left / width, right=(left + across) / width, bottom=bottom / height, top=1 - top / height,
                           wspace=gap / wide, hspace=between / tall)
    if bar and below:
        bar.ax.set_position([(left + 0.06 * across) / width, bar_at / height, 0.88 * across / width, 0.13 / height])
    elif bar:
        bar.ax.set_position([(left + across + 0.12) / width, bottom / height, 0.14 / width, (height - top - bottom) / height])


def finish(figure, axes, title=None, x=None, y=None):
    """Title and labels; a legend below where there are several names."""
    if title:
        axes.set_title(title)
    if x:
        axes.set_xlabel(x)
    if y:
        axes.set_ylabel(y)
    handles, names = axes.get_legend_handles_labels()
    if len(names) > 1:
        legend_below(figure, handles, names, markerscale=3 if getattr(handles[0], "get_linestyle", str)() == "None" else 1)


def save(figure, folder, name, caption, data=None):
    """Writes NAME.png and, from data = [(column, values), ...], NAME.csv."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name + ".png")
    lay_out(figure)
    figure.set_dpi(DPI)
    with output.aside(path) as partial:
        FigureCanvasAgg(figure).print_png(partial, metadata={"Software": None}, pil_kwargs={"compress_level": 2})
    if data:
        style.write_csv(os.path.join(folder, name + ".csv"), data)
    return Figure(path[:-4], caption, name, figure.get_size_inches()[0] > 1.5 * WIDTH)
