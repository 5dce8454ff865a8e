"""Costs of candidate solvers relative to the reference solver at each level of evidence: the same systems (open loop, shadow.py),
branches of the run (closed loop, run.json's "relay"), whole runs (`weir ab ... -o DIR/whole_runs` of the same case)."""
import os
from typing import Any, NamedTuple

import numpy as np

from . import ab, records, sketch, style
from .shadow import REFERENCE, SHOWN, VERDICTS

WHOLE_RUNS = "whole_runs"  # in the run's directory
LEVELS = ("same systems", "branches", "whole runs")
LOOK = {"same systems": ("#56B4E9", "●", "circle"), "branches": ("#E69F00", "◆", "diamond"), "whole runs": ("#CC79A7", "■", "square")}
BAND = "#e3e6ea"
FAILED = "#b3261e"


class Cost(NamedTuple):
    """A candidate at one level of evidence. ratio, low, high: cost over the reference's and its 95 % interval, infinite if
    open; note: failures; paid: solves, iterations per solve, solves not converged, seconds."""
    name: str
    level: str
    ratio: float
    low: float
    high: float
    verdict: str
    note: str = ""
    paid: Any = ()
    detail: str = ""


def _finite(value):
    return np.inf if value is None else float(value)


def _paid(solves, iterations, missed, seconds):
    return ["%d" % solves, "%.1f" % (iterations / max(solves, 1)), "%d" % missed, "%.3g" % seconds]


def _of(count, total, what):
    return "%d of %d %s" % (count, total, what) if count else ""


def of_systems(study):
    costs = []
    for name in [REFERENCE] + study.candidates:
        at = study.at[name]
        missed = int(study.value(name, "failures"))
        costs.append(Cost(name, "same systems", *((1.0, 1.0, 1.0) if name == REFERENCE else [float(study.value(name, c)) for c in ("ratio", "low", "high")]),
                          study.value(name, "verdict"), _of(missed, study.value(name, "systems"), "systems not converged"),
                          _paid(len(at), np.sum(study.iterations(name)), np.sum(np.array(study.rows["reason"])[at] != "converged"),
                                1e-3 * np.sum(study.total[at]))))
    return costs


def of_branches(run, relay):
    rows = records.read_csv(run.file("relay.csv")) if run.has("relay.csv") else {"name": []}
    sums = {}
    for i, name in enumerate(rows["name"]):
        if rows["length"][i] == relay["steps"]:  # branches of the length that is compared, with steps that did not end
            of = sums.setdefault(name, np.zeros(4))
            of += np.nan_to_num([rows[c][i] for c in ("solves", "iterations", "not_converged", "seconds")])
    costs = []
    for s in relay["solvers"][:1] + relay["solvers"][2:]:  # without the control
        notes = [_of(s["cut"], s["branches"], "branches cut off"), _of(s["failures"], s["branches"], "branches failed")]
        notes.append("" if s["settled"] else "the cost still changes at the end of the longest branch")
        costs.append(Cost(SHOWN.get(s["name"], s["name"]), "branches", *map(_finite, (s["closed"], *s["closed_interval"])), s["verdict"],
                          ", ".join(filter(None, notes)), _paid(*sums.get(s["name"], np.zeros(4))), "%d steps" % relay["steps"]))
    return costs


def of_summary(whole):
    """Of the summary of `weir ab`, the baseline included."""
    costs, several = [], len(set(whole["case"])) > 1
    for i, verdict in enumerate(whole["verdict"]):
        if verdict == "control":
            continue
        ratio, low, high = (float(ab.column(whole, c)[i]) for c in ("ratio", "low", "high"))
        stopped = ab.stopped(whole, i)
        name = (whole["case"][i] + ": " if several and whole["case"][i] != "all cases" else "") + whole["configuration"][i]
        costs.append(Cost(name, "whole runs", ratio, low, np.inf if stopped else high, VERDICTS.get(verdict, verdict),
                          _of(stopped, int(whole["runs"][i]), "runs stopped by the budget") if verdict != "baseline" else ""))
    return costs


def of_whole_runs(run, names):
    """names: of the candidates. The reference is the study's first configuration."""
    folder = run.file(WHOLE_RUNS)
    if not os.path.exists(os.path.join(folder, "ab_summary.csv")):
        return []
    whole, runs = ab.read_summary(folder), ab.read(folder, "ab.csv")
    costs = []
    for c in of_summary(whole):
        if c.verdict != "baseline" and c.name not in names:
            continue
        mine = [k for k, name in enumerate(runs["configuration"]) if name == c.name and np.isfinite(runs["solves"][k])]
        paid = [float(np.median(runs[column][mine])) for column in ("solves", "iterations", "failed_solves", "total_s")] if mine else np.zeros(4)
        costs.append(c._replace(name=REFERENCE if c.verdict == "baseline" else c.name, paid=_paid(*paid)))
    return costs


def of_run(run, study, relay):
    costs = of_systems(study) if study else []
    costs += of_branches(run, relay) if relay else []
    return costs + of_whole_runs(run, {c.name for c in costs})


def _short(value):
    return "∞" if not np.isfinite(value) else "%.2g" % value if value < 10 else "%.0f" % value


def _list(names):
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]


def candidates(costs):
    """name -> its costs by level, the cheapest at the highest level first."""
    by = {}
    for c in costs:
        if c.name != REFERENCE and c.verdict not in ("baseline", "control"):
            by.setdefault(c.name, []).append(c)
    return dict(sorted(by.items(), key=lambda item: item[1][-1].ratio))


def headline(costs, reference="the reference solver"):
    """The result at the highest level of evidence; claims no more than the intervals do."""
    by = candidates(costs)
    if not by:
        return "No candidate took part"
    level = max((c.level for of in by.values() for c in of), key=LEVELS.index)
    found = {}
    for name, of in by.items():
        for c in of:
            if c.level == level:
                found.setdefault(c.verdict, []).append(c)
    said = []
    for verdict in sorted(found, key=lambda v: ("faster", "slower", "fails").index(v) if v in ("faster", "slower", "fails") else 3):
        some = found[verdict]
        names = _list([c.name for c in some])
        if verdict == "fails":
            said.append("%s %s" % (names, "fails" if len(some) == 1 else "fail"))
        elif verdict in ("faster", "slower"):
            times = ", ".join(("more than " if c.high == np.inf and c.note else "") + _short(c.ratio) for c in some)
            said.append("%s %s %s%s (%s times the cost)" % (names, "is" if len(some) == 1 else "are", verdict, " than " + reference if not said else "", times))
        else:
            said.append("%s: %s" % (names, verdict))
    fooled = [name for name, of in by.items() if of[-1].verdict in ("slower", "fails") and any(c.verdict == "faster" for c in of[:-1])]
    if fooled:
        said.append("on the same systems %s looked faster" % _list(fooled))
    return "%s: %s" % (level.capitalize(), "; ".join(said))


def sentences(costs, of_whom="reference's"):
    """One per candidate: its cost at each level, and what failed."""
    said = []
    for name, of in candidates(costs).items():
        parts = []
        for c in of:
            cost = "%s times the %s cost" % (_short(c.ratio), of_whom) if not parts else "%s times" % _short(c.ratio)
            interval = "" if np.isnan(c.low) else "95 %% interval %.3g to %s; " % (c.low, "∞" if c.high == np.inf else "%.3g" % c.high)
            parts.append("%s %s %s (%s%s%s)" % (cost, "on" if c.level != "whole runs" else "over", ("the " if c.level == LEVELS[0] else "") + c.level,
                                                interval, c.verdict, ", " + c.note if c.note else ""))
        said.append("%s: %s." % (name, ", ".join(parts)))
    return said


def table(costs):
    """A row per solver and level of evidence."""
    rows = []
    for name in dict.fromkeys([REFERENCE, *candidates(costs)]):
        for c in costs:
            if c.name == name:
                interval = ["1", ""] if name == REFERENCE else ["%.3f" % c.ratio if np.isfinite(c.ratio) else "∞", "%.3g to %s" % (c.low, _short(c.high) if c.high == np.inf else "%.3g" % c.high)]
                rows.append([name, c.level + (", " + c.detail if c.detail else ""), *interval, *c.paid, c.note])
    return ["", "level of evidence", "cost / reference's", "95 % interval", "solves", "iterations per solve", "not converged", "time, s", "failures"], rows


def picture(costs, noise, folder, file, of_whom="reference's"):
    """A row per candidate: cost over the reference's on a logarithmic axis, a mark per level of evidence, failures."""
    by = candidates(costs)
    ends = [v for of in by.values() for c in of for v in (c.ratio, c.low, c.high) if np.isfinite(v) and v > 0]
    if not ends:
        raise ValueError("no candidate has a cost")
    low, high = min(min(ends) / 1.3, 0.8 / noise), max(max(ends) * 2, 1.25 * noise)
    figure, axes = sketch.new(2 * style.WIDTH, 1.5 + 0.52 * len(by))
    axes.axvspan(1 / noise, noise, BAND)
    axes.axvline(1.0, "#5b6670")
    for place, of in enumerate(by.values()):
        for k, c in enumerate(of):
            y = place + 0.24 * (k - 0.5 * (len(of) - 1))
            colour, _, shape = LOOK[c.level]
            end = c.ratio if np.isfinite(c.ratio) else high
            axes.plot([c.low if np.isfinite(c.low) else end, c.high if np.isfinite(c.high) else high], [y, y], color=colour, linewidth=3)
            axes.plot(end, y, "o", color=colour, markersize=9, shape=shape)
            if k == len(of) - 1:
                axes.text(max(end, c.high) if np.isfinite(c.high) else end, y, _short(c.ratio), va="center", shift=(8, 0))
        failed = [c for c in of if c.note or c.verdict == "fails"]
        if failed:
            axes.text(high, place + 0.4, "✕ " + "; ".join(c.note or "fails" for c in failed), "right", "center", FAILED)
    axes.set_yticks(range(len(by)), by)
    axes.set_ylim(len(by) - 0.4, -0.6)
    axes.set_xlim(low, high)
    axes.log("x")
    axes.grid(False, "y")
    axes.set_xlabel("cost / cost of the %s     (below 1: faster)" % of_whom)
    shown = [level for level in LEVELS if any(c.level == level for of in by.values() for c in of)]
    figure.legend = [{"name": level, "colour": LOOK[level][0], "glyph": LOOK[level][1]} for level in shown] + [{"name": "noise band", "colour": BAND}]
    every = [c for of in by.values() for c in of]
    data = [("name", [c.name for c in every]), ("level", [c.level for c in every])] + [(n, [getattr(c, n) for c in every]) for n in ("ratio", "low", "high")]
    caption = "Cost of each candidate relative to the %s at each level of evidence, with its 95 %% interval. Shaded: noise band (A/A control)." % of_whom
    return figure.save(folder, file, caption, data)
