"""Shadow solves: how solvers of the same systems compare, with A/A replicas of the reference solver as control. Here the records
and the words; the plots are in shadow_plots.py."""

import numpy as np

from . import records

REFERENCE, CONTROL = "reference", "A/A control"
SHOWN = {"leader": REFERENCE, "leader again": CONTROL}  # as the files call them
VERDICTS = {"leader": REFERENCE, "no difference seen": "no significant difference"}


def read(run, file):
    rows = records.read_csv(run.file(file))
    rows["name"] = [SHOWN.get(name, name) for name in rows["name"]]
    return rows


class Study:
    """shadow.csv and shadow_summary.csv of a run."""

    def __init__(self, run):
        # What the reference has left behind, or another code; when a candidate leads, it meets others.
        self.here = "on " + (run.run.get("shadow") or {}).get("on", "the reference's systems")
        self.summary = read(run, "shadow_summary.csv")
        self.left_out = self._take_out()
        self.statistic = decide_by_sums(self.summary)
        self.rows = read(run, "shadow.csv")
        self.names = self.summary["name"]
        self.summary["verdict"] = [VERDICTS.get(v, v) for v in self.summary["verdict"]]
        self.solver = dict(zip(self.names, self.summary["solver"]))
        self.system = self.rows["system"][0]
        self.candidates = [n for n in self.names if n not in (REFERENCE, CONTROL)]
        self.who = np.array(self.rows["name"])
        setup = self.rows["setup_ms"]
        self.setup = np.zeros(len(self.who)) if isinstance(setup, list) else np.nan_to_num(setup)
        self.total = self.rows["solve_ms"] + self.setup
        self._pair()
        self._place(run)

    def _take_out(self):
        """Candidates without a solve, and why; the other rows stay."""
        rows, verdicts = self.summary, self.summary["verdict"]
        out = [(rows["name"][i], rows["left_out"][i]) for i, v in enumerate(verdicts) if v == "left out"]
        keep = [i for i, v in enumerate(verdicts) if v != "left out"]
        self.summary = {c: [v[i] for i in keep] if isinstance(v, list) else v[keep] for c, v in rows.items()}
        return out

    def value(self, name, column):
        return self.summary[column][self.names.index(name)]

    def ranks(self):
        return int(self.value(REFERENCE, "ranks")) if "ranks" in self.summary else 1

    def _pair(self):
        """steps and, by name, the rows of the systems that all have solved, in the order of the run."""
        keys = list(zip(self.rows["step"], self.rows["solve"]))
        of = {}
        for i, (key, name) in enumerate(zip(keys, self.rows["name"])):
            of.setdefault(key, {})[name] = i
        whole = [rows for _, rows in sorted(of.items()) if all(n in rows for n in self.names)]
        if not whole:
            raise ValueError("no system was solved by all")
        self.at = {name: np.array([rows[name] for rows in whole]) for name in self.names}
        self.steps = self.rows["step"][self.at[REFERENCE]]

    def _place(self, run):
        """What the systems are laid out along: time where the run has one, else steps; and the CFL number there."""
        self.x, self.x_label, self.cfl = self.steps, "pseudo-time step" if run.is_steady() else "step", None
        history = run.history
        if history is None or "step" not in history:
            return
        known = {step: i for i, step in enumerate(history["step"])}
        at = [known.get(step) for step in self.steps]
        if any(i is None for i in at):
            return
        cfl = history.get("cfl")
        if cfl is not None and not isinstance(cfl, list) and np.sum(np.isfinite(cfl)) > 1:
            good = np.isfinite(cfl)
            self.cfl = np.interp(self.steps, history["step"][good], cfl[good])
        time = history.get("time")
        if not run.is_steady() and time is not None and np.ptp(time) > 0:
            self.x, self.x_label = time[at], "time t"

    def ratio(self, name):
        return self.total[self.at[name]] / self.total[self.at[REFERENCE]]

    def iterations(self, name):
        return self.rows["iterations"][self.at[name]]

    def floor(self):
        """The noise floor: the largest extent of the A/A intervals."""
        if "noise" in self.summary:
            return float(self.value(CONTROL, "noise"))
        low, high = self.value(CONTROL, "low"), self.value(CONTROL, "high")
        return float(np.exp(max(abs(np.log(low)), abs(np.log(high)))))

    def repetition(self):
        """Systems whose replicas were compared with the solution of the flow, those that differ, and the step of the first; None
        where none was."""
        differing = self._column("differing")
        if differing is None:
            return None
        parted = np.maximum(differing[self.at[REFERENCE]], differing[self.at[CONTROL]]) > 0
        return len(parted), int(parted.sum()), int(self.steps[parted][0]) if parted.any() else None

    def split(self, name):
        """Median milliseconds a solve: setup, apply, spmv, reductions, rest; the whole as one part where the solver is
        another library's, which reports no parts."""
        at = self.at[name]
        whole = np.median(self.total[at])
        parts = []
        for word, column in (("setup", self.setup), ("preconditioner", self._column("apply_ms")), ("product", self._column("spmv_ms")),
                             ("vectors, sums", self._column("reduce_ms"))):
            if column is not None and np.all(np.isfinite(column[at])):
                parts.append((word, float(np.mean(column[at]))))
        if len(parts) < 2:
            return [("not split", float(whole))]
        mean = float(np.mean(self.total[at]))
        parts.append(("rest", max(0.0, mean - sum(v for _, v in parts))))
        return [(word, v * whole / mean) for word, v in parts]

    def _column(self, name):
        column = self.rows.get(name)
        return None if column is None or isinstance(column, list) else column


def decide_by_sums(rows):
    """Sums are what a run pays; runs of older versions have medians alone. What is shown, in words."""
    if "sums_ratio" not in rows:
        return "median of time / reference's time"
    rows["median_ratio"] = rows["ratio"]
    for ours, theirs in (("ratio", "sums_ratio"), ("low", "sums_low"), ("high", "sums_high")):
        rows[ours] = rows[theirs]
    return "sum of the times / sum of the reference's"


def notes(study):
    """How the costs were measured, noise, reproducibility, what was left out."""
    low, high = (study.value(CONTROL, c) for c in ("low", "high"))
    words = ["Same systems (open loop), %s: each of %d (%s) was solved by all, in random order. Cost: %s; 95 %% intervals. A/A control "
             "%.3g to %.3g; noise band %.1f %% (the larger end of it)." % (
                 study.here, study.value(REFERENCE, "systems"), study.system, study.statistic, low, high, 100 * (study.floor() - 1))]
    repetition = study.repetition()
    if repetition and repetition[1]:
        words.append("The reference solver is not reproducible: in %d of %d systems its replicas differ from the solution of the flow, "
                     "first at step %d." % (repetition[1], repetition[0], repetition[2]))
    elif repetition:
        words.append("The reference solver is bitwise reproducible: its replicas equal the solution of the flow.")
    if study.ranks() > 1:
        words.append("%d ranks; the time of a solve is that of the slowest rank." % study.ranks())
    for name in study.names:
        if study.value(name, "failures") > 0:
            words.append("%s missed the tolerance in %d of %d systems%s." % (
                name, study.value(name, "failures"), study.value(name, "systems"), _cost(study, name)))
    return words + ["%s is left out: %s." % (name, why.rstrip(".")) for name, why in study.left_out]


def _cost(study, name):
    """Of failures, on average over all systems."""
    if "failed_ms" not in study.summary:
        return ""
    return ", which cost %.3g of %.3g ms per system" % (study.value(name, "failed_ms"), _paid_ms(study, name))


def _paid_ms(study, name):
    """A failed solve counts with the reference's time for the same system, which would have to solve it again."""
    return study.value(REFERENCE, "mean_ms") * (1 if name == REFERENCE else study.value(name, "ratio"))


def summary_table(study):
    has_memory, has_sums = "mb" in study.summary, "median_ratio" in study.summary
    names = ["", "verdict", "time / reference's", "95 % interval", "median ms", "iterations", "won", "p", "missed"]
    names += ["MB"] * has_memory + ["median ratio", "95 % below, ms", "set-ups", "failures"] * has_sums + ["solver"]
    table = []
    for n in study.names:
        v = lambda column: study.value(n, column)  # noqa: E731
        is_reference = n == REFERENCE
        table.append([n, v("verdict"), "1" if is_reference else "%.3f" % v("ratio"), "" if is_reference else "%.3f to %.3f" % (v("low"), v("high")),
                      "%.3g" % v("median_ms"), "%.1f" % v("iterations"), "" if is_reference else "%d of %d" % (v("won"), v("systems")),
                      "" if is_reference else "%.2g" % v("sign_test_p"), "%d" % v("failures")])
        if has_memory:
            table[-1].append("%.3g" % v("mb"))
        if has_sums:
            table[-1] += ["" if is_reference else "%.3f" % v("median_ratio"), "%.3g" % v("p95_ms"),
                          "%.0f %%" % (100 * v("setup_ms") / v("mean_ms")), "%.0f %%" % (100 * v("failed_ms") / _paid_ms(study, n))]
        table[-1].append(study.solver[n].replace("+", " + "))
    return names, table
