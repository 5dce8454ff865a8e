#!/usr/bin/env python3
"""Tolerance of the linear solver, error of the answer and iterations, flow by flow (docs/results/inexact_solves.md):

    python3 tests/benchmarks/inexact/inexact.py                  all flows of flows.toml
    python3 tests/benchmarks/inexact/inexact.py cavity channel   some of them

Every run is `weir run` on one thread; runs that are already in -o (default weir-runs/inexact) are not repeated. Writes
inexact_solves.csv (a row per run and quantity), inexact_solves.png, and a line per flow on the terminal.
"""
import argparse
import csv
import json
import os
import resource
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python"))
os.environ.setdefault("WEIR", str(ROOT / "build/bin/weir"))
import numpy as np  # noqa: E402
import weir  # noqa: E402
from weir._report import paper, records, sketch, style  # noqa: E402

GOOD = 0.1  # of the discretisation error: an error of the answer that a user does not notice
DEFAULT = "1e-8"
COLUMNS = ["flow", "variant", "tolerance", "status", "steps", "solves", "iterations", "failed_solves", "processor_seconds", "divergence",
           "quantity", "value", "error", "discretisation_error", "time_step_error"]


def spectrum(run):
    """Logarithm of the kinetic energy by shells |k| of width 1, up to 10; nan in shells with less than a millionth of the energy."""
    velocity = run.fields().cells["velocity"]
    n = velocity.shape[:3]
    energy = 0.5 * sum(np.abs(np.fft.fftn(velocity[..., d]) / np.prod(n)) ** 2 for d in range(3))
    k = np.sqrt(sum(w ** 2 for w in np.meshgrid(*(np.fft.fftfreq(m, 1 / m) for m in n), indexing="ij")))
    shells = np.bincount(np.rint(k).astype(int).ravel(), energy.ravel())[:11]
    return np.log(np.where(shells > 1e-6 * shells.sum(), shells, np.nan))


def value_of(run, name):
    """A quantity of run.json, the field of a probe (PROBE.FIELD), or the spectrum."""
    if name == "spectrum":
        return spectrum(run)
    if "." in name:
        probe, field = name.split(".")
        return np.asarray(run.probes[probe].computed[field])
    return np.array([run.quantities[name]], float)


def difference(a, b):
    with np.errstate(invalid="ignore"):
        return float(np.nanmax(np.abs(a - b)))


class Flow:
    def __init__(self, flow, directory):
        self.flow, self.directory, self.name = flow, directory, flow["name"]

    def run(self, name, sets, unset=()):
        """The run, with the processor seconds of its process in `seconds`."""
        target = self.directory / self.name / name
        file = target.parent / (name + ".json")
        unset = ["check", *self.flow.get("unset", []), *unset]
        wanted = {"set": sets, "unset": unset, "program": weir.call("--version")}
        kept = json.loads(file.read_text()) if file.exists() else {}
        if {k: v for k, v in kept.items() if k in wanted} != wanted:
            words = [word for one in [*sets, "output.report=false"] for word in ("--set", one)]
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            weir.run(ROOT / "inputs" / self.flow["case"], target, threads=1, overwrite=True, unset=unset, arguments=words, raises=False)
            kept = {**wanted, "seconds": resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before}
            file.write_text(json.dumps(kept))
        run = weir.read(target)
        run.seconds = kept.get("seconds", float("nan"))
        return run

    def sweep(self, variant, of, tolerances):
        for tolerance in tolerances:
            sets = [*self.flow["set"], *of.get("set", []), "%s=%s" % (self.flow["key"], tolerance)]
            yield variant, tolerance.strip('"'), self.run("%s_%s" % (variant, tolerance.strip('"')), sets, of.get("unset", []))

    def rows(self, tolerances):
        flow = self.flow
        runs = list(self.sweep("base", {}, flow.get("tolerances", tolerances)))
        reference = next((run for _, _, run in reversed(runs) if run.status == "finished"), None)
        if reference is None:
            sys.exit("%s: no run came to its end: %s" % (self.name, runs[-1][2].info["reason"]))
        exact = flow["set"] + flow["exact"]
        others = {name: self.run(name, exact + flow[name]) for name in ("finer", "smaller") if name in flow}
        if flow["system"] == "pressure":
            runs.append(("direct" if "fast_poisson" in flow["exact"][0] else "exact", "", self.run("exact", exact)))
        for name, of in flow.get("variant", {}).items():
            runs += self.sweep(name, of, of["tolerances"])
        for variant, tolerance, run in runs:
            yield from self.rows_of(variant, tolerance, run, reference, others)

    def rows_of(self, variant, tolerance, run, reference, others):
        solves = run.solves.where(system=self.flow["system"])
        row = {"flow": self.name, "variant": variant, "tolerance": tolerance, "status": run.status, "steps": run.info["steps"],
               "solves": solves.rows, "iterations": int(np.nansum(solves["iterations"])),
               "failed_solves": int(np.sum(np.asarray(solves["reason"]) != "converged")),
               "processor_seconds": "%.2f" % run.seconds}
        divergence = run.quantities.get("max_mass_error", run.quantities.get("max_divergence"))
        row["divergence"] = "%.2e" % divergence if divergence is not None else ""
        for name in self.flow["quantities"] if run.status == "finished" else [""]:
            row["quantity"] = name
            if name:
                value, exact = value_of(run, name), value_of(reference, name)
                row |= {"value": "%.10g" % value[0] if len(value) == 1 else "", "error": "%.3e" % difference(value, exact)}
                for column, other in (("discretisation_error", "finer"), ("time_step_error", "smaller")):
                    row[column] = "%.3e" % difference(value_of(others[other], name), exact) if other in others else ""
            yield dict(row)


class Results:
    """The rows of a flow, by the ratio of the error of the answer to the discretisation error (the largest of its quantities)."""

    def __init__(self, flow, rows):
        self.flow, self.rows = flow, [r for r in rows if r["flow"] == flow["name"]]
        self.title = flow["title"]
        self.base = {r["tolerance"]: r for r in self.rows if r["variant"] == "base"}
        self.tolerances = [t for t in self.base if self.base[t]["status"] == "finished"]

    def worst(self, tolerance, variant="base"):
        """(ratio, row) of the quantity with the largest ratio."""
        rows = [r for r in self.rows if (r["variant"], r["tolerance"]) == (variant, tolerance) and r["quantity"]]
        return max(((float(r["error"]) / float(r["discretisation_error"]), r) for r in rows), key=lambda p: p[0], default=(np.nan, None))

    def good(self):
        """The largest tolerance from which on all errors are below GOOD; None: there is none."""
        found = None
        for t in reversed(self.tolerances):
            if not self.worst(t)[0] < GOOD:
                break
            found = t
        return found

    def of(self, column, tolerance):
        return int(self.base[tolerance][column])

    def per_step(self, tolerance):
        return self.of("iterations", tolerance) / self.of("steps", tolerance)


def tables(results):
    """The tables of the page."""
    print("\n| flow | system | quantity, discretisation error | good from | iterations per step there | with 1e-8 | saved |")
    for r in (r for r in results if not r.flow.get("is_newton")):
        good = r.good()
        row = r.worst(good or r.tolerances[0])[1]
        there, default = (r.per_step(t) if t in r.tolerances else np.nan for t in (good, DEFAULT))
        print("| %s | %s | %s, %.2g | %s | %.2f | %.2f | %.0f %% |" % (
            r.title, r.flow["system"], row["quantity"], float(row["discretisation_error"]), good, there, default, 100 * (1 - there / default)))
    print("\n| flow | fewest iterations with | steps, iterations there | with 1e-8 | saved | error / discretisation error, largest tolerance |")
    for r in (r for r in results if r.flow.get("is_newton")):
        best = min(r.tolerances, key=lambda t: r.of("iterations", t))
        print("| %s | %s | %d, %d | %d, %d | %.0f %% | %.1e |" % (
            r.title, best, r.of("steps", best), r.of("iterations", best), r.of("steps", DEFAULT), r.of("iterations", DEFAULT),
            100 * (1 - r.of("iterations", best) / r.of("iterations", DEFAULT)), r.worst(r.tolerances[0])[0]))
    print("\n| flow | variant | tolerance | steps | iterations | processor, s | error / discretisation error |")
    for r in results:
        for row in {(q["variant"], q["tolerance"]): q for q in r.rows}.values():
            print("| %s | %s | %s | %s | %s | %s | %.1e |%s" % (
                r.title, row["variant"], row["tolerance"], row["steps"], row["iterations"], row["processor_seconds"],
                r.worst(row["tolerance"], row["variant"])[0], "" if row["status"] == "finished" else " " + row["status"]))


def draw(results, path):
    figure, (errors, iterations, newton, steps) = sketch.new(2 * style.WIDTH, 8.4, 2, 2)
    used = {"-": 0, "--": 0}
    for r in results:
        is_newton = r.flow.get("is_newton", False)
        form = "-" if r.flow["system"] in ("pressure", "flow") and not is_newton else "--"
        look = {"color": style.COLOURS[used[form] % len(style.COLOURS)], "label": "%s: %s" % (r.title, r.flow["system"]), "marker": "o",
                "linestyle": form}
        used[form] += 1
        t = np.array([float(v) for v in r.tolerances])
        ratio = np.array([r.worst(v)[0] for v in r.tolerances])
        errors.plot(t[ratio > 0], ratio[ratio > 0], **look)
        base = DEFAULT if DEFAULT in r.tolerances else r.tolerances[-1]
        relative = [r.of("iterations", v) / r.of("iterations", base) for v in r.tolerances]
        (newton if is_newton else iterations).plot(t, relative, **look)
        if is_newton:
            steps.plot(t, [r.of("steps", v) / r.of("steps", base) for v in r.tolerances], **look)
    for axes in (errors, iterations, newton, steps):
        axes.log("x")
    errors.log("y")
    errors.set_ylim(1e-13)
    errors.axhline(GOOD, linestyle="--")
    errors.axhline(1)
    for axes, title in ((errors, "Error of the answer / discretisation error"), (iterations, "Time steps: iterations / iterations with 1e-8"),
                        (newton, "Pseudo-time: iterations to convergence / with 1e-8"), (steps, "Pseudo-time: Newton steps / with 1e-8")):
        axes.set_title(title)
        axes.set_xlabel("tolerance")
    paper.save(figure.save("", "inexact_solves", "").plot, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("flows", nargs="*", metavar="FLOW")
    parser.add_argument("-o", "--output", type=Path, default=Path("weir-runs/inexact"), metavar="DIR")
    options = parser.parse_args()
    study = records.tomllib.loads((Path(__file__).parent / "flows.toml").read_text())
    flows, rows = [f for f in study["flow"] if not options.flows or f["name"] in options.flows], []
    for flow in flows:
        rows += Flow(flow, options.output).rows(study["tolerances"])
        print(flow["name"], flush=True)
    with open(options.output / "inexact_solves.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    results = [Results(flow, rows) for flow in flows]
    tables(results)
    draw(results, str(options.output / "inexact_solves.png"))


if __name__ == "__main__":
    main()
