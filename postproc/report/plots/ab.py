"""Paired A/B runs: whole runs of a case with one configuration and another; A/A pairs of the baseline give the noise band."""
import os
import re

import numpy as np

from . import page, records, shadow, sketch, style

SMALL = 1e-6  # of a quantity: less than that is what other rounding on the way to the same tolerance leaves


def read(directory, name):
    return records.read_csv(os.path.join(directory, name))


def read_summary(directory):
    """The row, with a separate name for the second runs of the baseline (A/A control)."""
    rows = read(directory, "ab_summary.csv")
    shadow.decide_by_sums(rows)
    rows["configuration"] = [re.sub(" again$", " (A/A)", name) if verdict == "control" else name
                             for name, verdict in zip(rows["configuration"], rows["verdict"])]
    return rows


def column(rows, name):
    """A column as numbers; all nan if the column is empty."""
    values = rows[name]
    return values if not isinstance(values, list) else np.full(len(values), np.nan)


def noise(summary):
    """The noise band: the larger end of the intervals of the A/A pairs."""
    values = column(summary, "noise")[np.array(summary["verdict"]) == "control"] if "noise" in summary else np.ones(1)
    return float(np.max(values[np.isfinite(values)], initial=1.0))


def stopped(summary, i):
    """Number of runs stopped by the budget; the values of the row are then lower bounds."""
    return int(summary["stopped"][i]) if "stopped" in summary else 0


def summary_table(summary):
    names = ["case", "configuration", "time / baseline's", "95 % interval", "won", "verdict", "total s", "steps", "iterations per step",
             "ms per iteration", "other ms per step"]
    extra = {"median ratio": ("median_ratio", "%.3f"), "95 % of solves below, ms": ("p95_solve_ms", "%.3g"),
             "set-ups, s": ("setup_s", "%.3g"), "failed solves, s": ("failed_s", "%.3g")}
    extra = {title: (name, form) for title, (name, form) in extra.items() if name in summary}
    names += list(extra)
    table = []
    for i in range(len(summary["case"])):
        def cell(name, form):
            value = column(summary, name)[i]
            return form % value if np.isfinite(value) else ""
        more = "> " if stopped(summary, i) else ""
        interval = cell("low", "%.3f") and cell("low", "%.3f") + (" or more" if more else " to " + cell("high", "%.3f"))
        won = cell("won", "%d") and cell("won", "%d") + " of " + cell("pairs", "%d")
        verdict = shadow.VERDICTS.get(summary["verdict"][i], summary["verdict"][i])
        if more:
            verdict += ", %d of %d runs stopped" % (stopped(summary, i), summary["runs"][i])
        if summary["failures"][i]:
            verdict += ", %d of %d runs excluded" % (summary["failures"][i], summary["runs"][i])
        table.append([summary["case"][i], summary["configuration"][i], cell("ratio", more + "%.3f"), interval, won, verdict,
                      cell("total_s", more + "%.3f"), cell("steps", "%.0f"), cell("iterations_a_step", "%.1f"),
                      cell("ms_an_iteration", "%.3g"), cell("other_ms_a_step", "%.3g")] + [cell(*what) for what in extra.values()])
    return page.table(names, table, (2, 3, 4, *range(6, len(names))))


def split_plot(summary, folder):
    """Where the time of a run goes, relative to the total of the baseline for the same case."""
    cases = [c for c in dict.fromkeys(summary["case"]) if c != "all cases"]
    rows = [i for i in range(len(summary["case"])) if summary["case"][i] in cases and np.isfinite(column(summary, "total_s")[i])]
    if not rows:
        return []
    total, steps, other = (column(summary, n) for n in ("total_s", "steps", "other_ms_a_step"))
    base = {summary["case"][i]: total[i] for i in reversed(rows) if summary["verdict"][i] == "baseline"}
    rows = [i for i in rows if summary["case"][i] in base]
    rest = np.array([1e-3 * steps[i] * other[i] / base[summary["case"][i]] for i in rows])
    solver = np.array([total[i] / base[summary["case"][i]] for i in rows]) - rest
    figure, axes = sketch.new(height=1.5 + 0.33 * len(rows))
    places = [-p for p in range(len(rows))]
    for place, inside, outside in zip(places, solver, rest):
        axes.barh(place, inside, color=style.COLOURS[0], label="linear solver, its set-up included")
        axes.barh(place, outside, inside, color="0.75", label="everything else")
    several = len(cases) > 1
    axes.set_yticks(places, [(summary["case"][i] + ": " if several else "") + summary["configuration"][i] for i in rows])
    axes.set_ylim(0.6 - len(rows), 0.6)
    axes.grid(False, "y")
    figure.finish(axes, "Where the time goes", "time of a run / time of the baseline")
    return [figure.save(folder, "ab_split", "Where the time of a run goes: medians, relative to the total of the baseline for the same case.",
                       [("configuration", [summary["configuration"][i] for i in rows]), ("solver", solver), ("other", rest)])]


def quantities_table(directory):
    rows = read(directory, "ab_quantities.csv")
    if not len(rows["case"]):
        return page.paragraph("No quantity was recorded for two configurations.", soft=True)
    names = ["case", "configuration", "quantity", "value", "baseline's", "difference", "A/A spread"]
    seen, small = [], []
    for i in range(len(rows["case"])):
        difference, size = abs(rows["difference"][i]), max(abs(rows["value"][i]), abs(rows["baseline"][i]))
        beyond = difference > max(rows["spread_of_baseline"][i], SMALL * size)
        (seen if beyond else small).append(
            [rows["case"][i], rows["configuration"][i], rows["quantity"][i], "%.8g" % rows["value"][i], "%.8g" % rows["baseline"][i],
             "%+.2g" % rows["difference"][i], "%.2g" % rows["spread_of_baseline"][i]])
    first = page.table(names, seen, range(3, 7)) if seen else page.paragraph("None.")
    if not small:
        return first
    return first + "<details><summary>%d further rows</summary>%s</details>" % (len(small), page.table(names, small, range(3, 7)))


def failures_table(directory):
    rows = read(directory, "ab.csv")
    some = [i for i in range(len(rows["case"])) if not rows["counts"][i] and not stopped(rows, i)]
    if not some:
        return ""
    table = [[rows["case"][i], rows["configuration"][i], "%d" % rows["repeat"][i], "%d" % rows["exit_code"][i], rows["reason"][i]] for i in some]
    return page.section("Excluded runs", page.table(["case", "configuration", "repeat", "exit code", "why"], table, (2, 3)))
