"""Branches of the run that candidates have led (closed loop): run.json's "relay" in words and a table."""
from .shadow import SHOWN

GROWS = 1.25  # iterations of a branch's last step over those of its first, from which on it is told


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
        return "When it leads, faster than the reference solver: %s" % ", ".join(faster)
    if candidates and all(s["verdict"] in ("slower", "fails") for s in candidates):
        return "No candidate is faster than the reference solver when it leads: all are slower or fail"
    return "No candidate is shown to be faster than the reference solver when it leads"


def sentences(relay):
    words = ["%d branches of %d steps each; cost: time of whole steps over progress (%s), 95 %% intervals by a block bootstrap; noise "
             "floor %.1f %%." % (relay["branches"], relay["steps"], relay["progress"], 100 * ((relay["noise"] or 1) - 1))]
    for s in relay["solvers"][2:]:
        first, last = s["iterations"]
        if first > 0 and last > GROWS * first:
            words.append("While %s leads, a step's iterations grow from %.1f to %.1f: it meets systems that it has itself shaped." %
                         (s["name"], first, last))
        if s["cut"]:
            words.append("%s was cut off in %d of %d branches." % (s["name"], s["cut"], s["branches"]))
        if s["failures"]:
            words.append("%s failed in %d of %d branches." % (s["name"], s["failures"], s["branches"]))
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
