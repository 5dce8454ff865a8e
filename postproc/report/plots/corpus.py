"""The pages of a corpus of captured systems, and the ranking of solvers on it: cost over that of the best solver of each sequence,
performance profiles (Dolan & More, Math. Program. 91 (2002) 201)."""
import numpy as np

from . import page, sketch, style

CONTROL, IN_USE = "A/A control", "solver in use"
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131)  # 97.5 %, by degrees of freedom


def student(degrees):
    return STUDENT[degrees - 1] if degrees <= len(STUDENT) else 1.96 + 2.55 / degrees


def describe(directory, manifest, standard):
    """The page of a corpus: what matters of each sequence."""
    names = ["sequence", "solver in use, criterion", "systems", "unknowns", "block", "entries a row", "symmetric", "null space",
             "aspect ratio", "dominant rows", "condition", *("iterations of " + s for s in standard)]
    rows = []
    for s in manifest["sequences"]:
        condition = "" if s["condition"] is None else (">= " if s["condition_is_bound"] else "") + "%.2g" % s["condition"]
        rows.append([s["name"], s["solver"] + ", " + s["criterion"], len(s["files"]), s["unknowns"], s["block"],
                     "%.3g" % (s["entries"] / s["unknowns"]), "yes" if s["symmetric"] else "no", "constants" if s["constant_null_space"] else "",
                     "" if s["aspect_ratio"] is None else "%.3g (median %.3g)" % (s["aspect_ratio"], s["aspect_ratio_median"]),
                     "" if s["dominant_rows"] is None else "%.0f %%" % (100 * s["dominant_rows"]), condition,
                     *("not in 2000" if s["iterations"][name] is None else s["iterations"][name] for name in standard)])
    body = "<h1>%s</h1>" % page.text(manifest["title"])
    body += page.paragraph("%d sequences, %d systems, %.1f MB; %s; licence %s. Described is the last system of each sequence." % (
        len(rows), sum(len(s["files"]) for s in manifest["sequences"]), 1e-6 * manifest["bytes"], manifest["weir"], manifest["licence"]), soft=True)
    body += page.section("Sequences", page.table(names, rows, (2, 3, 4, 5, 9, 10, 11, 12, 13)), page.paragraph(
        "Aspect ratio: distance of the farthest coupled unknown over that of the nearest. Dominant rows: the sum of the others does not exceed "
        "the diagonal. Condition: 2-norm, without the null space. Iterations: to |b - A x| = 1e-8 |b|, at most 2000.", soft=True))
    return manifest["title"], body


class Ranking:
    def __init__(self, rows):
        self.rows = rows
        self.solvers = [s for s in dict.fromkeys(r["solver"] for r in rows) if s != CONTROL]
        self.places = list(dict.fromkeys((r["processor"], r["threads"], r["sequence"]) for r in rows))
        self.costs = {}  # (place, solver): times by system, each in units of the reference's of the same study
        self.failures, self.left_out = {}, {}
        weights = {}
        for r in rows:
            key, at = ((r["processor"], r["threads"], r["sequence"]), r["solver"]), (r["step"], r["solve"])
            if r["reason"].startswith("left out"):
                self.left_out[key] = r["reason"]
                continue
            weights.setdefault((key[0], at), []).append(float(r["reference_ms"]))
            relative = (float(r["setup_ms"]) + float(r["solve_ms"])) / float(r["reference_ms"])
            self.costs.setdefault(key, {}).setdefault(at, []).append(relative)
            self.failures[key] = self.failures.get(key, 0) + (r["reason"] != "converged")
        for (place, _), of in self.costs.items():
            for at, values in of.items():
                of[at] = np.mean(values) * np.mean(weights[place, at])
        self.ratios = {p: self._ratios(p) for p in self.places}

    def _ratios(self, place):
        """Of a sequence on a machine: solver -> (cost over the best, low, high); only solvers that solved every system."""
        solved = {s: self.costs[place, s] for s in self.solvers if (place, s) in self.costs and not self.failures[place, s]}
        if not solved:
            return {}
        best = min(solved, key=lambda s: np.mean(list(solved[s].values())))
        return {s: self.compare(of, solved[best]) for s, of in solved.items()}

    @staticmethod
    def compare(of, other):
        """The ratio of the sums over common systems, with its 95 % interval (Student's t of the paired differences)."""
        common = [k for k in of if k in other]
        a, b = (np.array([x[k] for k in common]) for x in (of, other))
        ratio, n = a.sum() / b.sum(), len(common)
        if n < 2:
            return ratio, np.nan, np.nan
        error = np.sqrt(np.sum((a - ratio * b) ** 2) / (n * (n - 1))) / b.mean()
        width = np.exp(min(student(n - 1) * error / ratio, 50))
        return ratio, ratio / width, ratio * width

    def summary(self):
        """A row per solver: name, sequences solved, failed, left out, best, geometric mean over the best of the solved ones, interval."""
        table = []
        for s in self.solvers:
            logs = np.log([of[s][0] for of in self.ratios.values() if s in of])
            failed = sum(1 for p in self.places if self.failures.get((p, s), 0))
            out = sum(1 for p in self.places if (p, s) in self.left_out and (p, s) not in self.costs)
            best = sum(1 for of in self.ratios.values() if s in of and of[s][0] == 1)
            width = student(len(logs) - 1) * logs.std(ddof=1) / np.sqrt(len(logs)) if len(logs) > 1 else np.nan
            mean = logs.mean() if len(logs) else np.nan
            table.append((s, len(logs), failed, out, best, np.exp(mean), np.exp(mean - width), np.exp(mean + width)))
        return sorted(table, key=lambda row: (-row[1], row[5]))

    def noise(self):
        """The median size of the ratio of the solver in use to itself."""
        pairs = [self.compare(self.costs[p, CONTROL], self.costs[p, IN_USE])[0] for p in self.places
                 if (p, CONTROL) in self.costs and (p, IN_USE) in self.costs]
        return float(np.exp(np.median(np.abs(np.log(pairs))))) - 1 if pairs else np.nan

    def machines(self):
        return sorted({"%s, %s threads, commit %s" % (r["processor"], r["threads"], r["commit"]) for r in self.rows})

    def text(self):
        lines = ["%-24s %7s %7s %9s %5s  %s" % ("solver", "solved", "failed", "left out", "best", "cost over the best (95 %)")]
        lines += ["%-24s %7d %7d %9d %5d  %.3g (%.3g to %.3g)" % row for row in self.summary()]
        return "\n".join(lines) + "\n%d sequences; A/A noise %.1f %% (median); %s\n" % (len(self.places), 100 * self.noise(), "; ".join(self.machines()))

    def csv(self):
        lines = ["processor,threads,sequence,solver,cost_over_best,low,high,failures,left_out"]
        for place in self.places:
            for s in self.solvers:
                ratio = self.ratios[place].get(s, (np.nan,) * 3)
                cells = [*place, s, *("%.6g" % v if np.isfinite(v) else "" for v in ratio), str(self.failures.get((place, s), "")),
                         self.left_out.get((place, s), "")]
                lines.append(",".join('"%s"' % c.replace('"', '""') if "," in c or '"' in c else c for c in cells))
        return "\n".join(lines) + "\n"

    def profile(self, folder):
        most = min(100, max([2] + [r[0] for of in self.ratios.values() for r in of.values()]))
        figure, axes = sketch.new(height=4)
        factors = np.geomspace(1, most, 200)
        data = [("factor", factors)]
        for s in [row[0] for row in self.summary()]:
            ratios = np.array([of[s][0] for of in self.ratios.values() if s in of])
            share = np.array([np.count_nonzero(ratios <= f) for f in factors]) / len(self.places)
            axes.plot(factors, share, label=s)
            data.append((s, share))
        axes.log("x")
        axes.set_ylim(0, 1.02)
        figure.finish(axes, "Performance profile", "cost over the best of each sequence", "share of the sequences")
        caption = "Share of the sequences that a solver solves at a cost of at most a factor times the best (Dolan & More 2002)."
        return figure.save(folder, "profile", caption, data)

    def page(self, directory):
        table = [[row[0], *row[1:5], "%.3g" % row[5], "%.3g to %.3g" % row[6:]] for row in self.summary()]
        names = ["solver", "solved", "failed", "left out", "best", "cost over the best", "95 % interval"]
        by_sequence = []
        for place in self.places:
            of = self.ratios[place]
            by_sequence.append([place[2], *(("%.3g (%.3g to %.3g)" % of[s] if s in of else "failed" if (place, s) in self.costs else "left out")
                                            for s in self.solvers)])
        title = "Ranking on %s" % self.rows[0]["corpus"] if self.rows else "Ranking"
        body = "<h1>%s</h1>" % page.text(title) + page.section("Solvers", page.figures([self.profile(directory + "/plots")]), page.table(names, table, range(1, 7)))
        body += page.paragraph("Cost: set-up and solves of all systems of a sequence, paired by system. Cost over the best: geometric mean over the "
                               "sequences whose every system the solver solved; the best is the cheapest solver of the sequence on the machine. "
                               "A/A noise: %.1f %%. %s. The systems are those of the solver in use (open loop)." % (
                                   100 * self.noise(), "; ".join(self.machines())), soft=True)
        return title, body + page.section("Every sequence", page.table(["sequence", *self.solvers], by_sequence, range(1, 1 + len(self.solvers))))
