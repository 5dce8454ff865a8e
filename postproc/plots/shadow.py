"""Shadow solves: how the solvers of the same systems compare, with the leader against itself as the measure of chance."""
import os

import numpy as np

from . import records, style


def present(run):
    return os.path.exists(run.file("shadow_summary.csv"))


def verdict_words(run):
    """One sentence a contender: only what its interval allows."""
    rows = records.read_csv(run.file("shadow_summary.csv"))
    sentences = []
    for name, verdict, low, high in zip(rows["name"], rows["verdict"], rows["low"], rows["high"]):
        if verdict == "faster":
            sentences.append("%s is faster than the leader: %.2g to %.2g of its time." % (name, low, high))
        elif verdict == "slower":
            sentences.append("%s is slower than the leader: %.3g to %.3g times its time." % (name, low, high))
        elif verdict not in ("leader", "control"):
            sentences.append("%s: %s." % (name, verdict))
    return sentences


def summary_table(run):
    rows = records.read_csv(run.file("shadow_summary.csv"))
    names = ["name", "solver", "systems", "iterations", "median ms", "time / leader's", "95 % interval", "won", "p", "not converged", "verdict"]
    table = []
    for i in range(len(rows["name"])):
        leader = not np.isfinite(rows["ratio"][i])
        table.append([rows["name"][i], rows["solver"][i], "%d" % rows["systems"][i], "%.1f" % rows["iterations"][i],
                      "%.3g" % rows["median_ms"][i], "" if leader else "%.3f" % rows["ratio"][i],
                      "" if leader else "%.3f to %.3f" % (rows["low"][i], rows["high"][i]),
                      "" if leader else "%d" % rows["won"][i], "" if leader else "%.2g" % rows["sign_test_p"][i],
                      "%d" % rows["failures"][i], rows["verdict"][i]])
    return names, table


def _pairs(run):
    """{name: (steps, time / leader's, iterations)} in the order of the summary, the leader's left out."""
    rows = records.read_csv(run.file("shadow.csv"))
    setup = np.nan_to_num(rows["setup_ms"]) if not isinstance(rows["setup_ms"], list) else 0.0
    total = rows["solve_ms"] + setup
    key = list(zip(rows["step"], rows["solve"]))
    leader = {k: t for k, t, name in zip(key, total, rows["name"]) if name == "leader"}
    found = {}
    for k, t, name, count in zip(key, total, rows["name"], rows["iterations"]):
        if name != "leader" and k in leader:
            steps, ratios, counts = found.setdefault(name, ([], [], []))
            steps.append(k[0])
            ratios.append(t / leader[k])
            counts.append(count)
    return {name: tuple(map(np.array, values)) for name, values in found.items()}


def ratio_plot(run, folder):
    pairs = _pairs(run)
    figure, axes = style.new()
    for i, (name, (steps, ratios, _)) in enumerate(pairs.items()):
        grey = name == "leader again"
        axes.plot(steps, ratios, ".", markersize=4, color="0.6" if grey else style.COLOURS[i % len(style.COLOURS)], label=name,
                  zorder=1 if grey else 2)
    axes.axhline(1.0, color="0.3", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_xlabel("step")
    axes.set_ylabel("time / the leader's")
    axes.legend(fontsize="small")
    steps = next(iter(pairs.values()))[0]
    data = [("step", steps)] + [(name, ratios) for name, (_, ratios, _) in pairs.items() if len(ratios) == len(steps)]
    return [style.save(figure, folder, "shadow_ratio", "Time of each solver over the leader's on the same system; below one is faster. "
                       "Grey: the leader against itself, what chance alone does.", data)]


def interval_plot(run, folder):
    rows = records.read_csv(run.file("shadow_summary.csv"))
    some = [i for i in range(len(rows["name"])) if np.isfinite(rows["ratio"][i])]
    figure, axes = style.new(height=0.9 + 0.35 * len(some))
    for place, i in enumerate(some):
        colour = "0.6" if rows["verdict"][i] == "control" else style.COLOURS[0]
        axes.plot([rows["low"][i], rows["high"][i]], [place, place], color=colour, linewidth=2)
        axes.plot(rows["ratio"][i], place, "o", color=colour)
    axes.axvline(1.0, color="0.3", linewidth=0.8)
    axes.set_yticks(range(len(some)), [rows["name"][i] for i in some])
    axes.set_ylim(len(some) - 0.5, -0.5)
    axes.set_xscale("log")
    axes.set_xlabel("time / the leader's: median of the pairs and its 95 % interval")
    data = [("name", [rows["name"][i] for i in some])] + [(key, rows[key][some]) for key in ("ratio", "low", "high")]
    return [style.save(figure, folder, "shadow_intervals", "Paired differences of all systems.", data)]


def iteration_plot(run, folder):
    pairs = _pairs(run)
    figure, axes = style.new()
    for i, (name, (steps, _, counts)) in enumerate(pairs.items()):
        if name != "leader again":
            axes.plot(steps, counts, linewidth=1.2, color=style.COLOURS[i % len(style.COLOURS)], label=name)
    axes.set_xlabel("step")
    axes.set_ylabel("iterations")
    axes.legend(fontsize="small")
    data = [("step", next(iter(pairs.values()))[0])] + [(name, counts) for name, (_, _, counts) in pairs.items()]
    return [style.save(figure, folder, "shadow_iterations", "Iterations that each solver takes on the systems of the run.", data)]
