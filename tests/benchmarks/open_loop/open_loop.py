#!/usr/bin/env python3
"""Which open-loop verdicts hold in the run? Every solver on the same systems, on branches and in whole runs, flow by flow.

    python3 tests/benchmarks/open_loop/open_loop.py                  all flows of flows.toml, on a quiet machine
    python3 tests/benchmarks/open_loop/open_loop.py cavity vortex    some of them

One run per flow with [shadow] and [relay], then `weir ab` over whole runs, all on one thread; what is already in -o (default
weir-runs/open_loop) is not repeated. Writes open_loop.csv (a row per flow and candidate), open_loop.png, and tables on the terminal.

open      time of the set-up and solves of a candidate over that of the reference solver, on the systems of the reference solver
predicted 1 + s (open - 1): cost ratio of the run if only these times changed; s: share of the system in the reference run
whole     time loop of a whole run over that of the reference solver
"""

import argparse
import csv
import json
import math
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python"))
os.environ.setdefault("WEIR", str(ROOT / "build/bin/weir"))
import numpy as np  # noqa: E402
from weir._report import paper, records, sketch, style  # noqa: E402

COLUMNS = [
    "flow",
    "system",
    "candidate",
    "share",
    "open",
    "open_low",
    "open_high",
    "open_noise",
    "open_verdict",
    "branches",
    "gain",
    "gain_low",
    "gain_high",
    "closed",
    "branch_verdict",
    "predicted",
    "whole",
    "whole_low",
    "whole_high",
    "whole_noise",
    "whole_verdict",
    "runs",
    "failures",
    "stopped",
]


class Flow:
    def __init__(self, flow, solvers, directory, repeats):
        self.flow, self.name, self.directory, self.repeats = flow, flow["name"], directory / flow["name"], repeats
        self.solvers = {name: solvers[name] for name in flow["solvers"]}
        self.reference, *self.candidates = flow["solvers"]
        self.set = [*flow["set"], "output.report=false", "output.fields_every_steps=0"]

    def solver(self, name, system=True):
        return "{ %s%s }" % (self.solvers[name], self.flow.get("stop", "") if system else "")

    def run(self):
        """The flow with [shadow] and [relay]; its run.json."""
        target = self.directory / "flow"
        if not (target / "run.json").exists():
            steps = self.reference_steps()
            every = {"shadow": max(1, steps // 24), "relay": self.flow.get("relay", max(2, steps // 8))}
            sets = [
                *self.set,
                "linear.%s=%s" % (self.flow["system"], self.solver(self.reference)),
                "relay.most_steps=32",
                "relay.budget=100",
            ]
            for lab in every:
                sets += [
                    "%s.system=%s" % (lab, self.flow["system"]),
                    "%s.every=%d" % (lab, every[lab]),
                    "%s.solvers=%s" % (lab, json.dumps(self.candidates)),
                ]
                sets += ["%s.%s=%s" % (lab, name, self.solver(name, False)) for name in self.candidates]
            self.weir(
                "run",
                ROOT / "inputs" / self.flow["case"],
                "-o",
                target,
                "--threads",
                "1",
                "--unset",
                "check",
                *(word for one in sets for word in ("--set", one))
            )
        return json.loads((target / "run.json").read_text())

    def reference_steps(self):
        return int(max(float(row["steps"]) for row in self.whole_runs() if row["verdict"] == "baseline"))

    def whole_runs(self):
        """The rows of ab_summary.csv."""
        self.directory.mkdir(parents=True, exist_ok=True)
        study, target = self.directory / "study.toml", self.directory / "whole_runs"
        sets = [*self.set, "output.fields_every_steps=0"]
        lines = [
            "[study]",
            "cases = [%s]" % json.dumps(str(ROOT / "inputs" / self.flow["case"])),
            "repeats = %d" % self.repeats,
            "configurations = %s" % json.dumps(self.flow["solvers"]),
            "budget = { factor = 2.0 }",
            'unset = ["check"]',
            "report = false",
            "set = %s" % json.dumps(sets),
        ]
        for name in self.flow["solvers"]:
            lines += [
                "[configuration.%s]" % name,
                "set = [%s]" % json.dumps("linear.%s=%s" % (self.flow["system"], self.solver(name))),
            ]
        study.write_text("\n".join(lines) + "\n")
        self.weir("ab", study, "-o", target)
        with open(target / "ab_summary.csv", newline="") as file:
            return list(csv.DictReader(file))

    def weir(self, *words):
        done = subprocess.run(
            [os.environ["WEIR"], *map(str, words)],
            capture_output=True,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        if done.returncode not in (0, 3):  # 3: a solver failed, which is a result
            sys.exit("%s: %s\n%s" % (self.name, " ".join(map(str, words)), (done.stdout + done.stderr)[-2000:]))

    def rows(self):
        whole = {row["configuration"]: row for row in self.whole_runs()}
        run = self.run()
        with open(self.directory / "flow" / "shadow_summary.csv", newline="") as file:
            shadow = {row["name"]: row for row in csv.DictReader(file)}
        relay = {one["name"]: one for one in run.get("relay", {}).get("solvers", [])}
        instrumentation = sum(run["timings"].get("instrumentation", {}).values())
        share = sum(run["timings"][self.flow["system"]].values()) / (run["loop_seconds"] - instrumentation)
        for name in self.candidates:
            a, b, c = shadow[name], relay.get(name, {}), whole[name]
            ratio = float(a["sums_ratio"] or "nan")
            interval = b.get("gain_interval") or ["", ""]
            yield {
                "flow": self.name,
                "system": self.flow["system"],
                "candidate": name,
                "share": "%.3f" % share,
                "open": a["sums_ratio"],
                "open_low": a["sums_low"],
                "open_high": a["sums_high"],
                "open_noise": a["noise"],
                "open_verdict": a["verdict"],
                "branches": b.get("branches", 0),
                "gain": b.get("gain", ""),
                "gain_low": interval[0],
                "gain_high": interval[1],
                "closed": b.get("closed", ""),
                "branch_verdict": b.get("verdict", ""),
                "predicted": "%.4g" % (1 + share * (ratio - 1)),
                "whole": c["sums_ratio"],
                "whole_low": c["sums_low"],
                "whole_high": c["sums_high"],
                "whole_noise": c["noise"],
                "whole_verdict": c["verdict"],
                "runs": c["runs"],
                "failures": c["failures"],
                "stopped": c["stopped"],
            }


def number(text):
    return float(text) if text not in ("", None) else math.nan


def turned(row):
    """The verdict of the same systems and that of whole runs are opposite."""
    return {row["open_verdict"], row["whole_verdict"]} == {"faster", "slower"}


def failed(row):
    return int(row["failures"] or 0) > 0


def tables(flows, rows):
    print(
        "\n| flow | system, share | reference | candidate | same systems | predicted | gain on branches | whole runs | noise | verdicts |"
    )
    for flow in flows:
        for row in (r for r in rows if r["flow"] == flow["name"]):
            more = "> " if int(row["stopped"] or 0) else ""
            print(
                "| %s | %s, %s | %s | %s | %.2f | %.2f | %.2f | %s%.2f | %s | %s, %s%s |"
                % (
                    flow["title"],
                    row["system"],
                    row["share"],
                    flow["solvers"][0],
                    row["candidate"],
                    number(row["open"]),
                    number(row["predicted"]),
                    number(row["gain"]),
                    more,
                    number(row["whole"]),
                    row["whole_noise"],
                    row["open_verdict"],
                    row["whole_verdict"],
                    ", %s of %s runs failed" % (row["failures"], row["runs"]) if failed(row) else "",
                )
            )
    decided = [r for r in rows if {r["open_verdict"], r["whole_verdict"]} <= {"faster", "slower"}]
    print(
        "\nboth verdicts decided: %d of %d; opposite: %d; runs failed: %d"
        % (len(decided), len(rows), sum(map(turned, rows)), sum(map(failed, rows)))
    )
    print("\n| flow | fastest on the same systems | its whole run | fastest in whole runs | its whole run | regret |")
    for flow in flows:
        mine = [r for r in rows if r["flow"] == flow["name"]]
        costs = {r["candidate"]: math.inf if failed(r) else number(r["whole"]) for r in mine} | {
            flow["solvers"][0]: 1.0
        }
        opened = {r["candidate"]: number(r["open"]) for r in mine if not math.isnan(number(r["open"]))} | {
            flow["solvers"][0]: 1.0
        }
        chosen, best = min(opened, key=opened.get), min(
            costs, key=lambda name: costs[name] if not math.isnan(costs[name]) else math.inf
        )
        print(
            "| %s | %s | %.2f | %s | %.2f | %.2f |"
            % (flow["title"], chosen, costs[chosen], best, costs[best], costs[chosen] / costs[best])
        )


def draw(flows, rows, path):
    figure, (left, right) = sketch.new(2 * style.WIDTH, 4.4, 1, 2)
    for f, flow in enumerate(flows):
        mine = [r for r in rows if r["flow"] == flow["name"] and not failed(r)]
        look = {
            "color": style.COLOURS[f % len(style.COLOURS)],
            "marker": "os^vD"[f // len(style.COLOURS)],
            "linestyle": "",
            "label": flow["title"],
        }
        values = {key: np.array([number(r[key]) for r in mine]) for key in ("predicted", "whole", "gain")}
        left.plot(values["predicted"], values["whole"], **look)
        right.plot(values["gain"], values["whole"] / values["predicted"], **look)
    for axes in (left, right):
        axes.log("x")
        axes.log("y")
        axes.axhline(1)
    left.set_title("Whole run / reference, by the prediction from the same systems")
    left.set_xlabel("predicted by the same systems")
    right.set_title("Whole run / prediction, by the loop gain on branches")
    right.set_xlabel("loop gain")
    paper.save(figure.save("", "open_loop", "").plot, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("flows", nargs="*", metavar="FLOW")
    parser.add_argument("-o", "--output", type=Path, default=Path("weir-runs/open_loop"), metavar="DIR")
    parser.add_argument("--repeats", type=int, default=6, help="number of whole runs per solver")
    options = parser.parse_args()
    study = records.tomllib.loads((Path(__file__).parent / "flows.toml").read_text())
    flows, rows = [f for f in study["flow"] if not options.flows or f["name"] in options.flows], []
    for flow in flows:
        rows += Flow(flow, study["solver"], options.output.resolve(), options.repeats).rows()
        print(flow["name"], flush=True)
    with open(options.output / "open_loop.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    tables(flows, rows)
    draw(flows, rows, str(options.output / "open_loop.png"))


if __name__ == "__main__":
    main()
