"""The plots of a study: intervals, the win map over the run, iterations, where the time of each solver goes, convergence."""
import math
import os

import numpy as np

from . import records, style
from .shadow import CONTROL, LEADER

GREY = "#9aa0a6"


def colours(study):
    """One colour a solver on all plots."""
    found = {LEADER: "#1d2329", CONTROL: GREY}
    for i, name in enumerate(study.contenders):
        found[name] = style.COLOURS[i % len(style.COLOURS)]
    return found


def _ratio_axis(axis):
    """Powers and what lies between, as plain numbers."""
    axis.set_major_formatter(style.plt.FuncFormatter(lambda v, _: "%g" % v))
    axis.set_minor_formatter(style.plt.NullFormatter())


def _ratio_ticks(axes, low, high):
    candidates = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.5, 2, 5, 10, 20, 50, 100, 200, 500]
    wide = high / low > 4
    ticks = [t for t in candidates if low <= t <= high and not (wide and t in (0.7, 0.8, 0.9, 1.1, 1.2, 1.5))]
    axes.set_xticks(ticks)
    _ratio_axis(axes.xaxis)


def interval_plot(study, folder):
    names = [CONTROL] + study.contenders
    shown = colours(study)
    figure, axes = style.new(height=1.2 + 0.42 * len(names))
    floor = study.floor()
    axes.axvspan(1 / floor, floor, color="#e8eaed", zorder=0)
    axes.axvline(1.0, color="#5b6670", linewidth=1)
    for place, name in enumerate(names):
        low, high, ratio = (study.value(name, c) for c in ("low", "high", "ratio"))
        axes.plot([low, high], [place, place], color=shown[name], linewidth=4, solid_capstyle="butt")
        axes.plot(ratio, place, "o", color=shown[name], markersize=7, markeredgecolor="white")
        axes.annotate("%.2f" % ratio if ratio < 10 else "%.1f" % ratio, (ratio, place), (0, 7), textcoords="offset points",
                      ha="center", fontsize=9, color="#1d2329")
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.75)
    axes.set_xscale("log")
    low = min(min(study.value(n, "low") for n in names) / 1.25, 0.8)
    high = max(max(study.value(n, "high") for n in names) * 1.25, 1.25)
    axes.set_xlim(low, high)
    _ratio_ticks(axes, low, high)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("time / leader's time     (left of 1: faster)")
    axes.set_title("Paired differences")
    data = [("name", names)] + [(c, [study.value(n, c) for n in names]) for c in ("ratio", "low", "high", "won", "sign_test_p")]
    return [style.save(figure, folder, "shadow_intervals", "Median over the systems of each solver's time over the leader's, and its "
                       "95 % interval. Shaded: what the leader against itself reaches, the noise.", data)]


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
    """Of each stretch who needed the least time: another than the leader only where the median of the ratios lies beyond
    the noise and the sign test, shared among the stretches, leaves less than 5 % to chance."""
    found, stretches = [], _stretches(study)
    for a, b in stretches:
        medians = {}
        for name in study.contenders:
            ratio = study.ratio(name)[a:b]
            if _chance(int(np.sum(ratio < 1)), b - a) < 0.05 / len(stretches):
                medians[name] = np.median(ratio)
        best = min(medians, key=medians.get) if medians else LEADER
        found.append(best if best != LEADER and medians[best] < 1 / study.floor() else LEADER)
    return found


def _runs(stretches, names):
    """Neighbouring stretches of one winner as one."""
    merged = []
    for (a, b), name in zip(stretches, names):
        if merged and merged[-1][2] == name:
            merged[-1][1] = b
        else:
            merged.append([a, b, name])
    return merged


def win_map(study, folder):
    """Rows: solvers; along the run, violet where faster than the leader, orange where slower, white within the noise."""
    names, shown = study.contenders, colours(study)
    if len(study.steps) < 3 or np.any(np.diff(study.x) < 0):
        raise ValueError("too few systems for a map")
    x = study.x if np.all(np.diff(study.x) > 0) else np.arange(len(study.x), dtype=float)
    panels = 2 if study.cfl is not None else 1
    height = 1.5 + 0.42 * (len(names) + 1) + (1.25 if panels == 2 else 0)
    figure, axes = style.plt.subplots(panels, 1, figsize=(style.WIDTH, height), layout="constrained", sharex=True, squeeze=False,
                                      gridspec_kw={"height_ratios": [0.42 * (len(names) + 1), 1.1][:panels]})
    top = axes[0][0]
    edges = _edges(x)
    most = 3.0  # doublings
    values = np.array([np.clip(np.log2(study.ratio(n)), -most, most) for n in names])
    values[np.abs(values) <= np.log2(study.floor())] = 0
    drawn = top.pcolormesh(edges, np.arange(len(names) + 1) + 1, values, cmap="PuOr_r", vmin=-most, vmax=most, rasterized=True)
    for a, b, name in _runs(_stretches(study), winners(study)):
        top.barh(0.5, edges[b] - edges[a], left=edges[a], height=0.8, color=shown[name], edgecolor="white", linewidth=1)
        if edges[b] - edges[a] > 0.09 * len(name) / 6 * (edges[-1] - edges[0]):
            top.text(0.5 * (edges[a] + edges[b]), 0.5, name, ha="center", va="center", color="white", fontsize=8)
    top.set_yticks(np.arange(len(names) + 1) + 0.5, ["winner"] + names)
    top.set_ylim(len(names) + 1, 0)
    top.grid(False)
    top.set_title("Who wins along the run")
    bar = figure.colorbar(drawn, ax=axes[:, 0].tolist(), orientation="horizontal", aspect=45, pad=0.02, shrink=0.9)
    bar.set_ticks(np.arange(-3, 4), labels=["1/8", "1/4", "1/2", "1", "2", "4", "8"])
    bar.set_label("time / leader's time")
    if panels == 2:
        low = axes[1][0]
        low.plot(x, study.cfl, color="#1d2329")
        low.set_ylabel("CFL")
        if np.nanmax(study.cfl) > 20 * np.nanmin(study.cfl) > 0:
            low.set_yscale("log")
    axes[-1][0].set_xlabel(study.x_label if x is study.x else "system")
    axes[-1][0].set_xlim(edges[0], edges[-1])
    data = [("step", study.steps), (study.x_label.replace(" ", "_"), study.x)] + ([("cfl", study.cfl)] if panels == 2 else [])
    data += [(n, study.ratio(n)) for n in study.names if n != LEADER]
    return [style.save(figure, folder, "shadow_win_map", "Each column a system: orange where a solver took longer than the leader, violet "
                       "where less, white within the noise. Uppermost: who won each stretch, the leader where nobody beats it beyond noise "
                       "and chance.", data)]


def ratio_plot(study, folder):
    shown = colours(study)
    figure, axes = style.new(height=3.6)
    for name in [CONTROL] + study.contenders:
        grey = name == CONTROL
        axes.plot(study.x, study.ratio(name), ".", markersize=4, color=shown[name], label=name, zorder=1 if grey else 2)
    axes.axhline(1.0, color="#5b6670", linewidth=1)
    axes.set_yscale("log")
    _ratio_axis(axes.yaxis)
    axes.set_xlabel(study.x_label)
    axes.set_ylabel("time / leader's time")
    axes.set_title("Every pair")
    _legend_below(figure, axes)
    data = [("step", study.steps)] + [(n, study.ratio(n)) for n in study.names if n != LEADER]
    return [style.save(figure, folder, "shadow_ratio", "Time of each solver over the leader's on the same system. Grey: the leader against "
                       "itself, what chance alone does.", data)]


def _legend_below(figure, axes):
    handles, names = axes.get_legend_handles_labels()
    style.legend_below(figure, handles, names, 4, markerscale=2)


def iteration_plot(study, folder):
    """Distributions as boxes, and the way along the run."""
    names, shown = [n for n in study.names if n != CONTROL], colours(study)
    figure, (left, right) = style.plt.subplots(1, 2, figsize=(style.WIDTH, 3.6), layout="constrained", sharey=True, width_ratios=[1, 1.5])
    boxes = left.boxplot([study.iterations(n) for n in names], widths=0.6, showfliers=True, patch_artist=True,
                         medianprops={"color": "#1d2329", "linewidth": 1.5}, flierprops={"marker": ".", "markersize": 2})
    for box, name in zip(boxes["boxes"], names):
        box.set(facecolor=shown[name], edgecolor=shown[name], linewidth=3)
    left.set_xticks(range(1, len(names) + 1), names, rotation=45, ha="right")
    left.set_ylabel("iterations a solve")
    left.set_title("Iterations")
    for name in names:
        right.plot(study.x, study.iterations(name), linewidth=1.3, color=shown[name], label=name)
    every = np.concatenate([study.iterations(n) for n in names])
    if np.min(every) > 0 and np.max(every) > 20 * np.min(every):
        left.set_yscale("log")
        _ratio_axis(left.yaxis)
    else:
        left.set_ylim(bottom=0)
    right.set_xlabel(study.x_label)
    data = [("step", study.steps)] + [(n, study.iterations(n)) for n in names]
    return [style.save(figure, folder, "shadow_iterations", "Iterations of each solver on the same systems: quartiles, whiskers to 1.5 times "
                       "their distance, points beyond; and along the run.", data)]


def split_plot(study, folder):
    names = [n for n in study.names if n != CONTROL]
    parts = {n: study.split(n) for n in names}
    kinds = list(dict.fromkeys(word for n in names for word, _ in parts[n]))
    palette = {"setup": "#E69F00", "preconditioner": "#0072B2", "product": "#009E73", "vectors, sums": "#CC79A7", "rest": "#c4c9ce",
               "not told": "#e4e7ea"}
    figure, axes = style.new(height=1.9 + 0.42 * len(names))
    total = {n: sum(v for _, v in parts[n]) for n in names}
    clip = None
    if max(total.values()) > 8 * total[LEADER]:  # one slow solver must not hide what the others do
        clip = 5 * total[LEADER]
    for place, name in enumerate(names):
        left = 0
        for word, value in parts[name]:
            axes.barh(place, value, left=left, height=0.68, color=palette[word], edgecolor="white", linewidth=1, label=word)
            left += value
        end = min(left, clip) if clip else left
        axes.annotate("%.3g ms%s" % (left, " →" if clip and left > clip else ""), (end, place), (4 if end == left else -4, 0),
                      textcoords="offset points", va="center", ha="left" if end == left else "right", fontsize=9)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(0, clip if clip else 1.18 * max(total.values()))
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("milliseconds a solve")
    axes.set_title("Where each solver's time goes")
    handles = [style.plt.Rectangle((0, 0), 1, 1, color=palette[k]) for k in kinds]
    style.legend_below(figure, handles, kinds)
    data = [("name", names)] + [(k, [dict(parts[n]).get(k, "") for n in names]) for k in kinds]
    caption = "Means a solve, scaled to the median."
    if "not told" in kinds:
        caption += " Not told: another library's solver, which does not time its parts."
    return [style.save(figure, folder, "shadow_split", caption, data)]


def curve_plots(run, study, folder):
    """Residuals against iterations and against milliseconds, of the latest system that was recorded."""
    path = run.file("shadow_curves.csv")
    if not os.path.exists(path):
        return []
    rows = records.read_csv(path)
    if not len(rows["step"]):
        return []
    step, shown = np.max(rows["step"]), colours(study)
    who = np.array(rows["name"])
    figure, (left, right) = style.plt.subplots(1, 2, figsize=(style.WIDTH, 3.6), layout="constrained", sharey=True)
    for name in [CONTROL] + study.contenders:
        at = np.flatnonzero((who == name) & (rows["step"] == step))
        if not len(at):
            continue
        first = rows["residual"][at[0]]
        label = "leader" if name == CONTROL else name
        for axes, column in ((left, "iteration"), (right, "ms")):
            axes.plot(rows[column][at], rows["residual"][at] / first, color=shown[LEADER if name == CONTROL else name], label=label,
                      marker="." if len(at) < 20 else None)
    for axes, word in ((left, "iterations"), (right, "milliseconds")):
        axes.set_yscale("log")
        axes.set_xscale("symlog", linthresh=10 if axes is left else 1)
        axes.set_xlim(left=0)
        axes.set_xlabel(word)
        _ratio_axis(axes.xaxis)
    left.set_ylabel(r"$\|r\| \,/\, \|r_0\|$")
    left.set_title("Convergence at step %d" % step)
    _legend_below(figure, left)
    data = [(c, rows[c]) for c in ("step", "name", "iteration", "ms", "residual")]
    return [style.save(figure, folder, "shadow_curves", "Residual of each solver on one system, the latest of those recorded. Milliseconds: "
                       "setup first, then the solve's time spread evenly over its iterations.", data)]
