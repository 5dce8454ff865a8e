"""Branches of the run that candidates have run in place of the reference solver (closed loop): run.json's "relay"."""
from .shadow import SHOWN


def read(run):
    return run.run["relay"]


def _span(pair):
    return " to ".join("∞" if v is None else "%.3g" % v for v in pair)


def _number(value):
    return "∞" if value is None else "%.3f" % value


def notes(relay):
    """How the costs were measured, and why they differ from those on the reference's systems."""
    words = ["Branches (closed loop): each solver runs %d branches of %d steps from the same states. Cost: time of whole steps divided by progress "
             "(%s); 95 %% intervals by a block bootstrap; noise band: a factor of %.3g. Loop gain: this cost divided by the "
             "cost on the systems of the reference solver."
             % (relay["branches"], relay["steps"], relay["progress"], relay["noise"] or 1)]
    if not relay.get("clear_progress", True):
        words.append("The reference solver makes no clear progress here, so costs per progress cannot be compared.")
    return words + [s["why"][0].upper() + s["why"][1:] + "." for s in relay["solvers"][2:] if s["why"]]


def table(relay):
    names = ["", "verdict", "cost / reference's", "95 % interval", "cost ratio on the systems of the reference", "loop gain", "95 % interval", "ms per step",
             "iterations per step, first to last", "rejected", "solver"]
    rows = []
    for i, s in enumerate(relay["solvers"]):
        compared = [_number(s["closed"]), _span(s["closed_interval"]), _number(s["open"]), _number(s["gain"]), _span(s["gain_interval"])]
        rows.append([SHOWN.get(s["name"], s["name"]), s["verdict"], *(compared if i else ["1", "", "1", "1", ""]), "%.3g" % s["ms_a_step"],
                     "%.1f to %.1f" % tuple(s["iterations"]), s["rejected"], s["solver"].replace("+", " + ")])
    return names, rows
