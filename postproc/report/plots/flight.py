"""Failure diagnostics: the diagnosis of a run that ended badly, the growth of the flow and the last solves."""
import json

import numpy as np

from . import sketch, style


def read(run):
    with open(run.file("flight_recorder.json")) as file:
        return json.load(file)


def evidence_table(flight):
    return ["evidence", "measured"], [[e["what"], e["value"]] for e in flight["evidence"]]


def _size(state):
    """The largest magnitude of a variable at the start of a step; nan if it is not finite."""
    if not isinstance(state, dict):
        return np.nan
    return max((abs(v) for v in state.values() if isinstance(v, (int, float))), default=np.nan)


def _whole_run(run):
    """(name, steps, values) of what the history has of the flow's growth."""
    history, found = run.history or {}, []
    for name in ("kinetic_energy", "residual_energy", "rate", "cfl"):
        values = history.get(name)
        if values is not None and not isinstance(values, list):
            known = np.isfinite(values) & (values > 0)
            if np.sum(known) > 2:
                found.append((name, history["step"][known], values[known]))
    return found


def _last_steps(steps):
    """(name, step numbers, values): the largest magnitude of each variable in the states that the steps began from."""
    number = np.array([s["step"] for s in steps])
    lines = [("largest |%s|" % name, [_size(s["state"][name]) for s in steps]) for name in steps[0]["state"]]
    lines.append(("cfl", [np.nan if s["cfl"] is None else s["cfl"] for s in steps]))
    lines = [(name, number, np.array(values, dtype=float)) for name, values in lines]
    return [(name, x, np.where(values > 0, values, np.nan)) for name, x, values in lines if np.any(values > 0)]


def state_plot(run, folder):
    """The growth of the flow in the history, and in the last steps, each of which was recorded."""
    steps = read(run)["steps"]
    if len(steps) < 2:
        return []
    parts = [("Last %d steps" % len(steps), _last_steps(steps), ".-")]
    whole = _whole_run(run)
    if whole:
        parts.insert(0, ("Whole run", whole, "-"))
    figure, panels = sketch.new(style.WIDTH * len(parts), 3.6, columns=len(parts))
    every = np.concatenate([values for _, lines, _ in parts for _, _, values in lines])
    most, frame = np.nanmax(every), 1e8 * np.nanmedian(every)
    of, data = {}, []
    for axes, (title, lines, kind) in zip(panels if len(parts) > 1 else [panels], parts):
        for name, x, values in lines:
            colour = of.setdefault(name, style.COLOURS[len(of) % len(style.COLOURS)])
            axes.plot(x, values, kind, color=colour, label=style.words(name) if name != "cfl" else "CFL number")
            data += [("step_of_" + name, x), (name, values)]
        axes.set_ylim(None, frame if most > frame else None)  # what comes before the overflow must be seen
        axes.log()
        axes.set_title(title)
        axes.set_xlabel("step")
    beyond = " The largest value, %.2g, is outside the axes." % most if most > frame else ""
    return [figure.save(folder, "flight_state", "Growth of the flow over the run, and the largest magnitude of each "
                       "variable at the start of each of the last steps." + beyond, data)]


def solves_table(run, most=8):
    """Solves of the last steps; the latest is at the end."""
    rows = []
    for step in read(run)["steps"][-most:]:
        for s in step["last_solves"]:
            rows.append([step["step"], s["system"], s["iterations"], s["reason"], _text(s["r0"]), _text(s["r_true"]), s["preconditioner_age"]])
    return ["step", "system", "iterations", "ended as", "|b - A x| before", "after", "preconditioner lag"], rows[-24:]


def _text(value):
    return "%.3g" % value if isinstance(value, (int, float)) else str(value)
