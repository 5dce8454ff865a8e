#!/usr/bin/env python3
"""Draws the tables of `weir bench luo-...` as the paper draws them (Luo et al. 2015):
    plots.py luo_fig9|luo_fig10|luo_table1|luo_table4|luo_fig8 TABLE.csv PICTURE.png"""
import csv
import sys

import matplotlib
from matplotlib import pyplot

matplotlib.use("Agg")
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5A5A5A", "#B8A800"]

MARKERS = "osD^v"
PARTS = [("run_us", "whole run"), ("factor_us", "factorisation"), ("solve_us", "triangular solve"), ("residual_us", "residual")]


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def by_schedule(rows):
    return list(dict.fromkeys(row["schedule"] for row in rows))


def four_panels(rows, x, label, logarithmic):
    figure, axes = pyplot.subplots(2, 2, sharex=True, figsize=(9, 6.6), layout="constrained")
    for place, (column, title) in zip(axes.flat, PARTS):
        for q, name in enumerate(by_schedule(rows)):
            mine = [row for row in rows if row["schedule"] == name]
            place.plot([float(row[x]) for row in mine], [float(row[column]) for row in mine], marker=MARKERS[q % 5],
                       markersize=4.5, label=name)
        place.set_title(title)
        if logarithmic:
            first = [row for row in rows if row["schedule"] == by_schedule(rows)[0]]
            ends = [float(first[0][x]), float(first[-1][x])]
            start = float(first[-1][column])
            place.plot(ends, [start * (e / ends[1]) ** 2 for e in ends], color="#888888", linewidth=1, linestyle="--",
                       label="n²")
            ticks = sorted({int(row[x]) for row in rows})
            place.set_xscale("log")
            place.set_yscale("log")
            place.set_xticks(ticks, ticks, fontsize=8.5)
        else:
            place.set_ylim(bottom=0)
    for place in axes[1]:
        place.set_xlabel(label)
    for place in axes[:, 0]:
        place.set_ylabel("µs per point")
    axes[0, 0].legend()
    return figure


def fig9(rows):
    return four_panels(rows, "cells", "cells", False)


def fig10(rows):
    return four_panels(rows, "n", "unknowns per cell, n", True)


def table4(rows):
    """Rates compared with the triad."""
    kernels = list(dict.fromkeys(row["kernel"] for row in rows))
    schedules = by_schedule(rows)
    figure, axes = pyplot.subplots(figsize=(5.6, 3.4), layout="constrained")
    width = 0.8 / len(schedules)
    for q, name in enumerate(schedules):
        values = [float(row["of triad"]) for row in rows if row["schedule"] == name]
        bars = axes.bar([i + (q - (len(schedules) - 1) / 2) * width for i in range(len(kernels))], values, width * 0.94, label=name)
        axes.bar_label(bars, ["%.2f" % v for v in values], fontsize=8.5)
    axes.axhline(1, color="#444444", linewidth=1, linestyle="--")
    axes.set_xticks(range(len(kernels)), kernels)
    axes.grid(axis="x", visible=False)
    axes.set_ylabel("bytes to move / triad of one core")
    axes.set_title("Throughput of the kernels, n = 6")
    axes.legend()
    return figure


def table1(rows):
    """The residual, and how far each schedule is from the sequential one."""
    names = [name for name in rows[0] if name != "iteration"]
    steps = [int(row["iteration"]) for row in rows]
    figure, (above, below) = pyplot.subplots(2, sharex=True, figsize=(5.6, 5.6), layout="constrained")
    first = [float(row[names[0]]) for row in rows]
    above.plot(steps, first, marker="o", markersize=4.5)
    above.set_yscale("log")
    above.set_ylabel("sum of squares of R")
    above.set_title("Residual, sequential")
    for q, name in enumerate(names[1:]):
        difference = [abs(float(row[name]) / s - 1) for row, s in zip(rows, first)]
        below.plot(steps, [max(d, 1e-13) for d in difference], marker=MARKERS[q % 5], markersize=4.5, label=name)
    below.set_yscale("log")
    below.set_ylabel("relative difference")
    below.set_xlabel("iteration (equal in the twelve digits printed: drawn at 10⁻¹³)")
    below.set_xticks(steps[::2])
    below.set_title("Every schedule compared with sequential")
    below.legend()
    return figure


def fig8(rows):
    schedules = by_schedule(rows)
    figure, axes = pyplot.subplots(figsize=(7.5, 1.6 + 0.8 * len(schedules)), layout="constrained")
    for place, name in enumerate(schedules):
        left = 0
        for q, row in enumerate(row for row in rows if row["schedule"] == name):
            value = float(row["ms a step"])
            bar = axes.barh(place, value, left=left, height=0.6, color=COLOURS[q % len(COLOURS)],
                            label=row["part"] if place == 0 else None, edgecolor="white")
            if float(row["per cent"]) > 7:
                axes.bar_label(bar, ["%.0f %%" % float(row["per cent"])], label_type="center", fontsize=8.5, color="white")
            left += value
    axes.set_yticks(range(len(schedules)), schedules)
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_title("Main loop, n = 6, 7 sub-iterations per step")
    axes.set_xlabel("ms per time step")
    axes.legend()
    return figure


KINDS = {"luo_table1": table1, "luo_fig8": fig8, "luo_fig9": fig9, "luo_fig10": fig10, "luo_table4": table4}


def main(arguments):
    if len(arguments) != 3 or arguments[0] not in KINDS:
        print(__doc__, file=sys.stderr)
        return 2
    KINDS[arguments[0]](read(arguments[1])).savefig(arguments[2], dpi=150)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
