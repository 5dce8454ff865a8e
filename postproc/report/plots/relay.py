"""Branches of the run that candidates have led (closed loop): run.json's "relay" in words and tables, beside the lower rung of the
ladder of evidence (open loop, shadow.py) and the higher one (whole runs: `weir ab ... -o DIR/whole_runs` of the same case)."""
import os

import numpy as np

from . import ab, records
from .shadow import SHOWN

WHOLE_RUNS = "whole_runs"  # in the run's directory


def read(run):
    return run.run["relay"]


def _span(pair):
    return " to ".join("∞" if v is None else "%.3g" % v for v in pair)


def _number(value):
    return "∞" if value is None else "%.3f" % value


def headline(run, relay, study=None):
    """Of the highest rung: who costs less when it leads, and why open loop said otherwise; no more than the intervals say."""
    whole, _ = _whole_runs(run)
    candidates = relay["solvers"][2:]
    if whole is None:
        found = [(s["name"], s["verdict"], s["closed"], "") for s in candidates]
    else:
        known = {n: i for i, n in enumerate(whole["configuration"])}
        of = [(s["name"], known[s["name"]]) for s in candidates if s["name"] in known]
        found = [(n, whole["verdict"][i], ab.column(whole, "ratio")[i], "more than " if ab.stopped(whole, i) else "") for n, i in of]
    by = {}
    for one in found:
        by.setdefault(one[1], []).append(one)
    said = []
    for verdict, one, many in (("faster", "is faster when it leads", "are faster when they lead"), ("fails", "fails when it leads", "fail when they lead"),
                               ("slower", "is slower when it leads", "are slower when they lead")):
        if verdict not in by:
            continue
        times = [more + _short(ratio) for _, _, ratio, more in by[verdict] if ratio is not None and np.isfinite(ratio)]
        said.append("%s %s%s" % (_list([n for n, *_ in by[verdict]]), many if len(by[verdict]) > 1 else one,
                                 " (%s times the cost)" % ", ".join(times) if times and verdict != "fails" else ""))
        if verdict == "slower":
            said[-1] += _reason([s for s in candidates if s["name"] in [n for n, *_ in by[verdict]]], relay["solvers"][0])
    said += ["%s: %s" % (_list([n for n, *_ in some]), v) for v, some in by.items() if v not in ("faster", "fails", "slower")]
    fooled = [n for v in ("slower", "fails") for n, *_ in by.get(v, [])
              if study and n in study.candidates and study.value(n, "verdict") == "faster"]
    if fooled:
        said.append("on the reference's systems %s looked faster" % _list(fooled))
    return "%s: %s" % ("Closed loop" if whole is None else "Whole runs", "; ".join(said) or "no candidate took part")


def _short(value):
    return "∞" if value is None or not np.isfinite(value) else "%.2g" % value if value < 10 else "%.0f" % value


def _list(names):
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]


def _reason(solvers, reference):
    """What all of them leave to later steps, where that has been seen."""
    left = [s.get("left", [None])[-1] for s in solvers]
    its = reference.get("left", [None])[-1]
    if its is None or any(v is None or v < 1.1 * its for v in left):
        return ""
    return ": one application leaves %s of a residual (the reference's %.2f), and what is left piles up" % (_list(["%.2f" % v for v in left]), its)


def evidence_table(run, relay, study=None):
    """A row a solver and rung of the ladder, of the lab's own files: cost over the reference's, and what it is made of."""
    led, (whole, runs) = _led(run, relay), _whole_runs(run)
    rows = []
    for s in relay["solvers"][:1] + relay["solvers"][2:]:  # without the control
        name, is_reference = SHOWN.get(s["name"], s["name"]), s["name"] == "leader"
        compared = lambda ratio, low, high: ["1", ""] if is_reference else [_number(ratio), _span((low, high))]  # noqa: E731, B023
        if study and name in study.names:
            at = study.at[name]
            missed = sum(study.rows["reason"][i] != "converged" for i in at)
            rows.append([name, "open loop", *compared(*(study.value(name, c) for c in ("ratio", "low", "high"))),
                         *_paid(len(at), np.sum(study.iterations(name)), missed, 1e-3 * np.sum(study.total[at]))])
        if s["name"] in led:
            more = ", %d of %d cut off" % (s["cut"], s["branches"]) if s["cut"] else ""
            rows.append([name, "closed loop, %d steps%s" % (relay["steps"], more), *compared(s["closed"], *s["closed_interval"]), *led[s["name"]]])
        if whole is None:
            continue
        configuration = whole["configuration"][0] if is_reference else s["name"]
        if configuration in whole["configuration"]:
            i = whole["configuration"].index(configuration)
            mine = [k for k, c in enumerate(runs["configuration"]) if c == configuration and np.isfinite(runs["solves"][k])]
            more = ", %d of %d stopped by the budget" % (ab.stopped(whole, i), whole["runs"][i]) if ab.stopped(whole, i) else ""
            cost = compared(*(ab.column(whole, c)[i] for c in ("ratio", "low", "high")))
            if more:
                cost = ["> " + cost[0], "%.3g or more" % ab.column(whole, "low")[i]]
            middle = lambda c: np.median(runs[c][mine])  # noqa: E731, B023
            rows.append([name, "whole runs" + more, *cost, *_paid(middle("solves"), middle("iterations"), middle("failed_solves"), middle("total_s"))])
    return ["", "rung", "time / reference's", "95 % interval", "solves", "iterations a solve", "not converged", "time, s"], rows


def _paid(solves, iterations, missed, seconds):
    return ["%d" % solves, "%.1f" % (iterations / max(solves, 1)), "%d" % missed, "%.3g" % seconds]


def _led(run, relay):
    """Of all branches of the length that is compared, the steps that were not ended too."""
    rows = records.read_csv(run.file("relay.csv")) if os.path.exists(run.file("relay.csv")) else {"name": []}
    sums = {}
    for i, name in enumerate(rows["name"]):
        if rows["length"][i] == relay["steps"]:
            of = sums.setdefault(name, np.zeros(4))
            of += np.nan_to_num([rows[c][i] for c in ("solves", "iterations", "not_converged", "seconds")])
    return {name: _paid(*of) for name, of in sums.items()}


def _whole_runs(run):
    """Summary and runs of `weir ab` on one case; None where there are none."""
    folder = run.file(WHOLE_RUNS)
    if not os.path.exists(os.path.join(folder, "ab_summary.csv")):
        return None, None
    return ab.read_summary(folder), ab.read(folder, "ab.csv")


def sentences(relay):
    words = ["Closed loop: %d branches of the run, on which each solver leads %d steps from one state; cost: time of whole steps over "
             "progress (%s), 95 %% intervals by a block bootstrap; noise floor %.1f %%. Loop gain: that cost over the one on the "
             "reference's systems." % (relay["branches"], relay["steps"], relay["progress"], 100 * ((relay["noise"] or 1) - 1))]
    if not relay.get("clear_progress", True):
        words.append("The reference makes no clear progress here: what a unit of it costs decides nothing.")
    for s in relay["solvers"][2:]:
        if s["why"]:
            words.append(s["why"][0].upper() + s["why"][1:] + ".")
        for count, what in ((s["cut"], "was cut off"), (s["failures"], "failed")):
            if count:
                words.append("%s %s in %d of %d branches." % (s["name"], what, count, s["branches"]))
        if not s["settled"]:
            words.append("The cost of %s has not settled." % s["name"])
    return words


def table(relay):
    names = ["", "verdict", "leads / reference", "95 % interval", "on its systems", "loop gain", "95 % interval", "ms a step",
             "iterations a step, first to last", "rejected", "solver"]
    rows = []
    for i, s in enumerate(relay["solvers"]):
        compared = [_number(s["closed"]), _span(s["closed_interval"]), _number(s["open"]), _number(s["gain"]), _span(s["gain_interval"])]
        rows.append([SHOWN.get(s["name"], s["name"]), s["verdict"], *(compared if i else ["1", "", "1", "1", ""]), "%.3g" % s["ms_a_step"],
                     "%.1f to %.1f" % tuple(s["iterations"]), s["rejected"], s["solver"].replace("+", " + ")])
    return names, rows
