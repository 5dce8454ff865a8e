"""The plots of a study: intervals, the win map over the run, iterations, where the time of each solver goes, convergence."""
import math
import os

import numpy as np

from . import shadow, sketch, style
from .shadow import CONTROL, REFERENCE


UNDECIDED = "undecided"


def colours(study):
    """One colour per solver on all plots."""
    found = {REFERENCE: style.INK, CONTROL: style.GREY, UNDECIDED: style.GREY}
    for i, name in enumerate(study.candidates):
        found[name] = style.COLOURS[i % len(style.COLOURS)]
    return found


def _height(study):
    return 1.92 + 0.42 * len(study.candidates) + (1.25 if study.cfl is not None else 0)


def _edges(x):
    middle = 0.5 * (x[1:] + x[:-1])
    first, last = x[0] - (middle[0] - x[0]), x[-1] + (x[-1] - middle[-1])
    return np.concatenate([[first], middle, [last]])


def _stretches(study):
    """The run in at most twelve stretches of at least ten systems, with fewer the sign test says nothing: first and last
    row of each."""
    count = len(study.steps)
    number = max(1, min(12, count // 10))
    cuts = np.linspace(0, count, number + 1).astype(int)
    return list(zip(cuts[:-1], cuts[1:]))


def _chance(wins, count):
    """Two-sided sign test: of `wins` or something rarer among `count` throws of a fair coin."""
    rarer = min(wins, count - wins)
    return min(1.0, 2 * sum(math.comb(count, k) for k in range(rarer + 1)) / 2.0 ** count)


def winners(study):
    """The fastest of each stretch, where the median of its ratios lies beyond the noise and the sign test, shared among the
    stretches, leaves less than 5 % to chance; the reference where that holds of all others being slower; else undecided."""
    found, stretches = [], _stretches(study)
    for a, b in stretches:
        medians = {}
        for name in study.candidates:
            ratio = study.ratio(name)[a:b]
            if _chance(int(np.sum(ratio < 1)), b - a) < 0.05 / len(stretches):
                medians[name] = np.median(ratio)
        best = min(medians, key=medians.get, default=None)
        if best and medians[best] < 1 / study.floor():
            found.append(best)
        else:
            all_slower = len(medians) == len(study.candidates) and min(medians.values()) > study.floor()
            found.append(REFERENCE if all_slower else UNDECIDED)
    return found


def _runs(stretches, names):
    """Joins neighbouring stretches with the same winner."""
    merged = []
    for (a, b), name in zip(stretches, names):
        if merged and merged[-1][2] == name:
            merged[-1][1] = b
        else:
            merged.append([a, b, name])
    return merged


def win_map(study, folder):
    """One row per solver along the run: violet where it is faster than the reference solver, orange where it is slower, white within the noise band."""
    names, shown = study.candidates, colours(study)
    if len(study.steps) < 3 or np.any(np.diff(study.x) < 0):
        raise ValueError("too few systems for a map")
    x = study.x if np.all(np.diff(study.x) > 0) else np.arange(len(study.x), dtype=float)
    panels = 2 if study.cfl is not None else 1
    figure, axes = sketch.new(style.WIDTH, _height(study), panels, share="x", height_ratios=[0.42 * (len(names) + 1), 1.1][:panels])
    axes = axes if panels > 1 else [axes]
    top = axes[0]
    edges = _edges(x)
    most = 3.0  # doublings
    values = np.array([np.clip(np.log2(study.ratio(n)), -most, most) for n in names])
    values[np.abs(values) <= np.log2(study.floor())] = 0
    drawn = top.cells(edges, np.arange(len(names) + 1) + 1, values, -most, most, "PuOr_r")
    for a, b, name in _runs(_stretches(study), winners(study)):
        top.barh(0.5, edges[b] - edges[a], left=edges[a], height=0.8, color=shown[name], edge="white")
        if edges[b] - edges[a] > 0.09 * len(name) / 6 * (edges[-1] - edges[0]):
            top.text(0.5 * (edges[a] + edges[b]), 0.5, name, ha="center", va="center", color="white", fontsize=8)
    top.set_yticks(np.arange(len(names) + 1) + 0.5, ["fastest"] + names)
    top.set_ylim(len(names) + 1, 0)
    top.grid(False)
    top.set_title("Fastest solver along the run")
    figure.colour_bar(drawn, "time / reference's time", None, range(-3, 4), ["1/8", "1/4", "1/2", "1", "2", "4", "8"])
    if panels == 2:
        low = axes[1]
        low.plot(x, study.cfl, color=style.INK)
        low.set_ylabel("CFL")
        if np.nanmax(study.cfl) > 20 * np.nanmin(study.cfl) > 0:
            low.log()
    axes[-1].set_xlabel(study.x_label if x is study.x else "system")
    axes[-1].set_xlim(edges[0], edges[-1])
    data = [("step", study.steps), (study.x_label.replace(" ", "_"), study.x)] + ([("cfl", study.cfl)] if panels == 2 else [])
    data += [(n, study.ratio(n)) for n in study.names if n != REFERENCE]
    return [figure.save(folder, "shadow_win_map", "One column per system: violet where a solver took less time than the reference "
                       "solver, orange where it took more, white within the noise band. First row: the fastest solver of each "
                       "stretch, or undecided if no difference is significant.", data)]


def ratio_plot(study, folder):
    shown = colours(study)
    figure, axes = sketch.new(height=3.6)
    for name in [CONTROL] + study.candidates:
        grey = name == CONTROL
        axes.plot(study.x, study.ratio(name), ".", markersize=4, color=shown[name], label=name)
    axes.axhline(1.0, color="#5b6670", linewidth=1)
    axes.log()
    figure.finish(axes, "Every pair", study.x_label, "time / reference's time")
    data = [("step", study.steps)] + [(n, study.ratio(n)) for n in study.names if n != REFERENCE]
    return [figure.save(folder, "shadow_ratio", "Time of each solver relative to the reference solver on the same system. Grey: A/A pairs.", data)]


def iteration_plot(study, folder):
    """Distributions as boxes, and values along the run."""
    names, shown = [n for n in study.names if n != CONTROL], colours(study)
    figure, (left, right) = sketch.new(style.WIDTH, 3.6, 1, 2, share="y", width_ratios=[1, 1.5])
    left.boxplot([study.iterations(n) for n in names], [shown[n] for n in names])
    left.set_xticks(range(1, len(names) + 1), names, slanted=True)
    left.set_ylabel("iterations per solve")
    left.set_title("Iterations")
    for name in names:
        right.plot(study.x, study.iterations(name), linewidth=1.3, color=shown[name], label=name)
    every = np.concatenate([study.iterations(n) for n in names])
    if np.min(every) > 0 and np.max(every) > 20 * np.min(every):
        left.log()
    else:
        left.set_ylim(0)
    right.set_xlabel(study.x_label)
    data = [("step", study.steps)] + [(n, study.iterations(n)) for n in names]
    return [figure.save(folder, "shadow_iterations", "Iterations of each solver on the same systems: quartiles, whiskers to 1.5 times "
                       "the interquartile range, points beyond; and along the run.", data)]


def split_plot(study, folder):
    names = [n for n in study.names if n != CONTROL]
    parts = {n: study.split(n) for n in names}
    kinds = list(dict.fromkeys(word for n in names for word, _ in parts[n]))
    palette = {"setup": "#E69F00", "preconditioner": "#0072B2", "product": "#009E73", "vectors, sums": "#CC79A7", "rest": "#c4c9ce",
               "not split": "#e4e7ea"}
    figure, axes = sketch.new(height=1.9 + 0.42 * len(names))
    total = {n: sum(v for _, v in parts[n]) for n in names}
    clip = None
    if max(total.values()) > 8 * total[REFERENCE]:  # one slow solver must not hide what the others do
        clip = 5 * total[REFERENCE]
    for place, name in enumerate(names):
        left = 0
        for word, value in parts[name]:
            axes.barh(place, value, left=left, height=0.68, color=palette[word], edge="white", label=word)
            left += value
        end = min(left, clip) if clip else left
        axes.text(end, place, "%.3g ms%s" % (left, " →" if clip and left > clip else ""), "left" if end == left else "right", "center",
                  shift=(4 if end == left else -4, 0))
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(0, clip if clip else 1.18 * max(total.values()))
    axes.grid(False, "y")
    axes.set_xlabel("ms per solve")
    axes.set_title("Where the time of each solver goes")
    handles = [sketch.patch(palette[k]) for k in kinds]
    figure.key(handles, kinds)
    data = [("name", names)] + [(k, [dict(parts[n]).get(k, "") for n in names]) for k in kinds]
    caption = "Mean times of the parts of a solve, scaled so that their sum is the median solve time."
    if "not split" in kinds:
        caption += " Not split: solvers of other libraries, which do not report the times of their parts."
    return [figure.save(folder, "shadow_split", caption, data)]


def curve_plots(run, study, folder):
    """Residuals against iterations and against milliseconds, for the last system recorded."""
    if not os.path.exists(run.file("shadow_curves.csv")):
        return []
    rows = shadow.read(run, "shadow_curves.csv")
    if not len(rows["step"]):
        return []
    step, shown = np.max(rows["step"]), colours(study)
    who = np.array(rows["name"])
    figure, (left, right) = sketch.new(style.WIDTH, 3.6, 1, 2, share="y")
    for name in [CONTROL] + study.candidates:
        at = np.flatnonzero((who == name) & (rows["step"] == step))
        if not len(at):
            continue
        first = rows["residual"][at[0]]
        label = REFERENCE if name == CONTROL else name
        for axes, column in ((left, "iteration"), (right, "ms")):
            axes.plot(rows[column][at], rows["residual"][at] / first, color=shown[REFERENCE if name == CONTROL else name], label=label,
                      marker="." if len(at) < 20 else None)
    for axes, word in ((left, "iterations"), (right, "milliseconds")):
        axes.symlog("x", 10 if axes is left else 1)
        axes.set_xlim(0)
        axes.set_xlabel(word)
    left.log()
    figure.finish(left, "Convergence at step %d" % step, "iterations", "|r| / |r₀|")
    data = [(c, rows[c]) for c in ("step", "name", "iteration", "ms", "residual")]
    return [figure.save(folder, "shadow_curves", "Residual of each solver on the last system recorded. Time: set-up first, then the time of "
                       "the solve divided evenly among its iterations.", data)]
