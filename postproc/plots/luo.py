#!/usr/bin/env python3
"""Draws the tables of `weir bench luo-...` as the paper draws them (Luo et al. 2015):
    luo.py luo_fig9|luo_fig10|luo_table1|luo_table4|luo_fig8 TABLE.csv PICTURE.png"""
import csv
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from plots import style  # noqa: E402

MARKERS = "osD^v"
PARTS = [("run_us", "whole run"), ("factor_us", "factorisation"), ("solve_us", "triangular solve"), ("residual_us", "residual")]


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def by_schedule(rows):
    return list(dict.fromkeys(row["schedule"] for row in rows))


def four_panels(rows, x, label, logarithmic):
    figure, axes = style.new(width=9, height=6.6, nrows=2, ncols=2, sharex=True)
    for place, (column, title) in zip(axes.flat, PARTS):
        for q, name in enumerate(by_schedule(rows)):
            mine = [row for row in rows if row["schedule"] == name]
            place.plot([float(row[x]) for row in mine], [float(row[column]) for row in mine], marker=MARKERS[q % 5],
                       markersize=4.5, label=name)
        place.set_title(title)
        if logarithmic:
            place.set(xscale="log", yscale="log")
            first = [row for row in rows if row["schedule"] == by_schedule(rows)[0]]
            ends = [float(first[0][x]), float(first[-1][x])]
            start = float(first[-1][column])
            place.plot(ends, [start * (e / ends[1]) ** 2 for e in ends], color="#888888", linewidth=1, linestyle="--",
                       label="$n^2$")
            ticks = sorted({int(row[x]) for row in rows})
            place.set_xticks(ticks, ticks, fontsize=8.5)
            place.minorticks_off()
        else:
            place.set_ylim(bottom=0)
    for place in axes[1]:
        place.set_xlabel(label)
    for place in axes[:, 0]:
        place.set_ylabel("µs a point")
    axes[0, 0].legend()
    return figure


def fig9(rows):
    return four_panels(rows, "cells", "cells", False)


def fig10(rows):
    return four_panels(rows, "n", "unknowns a cell, n", True)


def table4(rows):
    """Rates beside the triad."""
    kernels = list(dict.fromkeys(row["kernel"] for row in rows))
    schedules = by_schedule(rows)
    figure, axes = style.new(height=3.4)
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
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1.0), ncols=2)
    return figure


KINDS = {"luo_fig9": fig9, "luo_fig10": fig10, "luo_table4": table4}


def main(arguments):
    if len(arguments) != 3 or arguments[0] not in KINDS:
        print(__doc__, file=sys.stderr)
        return 2
    figure = KINDS[arguments[0]](read(arguments[1]))
    figure.savefig(arguments[2], metadata={"Software": None})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
