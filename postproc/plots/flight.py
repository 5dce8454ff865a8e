"""The flight recorder: the verdict on a run that ended badly, and its last steps."""
import json
import os

import numpy as np

from . import style


def present(run):
    return os.path.exists(run.file("flight_recorder.json"))


def read(run):
    with open(run.file("flight_recorder.json")) as file:
        return json.load(file)


def evidence_table(flight):
    return ["evidence", "measured"], [[e["what"], e["value"]] for e in flight["evidence"]]


def _size(state):
    """The largest magnitude of a variable in the state that a step began from; not a number where it is none."""
    if not isinstance(state, dict):
        return np.nan
    return max((abs(v) for v in state.values() if isinstance(v, (int, float))), default=np.nan)


def state_plot(run, folder):
    steps = read(run)["steps"]
    number = np.array([s["step"] for s in steps])
    names = list(steps[0]["state"]) if steps else []
    if len(steps) < 2 or not names:
        return []
    figure, axes = style.new()
    data = [("step", number)]
    for i, name in enumerate(names):
        sizes = np.array([_size(s["state"][name]) for s in steps], dtype=float)
        data.append((name, sizes))
        axes.plot(number, np.where(sizes > 0, sizes, np.nan), ".-", color=style.COLOURS[i % len(style.COLOURS)], label="|%s|" % name)
    cfl = np.array([np.nan if s["cfl"] is None else float(s["cfl"]) for s in steps])
    if np.any(cfl > 0):
        data.append(("cfl", cfl))
        axes.plot(number, np.where(cfl > 0, cfl, np.nan), color="0.5", linewidth=1.0, label="CFL")
    axes.set_yscale("log")
    axes.set_xlabel("step")
    axes.set_ylabel("largest magnitude")
    axes.legend(fontsize="small")
    return [style.save(figure, folder, "flight_state", "The last steps: the largest magnitude of each variable in the state that a "
                       "step began from, and the CFL number.", data)]


def solves_table(run, most=8):
    """The solves of the last steps, the newest last."""
    rows = []
    for step in read(run)["steps"][-most:]:
        for s in step["last_solves"]:
            rows.append([step["step"], s["system"], s["iterations"], s["reason"], _text(s["r0"]), _text(s["r_true"]), s["preconditioner_age"]])
    return ["step", "system", "iterations", "ended as", "|b - A x| before", "after", "age of preconditioner"], rows[-24:]


def _text(value):
    return "%.3g" % value if isinstance(value, (int, float)) else str(value)
