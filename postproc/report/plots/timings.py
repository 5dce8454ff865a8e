"""Where the time went, per system and kernel. The entry "time loop" is the whole, not a part."""
import numpy as np

from . import sketch, style


def split(run):
    """[(system, kernel, seconds), ...] of the timings in run.json, at any depth; largest systems first."""
    rows = []

    def walk(path, value):
        if isinstance(value, dict):
            for key, inner in value.items():
                walk(path + [str(key)], inner)
        elif isinstance(value, (int, float)) and np.isfinite(value) and path:
            rows.append((path[0], " ".join(path[1:]) or path[0], float(value)))

    timings = dict(run.run.get("timings") or {})
    whole = timings.pop("time loop", None)
    walk([], timings)
    if not rows:
        raise ValueError("run.json has no timings")
    if isinstance(whole, dict) and isinstance(whole.get("total"), (int, float)):
        rest = whole["total"] - sum(seconds for _, _, seconds in rows)
        if rest > 0.005 * whole["total"]:
            rows.append(("unaccounted", "rest", rest))
    totals = {}
    for system, _, seconds in rows:
        totals[system] = totals.get(system, 0) + seconds
    return sorted(rows, key=lambda row: (-totals[row[0]], row[0], -row[2]))


def timing_plot(run, folder):
    rows = split(run)
    total = sum(seconds for _, _, seconds in rows) or 1
    names = list(dict.fromkeys(system for system, _, _ in rows))
    figure, axes = sketch.new(height=1.3 + 0.55 * len(names))
    for place, system in enumerate(names):
        left = 0
        parts = [row for row in rows if row[0] == system]
        for i, (_, kernel, seconds) in enumerate(parts):
            colour = style.COLOURS[place % len(style.COLOURS)]
            axes.barh(place, seconds, left, 0.68, colour, alpha=max(0.35, 1 - 0.2 * i), edge="white")
            if seconds > 0.14 * total:
                axes.text(left + 0.5 * seconds, place, "%s\n%.0f %%" % (kernel, 100 * seconds / total), "center", "center",
                          "white" if i < 2 else "#222222", [left, left + seconds], fontsize=8.5)
            left += seconds
        axes.text(left + 0.01 * total, place, "%.0f %%" % (100 * left / total), va="center", fontsize=9.5)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.grid(False, "y")
    axes.margins(x=0.12)
    axes.set_xlim(0)
    axes.set_xlabel("seconds")
    data = [("system", [r[0] for r in rows]), ("kernel", [r[1] for r in rows]), ("seconds", [r[2] for r in rows])]
    return [figure.save(folder, "timings", "One bar per system, divided into kernels (darkest: largest), in per cent of all "
                       "measured time.", data)]


def timing_table(run):
    rows = split(run)
    total = sum(seconds for _, _, seconds in rows) or 1
    table = [[system, kernel, "%.3f" % seconds, "%.1f %%" % (100 * seconds / total)] for system, kernel, seconds in rows]
    table.append(["all", "", "%.3f" % total, ""])
    return ["system", "kernel", "seconds", "share"], table
