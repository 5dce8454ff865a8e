"""Branches of the run that candidates have led (closed loop): run.json's "relay" in words and a table."""
from .shadow import SHOWN


def present(run):
    return bool((run.run or {}).get("relay", {}).get("solvers"))


def read(run):
    return run.run["relay"]


def _span(pair):
    return " to ".join("∞" if v is None else "%.3g" % v for v in pair)


def _number(value):
    return "∞" if value is None else "%.3f" % value


def headline(relay):
    """Of those that lead, who costs less; no more than the intervals say."""
    candidates = relay["solvers"][2:]
    faster = [s["name"] for s in candidates if s["verdict"] == "faster"]
    if faster:
        return "Closed loop: when %s, faster than the reference solver: %s" % ("they lead" if len(faster) > 1 else "it leads", ", ".join(faster))
    if candidates and all(s["verdict"] in ("slower", "fails") for s in candidates):
        return "Closed loop: no candidate is faster than the reference solver when it leads: all are slower or fail"
    return "Closed loop: no candidate is shown to be faster than the reference solver when it leads"


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
