"""Bandwidth of the kernels compared with the memory's: roofline.csv."""
import os

import numpy as np

from . import records, sketch, style

KINDS = ("spmv", "apply", "update")
WORDS = {"spmv": "product with the matrix", "apply": "application of the preconditioner", "update": "factorisation, update"}
COLOUR = {"spmv": "#009E73", "apply": "#0072B2", "update": "#E69F00"}


def kernels(run):
    """Medians over the steps: a list of dictionaries, in the order of the file."""
    rows = records.read_csv(run.file("roofline.csv"))
    if not len(rows["step"]):
        raise ValueError("roofline.csv has no rows")
    keys = list(zip(rows["system"], rows["solver"], rows["kernel"]))
    of = {}
    for i, key in enumerate(keys):
        of.setdefault(key, []).append(i)
    columns = [c for c in rows if c not in ("step", "system", "solver", "kernel")]
    found = []
    for (system, solver, kernel), at in of.items():
        entry = {"system": system, "solver": solver, "kernel": kernel, "samples": len(at)}
        entry.update({c: float(np.median(rows[c][at])) for c in columns})
        found.append(entry)
    return found


def _label(k, systems):
    who = k["solver"] if k["solver"] != "matrix" else "matrix"
    return ("%s: " % k["system"] if systems > 1 else "") + "%s, %s" % (who.replace("+", " + "), k["kernel"])


def rate_plot(run, folder):
    found = [k for k in kernels(run) if k["kernel"] in KINDS]
    systems = len({k["system"] for k in found})
    figure, axes = sketch.new(height=1.7 + 0.36 * len(found))
    for place, k in enumerate(found):
        axes.barh(place, k["gb_per_s"], height=0.62, color=COLOUR[k["kernel"]])
        axes.plot([k["triad_same_size_gb_per_s"]] * 2, [place - 0.4, place + 0.4], color=style.INK, linewidth=2)
        axes.text(k["gb_per_s"], place, "%.3g" % k["gb_per_s"], va="center", shift=(4, 0))
    triad = np.median([k["triad_gb_per_s"] for k in found])
    axes.axvline(triad, color="#b3261e", linestyle="--", linewidth=1.4)
    axes.set_yticks(range(len(found)), [_label(k, systems) for k in found])
    axes.set_ylim(len(found) - 0.4, -0.6)
    axes.set_xlim(0, 1.15 * max([triad] + [max(k["gb_per_s"], k["triad_same_size_gb_per_s"]) for k in found]))
    axes.grid(False, "y")
    axes.set_xlabel("GB/s: minimal bytes / measured time")
    axes.set_title("Bandwidth of the kernels")
    handles = [sketch.rule("#b3261e", "--"), sketch.rule(style.INK)]
    figure.key(handles, ["triad from main memory, %.3g GB/s" % triad, "triad with as many bytes"])
    data = [(c, [k[c] for k in found]) for c in ("system", "solver", "kernel", "bytes", "flops", "seconds", "gb_per_s", "gflop_per_s",
                                                  "triad_gb_per_s", "triad_same_size_gb_per_s")]
    return [figure.save(folder, "roofline_rates", "Minimal bytes that each kernel must move, divided by its measured time on the systems of "
                       "the run. Beyond the dashed line the data came from a cache. Black mark: triad with as many bytes.", data)]


def roofline_plot(run, folder):
    found = [k for k in kernels(run) if k["flops"] > 0]
    figure, axes = sketch.new(height=3.9)
    triad = np.median([k["triad_gb_per_s"] for k in found])
    best = max(k["triad_same_size_gb_per_s"] for k in found)
    intensity = np.array([k["flops"] / k["bytes"] for k in found])
    ends = np.array([intensity.min() / 1.6, intensity.max() * 1.6])
    axes.plot(ends, triad * ends, color="#b3261e", linestyle="--", label="memory, %.3g GB/s" % triad)
    if best > 1.1 * triad:
        axes.plot(ends, best * ends, color=style.INK, linewidth=1, label="cache, %.3g GB/s" % best)
    for kind in KINDS + ("parts",):
        some = [k for k in found if k["kernel"] == kind or (kind == "parts" and k["kernel"] not in KINDS)]
        if some:
            axes.plot([k["flops"] / k["bytes"] for k in some], [k["gflop_per_s"] for k in some], linestyle="", color=COLOUR.get(kind, style.GREY),
                      marker="o" if kind != "parts" else ".", markersize=7 if kind != "parts" else 5, label=WORDS.get(kind, "colours, sweeps, levels"))
    axes.log("x")
    axes.log("y")
    figure.finish(axes, "Roofline", "flop per byte", "Gflop/s")
    data = [("system", [k["system"] for k in found]), ("solver", [k["solver"] for k in found]), ("kernel", [k["kernel"] for k in found]),
            ("flops_per_byte", intensity), ("gflop_per_s", [k["gflop_per_s"] for k in found])]
    return [figure.save(folder, "roofline", "Operations per second against operations per byte (Williams, Waterman & Patterson 2009). A kernel on "
                       "the dashed line uses all of the memory's bandwidth.", data)]


def part_plots(run, folder):
    """Time per colour, sweep or level, for each preconditioner that reports them."""
    of = {}
    for k in kernels(run):
        if k["kernel"] not in KINDS:
            of.setdefault((k["system"], k["solver"]), []).append(k)
    figures = []
    for number, ((system, solver), parts) in enumerate(of.items()):
        figure, axes = sketch.new(height=3.2)
        x = np.arange(len(parts))
        axes.bar(x, [1e6 * k["seconds"] for k in parts], color="#c4c9ce", width=0.7)
        axes.set_ylabel("microseconds (bars)")
        right = axes.twinx()
        right.plot(x, [k["gb_per_s"] for k in parts], "o-", color="#0072B2")
        right.set_ylabel("GB/s (line)")
        right.set_ylim(0, 1.12 * max(k["gb_per_s"] for k in parts))  # the points clear of the frame
        names = [k["kernel"] for k in parts]
        words = os.path.commonprefix(names) if len(names) > 2 else ""
        short = [n[len(words):] for n in names] if words and all(n[len(words):] for n in names) else names
        axes.set_xticks(x, short)
        axes.set_xlabel(words.strip())
        axes.grid(False, "x")
        axes.set_title(("%s: " % system) + solver.replace("+", " + "))
        data = [(c, [k[c] for k in parts]) for c in ("kernel", "bytes", "flops", "seconds", "gb_per_s")]
        figures.append(figure.save(folder, "roofline_parts_%d" % number, "Parts of one application of the preconditioner: time and "
                                  "bandwidth of each.", data))
    return figures


def table(run):
    names = ["system", "solver", "kernel", "MB", "Mflop", "microseconds", "GB/s", "of triad", "of triad with as many bytes"]
    rows = [[k["system"], k["solver"], k["kernel"], "%.3g" % (1e-6 * k["bytes"]), "%.3g" % (1e-6 * k["flops"]), "%.4g" % (1e6 * k["seconds"]),
             "%.3g" % k["gb_per_s"], "%.2f" % (k["gb_per_s"] / k["triad_gb_per_s"]), "%.2f" % (k["gb_per_s"] / k["triad_same_size_gb_per_s"])]
            for k in kernels(run)]
    return names, rows
