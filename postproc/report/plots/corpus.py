"""The pages of a corpus of captured systems, and the ranking of solvers on it: cost over that of the best solver of each
sequence, performance profiles (Dolan & More, Math. Program. 91 (2002) 201)."""
import re

import numpy as np

from . import page, sketch

CONTROL, IN_USE, LEFT_OUT = "A/A control", "solver in use", "left out: "
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
           2.131)  # 97.5 %, by degrees of freedom
NAN = float("nan")


def student(degrees):
    return STUDENT[degrees - 1] if degrees <= len(STUDENT) else 1.96 + 2.55 / degrees


def number(value):
    return "%.3g" % value if np.isfinite(value) else "-"


def interval(low, high):
    return "%.3g to %.3g" % (low, high) if np.isfinite(low) and np.isfinite(high) else "-"


def describe(manifest, standard):
    """The page of a corpus: what matters of each sequence."""
    names = ["sequence", "systems", "unknowns", "block", "entries per row", "symmetric", "null space", "aspect ratio",
             "dominant rows", "condition", *("iterations of " + s.replace("+", " + ") for s in standard), "solver in use"]
    rows = []
    for s in manifest["sequences"]:
        solver = re.sub(r"\(.*|, .*", "", re.sub(r"\([^()]*\)", "", s["solver"]))
        bound, aspect, dominant = ">= " if s["condition_is_bound"] else "", s["aspect_ratio"], s["dominant_rows"]
        rows.append([
            s["name"], len(s["files"]), s["unknowns"], s["block"],
            number(s["entries"] / s["unknowns"]), "yes" if s["symmetric"] else "no",
            s["null_space"],
            "" if aspect is None else "%.3g to %.3g" % (s["aspect_ratio_median"], aspect),
            "" if dominant is None else "%.0f %%" % (100 * dominant),
            "-" if s["condition"] is None else bound + "%.2g" % s["condition"],
            *(s["iterations"][name] for name in standard), solver])
    body = "<h1>%s</h1>" % page.text(manifest["title"])
    body += page.paragraph("%d sequences, %d systems, %.1f MB; %s; licence %s. The last system of each sequence is described." % (
        len(rows), sum(len(s["files"]) for s in manifest["sequences"]), 1e-6 * manifest["bytes"], manifest["weir"],
        manifest["licence"]), soft=True)
    note = ("Null space: others, for example constants in the fluid but not in a body. Aspect ratio: distance of the farthest "
            "coupled unknown over that of the nearest, median to largest (a periodic neighbour is far). Dominant rows: the sum of the "
            "others does not exceed the diagonal. Condition: 2-norm, without the null space. Iterations: to "
            "|b - A x| = 1e-8 |b|, at most 2000.")
    body += page.section("Sequences", page.table(names, rows, (1, 2, 3, 4, 8, 9, 10, 11, 12)), page.paragraph(note, soft=True))
    return manifest["title"], body


class Ranking:
    """A place is a sequence on a machine. Costs: of set-up and solve, by system, in ms. The time of a solve is taken
    relative to that of the solver in use in the same study, so that machines' slow drifts cancel."""

    def __init__(self, rows):
        self.rows = rows
        self.solvers = [s for s in dict.fromkeys(r["solver"] for r in rows) if s != CONTROL]
        self.places = list(dict.fromkeys(map(self.place_of, rows)))
        self.costs, self.failures, self.left_out = {}, {}, {}  # by place and solver
        references = {}
        for r in rows:
            key, at = (self.place_of(r), r["solver"]), (r["step"], r["solve"])
            if r["reason"].startswith(LEFT_OUT):
                self.left_out[key] = r["reason"]
                continue
            reference = float(r["reference_ms"]) or NAN
            if reference > 0:
                references.setdefault((key[0], at), []).append(reference)
            cost = (float(r["setup_ms"]) + float(r["solve_ms"])) / reference
            self.costs.setdefault(key, {}).setdefault(at, []).append(cost)
            has_failed = r["reason"] != "converged" or not np.isfinite(cost)
            self.failures[key] = self.failures.get(key, 0) + has_failed
        for (place, _), of in self.costs.items():
            for at, values in of.items():
                of[at] = np.mean(values) * np.mean(references.get((place, at), [NAN]))
        self.ratios = {p: self._ratios(p) for p in self.places}

    @staticmethod
    def place_of(row):
        return row["processor"], row["threads"], row["commit"], row["sequence"]

    def _ratios(self, place):
        """solver -> (cost over the best, low, high), of the solvers that solved every system of the sequence."""
        solved = {s: self.costs[place, s] for s in self.solvers if self.failures.get((place, s), 1) == 0}
        best = min(solved, key=lambda s: np.mean(list(solved[s].values())), default=None)
        return {s: self.compare(of, solved[best]) for s, of in solved.items()}

    @staticmethod
    def compare(of, other):
        """The ratio of the sums over common systems, with its 95 % interval (Student's t of the paired differences)."""
        common = [k for k in of if k in other]
        a, b = (np.array([x[k] for k in common]) for x in (of, other))
        if not common or not b.sum() > 0:
            return NAN, NAN, NAN
        ratio, n = a.sum() / b.sum(), len(common)
        if n < 3:
            return ratio, NAN, NAN
        error = np.sqrt(np.sum((a - ratio * b) ** 2) / (n * (n - 1))) / b.mean()
        width = np.exp(min(student(n - 1) * error / ratio, 50))
        return ratio, ratio / width, ratio * width

    def summary(self):
        """(solver, sequences solved, failed, left out, best, geometric mean of the cost over the best, low, high)"""
        table = []
        for s in self.solvers:
            ratios = [of[s][0] for of in self.ratios.values() if s in of]
            failed = sum(self.failures.get((p, s), 0) > 0 for p in self.places)
            out = sum((p, s) in self.left_out and (p, s) not in self.costs for p in self.places)
            logs = np.log([r for r in ratios if r > 0])
            mean = logs.mean() if len(logs) else NAN
            width = student(len(logs) - 1) * logs.std(ddof=1) / np.sqrt(len(logs)) if len(logs) > 2 else NAN
            table.append((s, len(ratios), failed, out, ratios.count(1), *np.exp([mean, mean - width, mean + width])))
        return sorted(table, key=lambda row: (-row[1], row[5] if np.isfinite(row[5]) else np.inf))

    def noise(self):
        """In words: the median size of the ratio of the solver in use to itself."""
        pairs = [self.compare(self.costs[p, CONTROL], self.costs[p, IN_USE])[0] for p in self.places
                 if (p, CONTROL) in self.costs and (p, IN_USE) in self.costs]
        logs = np.abs(np.log([r for r in pairs if r > 0]))
        return "A/A noise %.1f %% (median)" % (100 * (np.exp(np.median(logs)) - 1)) if len(logs) else "no A/A control"

    def reasons(self):
        """Why solvers were left out: (solver, reason)."""
        return sorted({(s, why) for (_, s), why in self.left_out.items()})

    def machines(self):
        return "; ".join(sorted({"%s, threads: %s, commit %s" % (r["processor"], r["threads"], r["commit"]) for r in self.rows}))

    def text(self):
        lines = ["%-24s %7s %7s %9s %5s  %s" % ("solver", "solved", "failed", "left out", "best", "cost over the best (95 %)")]
        lines += ["%-24s %7d %7d %9d %5d  %s (%s)" % (*row[:5], number(row[5]), interval(*row[6:])) for row in self.summary()]
        lines += ["%s: %s" % reason for reason in self.reasons()]
        return "\n".join([*lines, "%d sequences; %s; %s\n" % (len(self.places), self.noise(), self.machines())])

    def csv(self):
        lines = ["processor,threads,commit,sequence,solver,cost_over_best,low,high,failures,left_out"]
        for place in self.places:
            for s in self.solvers:
                ratio = ["%.6g" % v if np.isfinite(v) else "" for v in self.ratios[place].get(s, (NAN,) * 3)]
                cells = [*place, s, *ratio, str(self.failures.get((place, s), "")), self.left_out.get((place, s), "")]
                lines.append(",".join('"%s"' % c.replace('"', '""') if "," in c or '"' in c else c for c in cells))
        return "\n".join(lines) + "\n"

    def profile(self, folder):
        finite = [r[0] for of in self.ratios.values() for r in of.values() if np.isfinite(r[0])]
        factors = np.geomspace(1, min(100, max([2, *finite])), 200)
        figure, axes = sketch.new(height=4)
        data = [("factor", factors)]
        for s in [row[0] for row in self.summary()]:
            ratios = np.array([of[s][0] for of in self.ratios.values() if s in of])
            share = np.array([np.count_nonzero(ratios <= f) for f in factors]) / max(1, len(self.places))
            axes.plot(factors, share, label=s)
            data.append((s, share))
        axes.log("x")
        axes.set_ylim(0, 1.02)
        figure.finish(axes, "Performance profile", "cost over the best of each sequence", "share of the sequences")
        caption = "Share of the sequences that a solver solves at a cost of at most a factor times the best (Dolan & More 2002)."
        return figure.save(folder, "profile", caption, data)

    def page(self, directory):
        table = [[*row[:5], number(row[5]), interval(*row[6:])] for row in self.summary()]
        names = ["solver", "solved", "failed", "left out", "best", "cost over the best", "95 % interval"]
        by_sequence = [[place[-1], *(self.cell(place, s) for s in self.solvers)] for place in self.places]
        title = "Ranking on the corpus %s" % self.rows[0]["corpus"] if self.rows else "Ranking"
        note = ("Cost: set-up and solves of all systems of a sequence, paired by system. Cost over the best: geometric mean "
                "over the sequences whose every system the solver solved; the best is the cheapest solver of the sequence on "
                "the machine. %s. %s. The systems are those of the solver in use (open loop)." % (self.noise(), self.machines()))
        body = "<h1>%s</h1>" % page.text(title) + page.section(
            "Solvers", page.figures([self.profile(directory + "/plots")]), page.table(names, table, range(1, 7)),
            page.paragraph(note, soft=True), *(page.paragraph("%s, %s" % (s, why), soft=True) for s, why in self.reasons()))
        columns = range(1, 1 + len(self.solvers))
        return title, body + page.section("Every sequence", page.table(["sequence", *self.solvers], by_sequence, columns))

    def cell(self, place, solver):
        if solver in self.ratios[place]:
            ratio, low, high = self.ratios[place][solver]
            return "%s (%s)" % (number(ratio), interval(low, high))
        return "failed" if self.failures.get((place, solver), 0) else "left out" if (place, solver) in self.left_out else "-"
