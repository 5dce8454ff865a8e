#!/usr/bin/env python3
"""Draws the tables of `weir bench halo` and `weir bench scaling` as Liu, Seo & Mittal 2013 draw theirs:
    plots.py FOLDER      writes scaling_halo.png, scaling_ranks.png and scaling_model.png into it"""
import csv
import os
import sys

import matplotlib
from matplotlib import pyplot

matplotlib.use("Agg")

MARKERS = "osD^v"


def read(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def lines(place, rows, x, y, names):
    """One curve a value of the tuple of columns `names`."""
    keys = list(dict.fromkeys(tuple(row[n] for n in names) for row in rows))
    for q, key in enumerate(keys):
        mine = sorted((float(r[x]), float(r[y])) for r in rows if tuple(r[n] for n in names) == key)
        place.plot([a for a, _ in mine], [b for _, b in mine], marker=MARKERS[q % 5], markersize=4.5, label=", ".join(key),
                   linestyle="--" if "naive" in key else "-")
    if keys:
        place.legend(fontsize=7.5)  # two panels with curves of their own


def halo(folder):
    vectors = [r for r in read(folder, "halo_vector.csv") if r["space"] == "host"]
    plane = max((int(r["bytes"]) for r in vectors), default=0)
    vectors = [r for r in vectors if int(r["bytes"]) == plane]
    scalars = [r for r in read(folder, "halo_scalar.csv") if r["values"] == "1"]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    lines(left, [r for r in vectors if int(r["ranks"]) > 1], "ranks", "microseconds", ["strategy"])
    left.set(title=f"(a) {plane // 1000} kB to each side", xlabel="ranks", ylabel="µs")
    lines(right, [r for r in scalars if int(r["ranks"]) > 1], "ranks", "microseconds", ["reduction"])
    right.set(title="(b) one number over all ranks", xlabel="ranks", ylabel="µs")
    for place in (left, right):
        place.set_yscale("log")
    return figure


def ranks(folder):
    rows = [r for r in read(folder, "scaling.csv") if float(r["tolerance"]) < 0]
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    cubes = [r for r in rows if r["nx"] == r["nz"]]
    largest = max((int(r["nx"]) for r in cubes), default=0)
    lines(left, [r for r in cubes if int(r["nx"]) == largest], "ranks", "iteration_ms", ["method", "version"])
    left.set(title=f"strong: {largest}$^3$", xlabel="ranks", ylabel="ms per iteration")
    smallest = min((int(r["nx"]) for r in cubes), default=0)
    weak = [r for r in rows if int(r["nx"]) == smallest and int(r["nz"]) == smallest * int(r["ranks"])]
    lines(right, weak, "ranks", "iteration_ms", ["method", "version"])
    right.set(title=f"weak: {smallest}$^3$ a rank", xlabel="ranks", ylabel="ms per iteration")
    for place in (left, right):
        place.set_ylim(bottom=0)
    return figure


def model(folder):
    projection, stated = read(folder, "model_projection.csv"), read(folder, "model_paper.csv")
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    theirs = [r for r in projection if r["machine"].startswith("Keeneland")]
    lines(left, theirs, "gpus", "iteration_ms", ["cells", "version"])
    for row in stated:
        left.plot(float(row["gpus"]), float(row["paper_ms"]), marker="x" if row["calibrates"] == "0" else "+",
                  color="black", markersize=8, markeredgewidth=1.6)
    left.set(title="Keeneland: model; x, +: the paper", xlabel="GPUs", ylabel="ms per iteration")
    ours = [r for r in projection if not r["machine"].startswith("Keeneland") and r["version"] == "optimised"]
    lines(right, ours, "gpus", "iteration_ms", ["method", "cells"])
    right.set(title="8 x H200 a node: projection", xlabel="GPUs")
    for place in (left, right):
        place.set_xscale("log")
        place.set_yscale("log")
    return figure


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    for name, draw in (("halo", halo), ("ranks", ranks), ("model", model)):
        draw(folder).savefig(os.path.join(folder, f"scaling_{name}.png"), dpi=150)


if __name__ == "__main__":
    main()
