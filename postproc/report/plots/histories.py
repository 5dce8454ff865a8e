"""Plots of the history: residuals, divergence, energy, forces, time step, iterations."""
import numpy as np

from . import sketch, style

FIXED = ("step", "time", "dt", "cfl", "wall")


def _numbers(columns, name):
    values = columns.get(name)
    if values is None or isinstance(values, list) or np.sum(np.isfinite(values)) < 2:
        return None
    return values


def _group(name, bodies=()):
    """Which plot a history column belongs to. bodies: names of several, whose columns end in them."""
    for body in bodies:
        if name in ["%s_%s" % (force, body) for force in ("drag", "lift", "torque")]:
            return "forces_" + body
    if "divergence" in name:
        return "divergence"
    if name.startswith(("drag", "lift", "torque")):
        return "forces"
    if "mass_error" in name:
        return "divergence"
    if "energy" in name or name in ("ke", "enstrophy"):
        return "energy"
    if any(word in name for word in ("change", "residual", "steady", "difference", "rate")) or name.startswith("r_"):
        return "residual"
    return "other"


TITLES = {
    "forces": ("Forces on the body", "Force coefficients: integrated over the surface of the body, and from the momentum balance of a box around it."),
    "residual": ("Convergence to the steady state", "Norms of the change per time unit and of the residual, for each step."),
    "divergence": ("Divergence of the velocity", "Residual of the continuity equation after each step."),
    "energy": ("Kinetic energy", "Mean of |u|² / 2 over the box."),
    "other": ("Other recorded values", "Other columns of history.csv."),
}


def _axis(run, history):
    """The time if it advances, otherwise the steps (of pseudo-time in runs without physical time, where `time` counts them too)."""
    if run.is_steady():
        return history["step"], "pseudo-time step"
    time = _numbers(history, "time")
    if time is not None and np.ptp(time) > 0:
        return time, "time t"
    return history["step"], "step"


def _published(axes, published, x, series):
    """Draws the published values of these series up to the end of the run; returns the words for the caption."""
    words = ""
    for name, _ in series:
        if name not in published:
            continue
        time, values, source = published[name]
        reached = (time <= x[-1]) & (time >= x[0])
        axes.plot(time[reached], values[reached], color=style.COLOURS[1], linestyle="--", linewidth=1.8,
                  label=style.words(name) + ", published")
        words += " %s published: %s." % (style.words(name).capitalize(), source)
    return words


def _series(axes, x, series, log):
    for name, values in series:
        shown = np.isfinite(values) & (values > 0 if log else True)  # not every step has every value
        axes.plot(x[shown], values[shown], label=style.words(name), marker="o" if np.sum(shown) < 30 else None, markersize=3)
    if log:
        axes.log()
        low, high = axes.get_ylim()
        if high < 100 * low:  # round-off deserves no magnifying glass
            axes.set_ylim(low / 10, high * 10)
            axes.log()
    axes.margins(x=0.01)


def _forces(axes, x, series):
    """The values of the control volume, dashed, over those of the surface. Returns words for the caption if the frame leaves out
    an impulsive start."""
    colours = {}
    for name, values in series:
        of = name.replace("_control_volume", "")
        colour = colours.setdefault(of, style.COLOURS[(0, 2, 3, 4)[len(colours) % 4]])  # 1: what is published
        shown = np.isfinite(values)
        kind = {"color": colour} if of == name else {"color": "#222222", "linewidth": 0.9, "linestyle": "--"}
        axes.plot(x[shown], values[shown], label=style.words(name), **kind)
    axes.margins(x=0.01)
    late = np.concatenate([values[x > x[0] + 0.02 * (x[-1] - x[0])] for _, values in series])
    low, high = np.nanmin(late), np.nanmax(late)
    bottom, top = axes.get_ylim()
    if not high > low or top - bottom < 2 * (high - low):
        return ""
    axes.set_ylim(low - 0.1 * (high - low), high + 0.1 * (high - low))
    return " Values of the impulsive start are outside the axes."


def history_plots(run, folder):
    history = run.history
    if history is None or "step" not in history:
        raise ValueError("no history.csv")
    if len(history["step"]) < 2:
        raise ValueError("fewer than two steps")
    x, label = _axis(run, history)
    groups = {}
    bodies = [name[len("torque_"):] for name in history if name.startswith("torque_")]
    for name in history:
        values = _numbers(history, name)
        if name not in FIXED and values is not None:
            groups.setdefault(_group(name, bodies), []).append((name, values))
    figures, published = [], run.published_histories()
    titles = {}
    for group, words in TITLES.items():
        titles[group] = words
        if group == "forces" and bodies:
            titles[group] = ("Forces on all bodies", words[1])
            titles.update({"forces_" + body: ("Forces on " + body, "Coefficients of the surface force on this body.") for body in bodies})
    for group, (title, caption) in titles.items():
        series = groups.get(group)
        if not series:
            continue
        log = group in ("residual", "divergence") and any(np.any(v > 0) for _, v in series)
        figure, axes = sketch.new(height=3.4)
        if group.startswith("forces"):
            caption += _forces(axes, x, series)
        else:
            _series(axes, x, series, log)
        if label.startswith("time"):
            caption += _published(axes, published, x, series)
        figure.finish(axes, title, label, style.words(series[0][0]) if len(series) == 1 else None)
        known = np.any([np.isfinite(values) for _, values in series], axis=0)
        data = [("step", history["step"]), ("time", history.get("time", x))] + series
        data = [(column, values[known]) for column, values in data]
        figures.append(figure.save(folder, "history_" + group, caption, data))
    time_step = _time_step(history, folder)
    return figures + ([time_step] if time_step else [])


def _time_step(history, folder):
    dt, cfl = _numbers(history, "dt"), _numbers(history, "cfl")
    if dt is not None and np.ptp(dt) <= 1e-12 * np.max(dt):
        dt = None  # fixed: "what was run" says it
    if cfl is None and dt is None:
        return None
    figure, axes = sketch.new(height=3.4)
    lines = []
    if cfl is not None:
        known = np.isfinite(cfl)
        lines.append(axes.plot(history["step"][known], cfl[known], label="CFL number", color=style.COLOURS[0]))
        axes.set_ylabel("CFL number")
        axes.set_ylim(0, 1.15 * np.nanmax(cfl))
    if dt is not None:
        right = axes.twinx() if cfl is not None else axes
        lines.append(right.plot(history["step"], dt, label="time step dt", color=style.COLOURS[1], linestyle="--"))
        right.set_ylabel("time step dt")
        right.set_ylim(0, 1.15 * np.nanmax(dt))
    names = [line["name"] for line in lines]
    figure.finish(axes, " and ".join(names).replace("time step dt", "time step").replace("time step", "Time step", cfl is None), "step")
    data = [(name, history[name]) for name in ("step", "dt", "cfl") if _numbers(history, name) is not None]
    return figure.save(folder, "history_time_step", "Largest CFL number of the grid." if dt is None else
                      "The time step, and the CFL number that results from it.", data)


def systems(solves):
    """The rows of each linear system, by name, in the order of their first solve."""
    if solves is None or not isinstance(solves.get("system"), list):
        raise ValueError("no rows in solves.csv")
    names = np.array(solves["system"])
    return {name: np.flatnonzero(names == name) for name in dict.fromkeys(solves["system"])}


def iterations_plot(run, folder):
    solves = run.solves
    figure, axes = sketch.new(height=3.4)
    data = []
    highest = 1
    for name, rows in systems(solves).items():
        step, iterations = solves["step"][rows], solves["iterations"][rows]
        # A system may be solved several times per step (one solve per velocity component): their sum is the step's work.
        steps, place = np.unique(step, return_inverse=True)
        total = np.bincount(place, weights=iterations)
        axes.plot(steps, total, label=name)
        highest = max(highest, np.nanmax(total))
        data += [(name + "_step", steps), (name + "_iterations", total)]
    axes.set_ylim(0, 1.12 * highest)
    axes.margins(x=0.01)
    figure.finish(axes, "Iterations of the linear solvers", "step", "iterations per step")
    return [figure.save(folder, "iterations", "Iterations of each linear system, summed over its solves in each step.",
                       data)]


def _against_tolerance(run, name, rows):
    """Final residuals of a system in the units of its tolerance, their name, and the tolerance; relative to the first residual where the
    records do not contain the target."""
    solves, options = run.solves, run.table("linear", name)
    end, target, tolerance = solves["r_true"][rows], solves.get("target"), options.get("tolerance")
    with np.errstate(divide="ignore", invalid="ignore"):
        if tolerance and target is not None and not isinstance(target, list) and np.any(target[rows] > 0):
            if not options.get("relative", True):
                return end, "|b − A x|", tolerance
            return end * tolerance / target[rows], "|b − A x| / |%s|" % ("b" if options.get("reference", "rhs") == "rhs" else "b − A x₀"), tolerance
        return end / solves["r0"][rows], "|b − A x| / |b − A x₀|", None


def residual_plot(run, folder):
    solves = run.solves
    figure, axes = sketch.new(height=3.6)
    data, tolerances = [], False
    for name, rows in systems(solves).items():
        values, unit, tolerance = _against_tolerance(run, name, rows)
        if not np.any(values > 0):
            continue
        drawn = axes.plot(solves["step"][rows], np.where(values > 0, values, np.nan), ".", markersize=3, label="%s: %s" % (name, unit))
        if tolerance:
            axes.axhline(tolerance, color=drawn["colour"], linewidth=1, linestyle="--")
            tolerances = True
        data += [(name + "_step", solves["step"][rows]), (name + "_residual", values)]
    if not data:
        raise ValueError("no true residual was recorded")
    if tolerances:
        axes.plot([], [], color=style.GREY, linewidth=1, linestyle="--", label="tolerance")
    axes.log()
    axes.margins(x=0.01)
    figure.finish(axes, "True residual at the end of each solve", "step", "residual")
    return [figure.save(folder, "residuals", "|b − A x| computed after each solve, normalised as the tolerance is.", data)]


def solver_table(run):
    """One row per system: solver, unknowns, solves, mean and largest iterations, mean time, reasons of termination."""
    solves = run.solves
    rows = []
    for name, at in systems(solves).items():
        iterations, reasons = solves["iterations"][at], [solves["reason"][i] for i in at]
        time = solves.get("solve_ms")
        mean_time = np.nanmean(time[at]) if time is not None and np.any(np.isfinite(time[at])) else None
        ends = ", ".join("%s %d" % (r, reasons.count(r)) for r in dict.fromkeys(reasons))
        unknowns = solves["unknowns"][at[0]]
        rows.append([name, solves["solver"][at[0]], style.number(int(unknowns)) if np.isfinite(unknowns) else "–",
                     style.number(len(at)), "%.1f" % np.nanmean(iterations), "%d" % np.nanmax(iterations),
                     style.number(mean_time, 3), ends])
    return ["system", "solver", "unknowns", "solves", "mean iterations", "max", "ms per solve", "ended as"], rows
