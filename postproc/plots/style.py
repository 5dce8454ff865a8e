"""One look for all plots: size, fonts, colours (Okabe & Ito 2008: told apart by everybody), and saving with the data."""
import csv
import os

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5A5A5A", "#B8A800"]
WIDTH = 5.6  # inches: one column of the page, so that the letters are readable on a phone too

plt.rcParams.update({
    "font.family": "DejaVu Sans", "font.size": 10.5, "axes.titlesize": 11.5, "axes.titleweight": "bold",
    "axes.titlelocation": "left", "axes.titlepad": 8, "axes.labelsize": 10.5, "axes.edgecolor": "#444444",
    "axes.linewidth": 0.8, "axes.grid": True, "grid.color": "#dddddd", "grid.linewidth": 0.7, "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "axes.prop_cycle": plt.cycler(color=COLOURS),
    "lines.linewidth": 1.6, "legend.frameon": False, "legend.fontsize": 9.5, "xtick.labelsize": 9.5,
    "ytick.labelsize": 9.5, "xtick.color": "#444444", "ytick.color": "#444444", "figure.dpi": 100,
    "savefig.dpi": 180, "axes.formatter.useoffset": False, "axes.formatter.limits": (-3, 5),
    "axes.formatter.use_mathtext": True, "image.cmap": "viridis"})


def legend_below(figure, handles, names, columns=3, **options):
    """A legend under all axes of a figure, with room made for it."""
    columns = min(columns, len(names))
    height = (0.12 + 0.2 * -(-len(names) // columns)) / figure.get_size_inches()[1]
    figure.get_layout_engine().set(rect=(0, height, 1, 1 - height))
    figure.legend(handles, names, loc="lower center", ncols=columns, fontsize=9, **options)


class Figure:
    """A saved plot: its PNG (for the page), its caption, its short name."""

    def __init__(self, png, caption, name):
        self.png, self.caption, self.name = png, caption, name


def new(width=WIDTH, height=3.7, **options):
    return plt.subplots(figsize=(width, height), layout="constrained", **options)


def save(figure, folder, name, caption, data=None):
    """Writes NAME.png and, from data = [(column, values), ...], NAME.csv."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name + ".png")
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)
    if data:
        write_csv(os.path.join(folder, name + ".csv"), data)
    return Figure(path, caption, name)


def write_csv(path, data):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow([name for name, _ in data])
        for row in zip(*[values for _, values in data]):
            out.writerow(["%.9g" % v if isinstance(v, float) else v for v in row])


def number(value, digits=4):
    """A number as people read it."""
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}".replace(",", "\u202f")
    return f"{value:.{digits}g}"


def words(name):
    return name.replace("_", " ")
