"""One look for all plots: size, colours (Okabe & Ito 2008: distinct also for colour-blind readers), number formats, CSV."""
import numpy as np

from . import output

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5A5A5A", "#B8A800"]
INK, GREY, NO_VALUE = "#1d2329", "#9aa0a6", "#c9ced3"
WIDTH = 5.6  # inches: one column of the page, so that the letters are readable on a phone too

# Colours at even distances, straight lines between them: viridis (Smith & van der Walt, CC0), turbo (Mikhailov, Apache 2.0), the
# others by Cynthia Brewer (colorbrewer2.org, Apache 2.0).
MAPS = {
    "viridis": (
        "440154470d6048186a482374472d7b4537814240863e49893b528b375b8d33638d2f6b8e2c728e297a8e26828e23898e"
        "21918c1f988b1fa08822a78528ae8032b67a3fbc734ec36b5ec96270cf5784d44b98d83eaddc30c2df23d8e219ece51b"
        "fde725"),
    "turbo": (
        "30123b392a734040a24456c7466be34680f64294ff37a8fa28bceb1ccdd818ddc21fe9af32f2984ef97d6dfe628bff4b"
        "a4fc3cb9f635cdec34dfdf37eecf3af8be39fdac34fe962bfb7e21f46617eb500edf3f08d02f05be2102a91601920b01"
        "7a0403"),
    "RdBu_r": (
        "0530612065ab4393c390c4ddd1e5f0f7f6f6fddbc7f3a481d6604db1182b67001f"),
    "YlGnBu_r": (
        "081d58253494225ea81d91c042b6c480cebbc8e9b4edf8b2ffffd9"),
    "PuOr_r": (
        "2d004b5326878073acb1aad1d8daebf7f7f6fee0b6fcb761e08214b257067f3b08"),
}

# ---- numbers and words

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


def tick(value, _=None):
    """A tick's label: 0.25, 40000, 2·10⁻⁶. Plain characters, which matplotlib sets ten times faster than its mathtext."""
    text = "%.10g" % value
    if value != 0 and not 1e-4 < abs(value) < 1e5:
        text = "%.4e" % value
        mantissa, power = text.split("e")
        mantissa = mantissa.rstrip("0").rstrip(".")
        power = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        text = ("" if mantissa == "1" else "-" if mantissa == "-1" else mantissa + "·") + "10" + power
    return text.replace("-", "−")


class Figure:
    """A plot: its path without the ending, its caption, its short name, whether it takes a row of its own, its record
    (sketch.py), its data."""

    def __init__(self, path, caption, name, is_long, plot, data=None):
        self.path, self.caption, self.name, self.is_long, self.plot, self.data = path, caption, name, is_long, plot, data
        self.write_more = None  # called when PNG files are written


def write_csv(path, data):
    def cell(value):
        text = "%.9g" % value if isinstance(value, float) else str(value)
        return '"%s"' % text.replace('"', '""') if "," in text or '"' in text else text

    lengths = {len(values) for _, values in data}
    columns, forms = [], []
    for _, values in data:
        is_real = isinstance(values, np.ndarray) and values.dtype.kind == "f" and len(lengths) == 1
        forms.append("%.9g" if is_real else "%s")
        columns.append(values.tolist() if is_real else [cell(v) for v in values] + [""] * (max(lengths) - len(values)))
    line = ",".join(forms) + "\n"
    with output.aside(path) as partial, open(partial, "w") as file:
        file.write(",".join(cell(name) for name, _ in data) + "\n")
        file.writelines(line % row for row in zip(*columns))
