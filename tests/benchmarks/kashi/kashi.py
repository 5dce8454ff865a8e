#!/usr/bin/env python3
"""The tables and figures of Kashi & Nadarajah 2020, one command each (docs/results/kashi_2020.md tells what came out):

    python3 tests/benchmarks/kashi/kashi.py table1             iterations for build x apply sweeps, cylinder, RCM
    python3 tests/benchmarks/kashi/kashi.py figure8 --size large

table1 table2 table3 figure3 figure6 figure7 figure8 figure9. Each computes with build/bin/kashi_study and writes
NAME.csv and NAME.png into -o (default weir-runs/kashi-SIZE). --redraw draws from the CSV of earlier runs where there are
any: figure 7 shows runs of figure 6, figure 9 those of figure 8.
"""
import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
CASES = os.path.join(ROOT, "inputs", "compressible", "study")
sys.path.insert(0, os.path.join(ROOT, "postproc", "report"))
import numpy as np  # noqa: E402
from plots import style  # noqa: E402
from plots.records import read_csv  # noqa: E402

# On the large meshes a march from CFL 10 crawls: 60 after 500 steps.
SIZES = {
    "small": {"cylinder": [], "naca0012": []},
    "large": {"cylinder": ["mesh.generator.around=640", "mesh.generator.outward=340", "pseudo_time.cfl_start=50"],
              "naca0012": ["mesh.generator.refinement=4", "pseudo_time.cfl_start=50"]},
}
ORDERINGS = {"rcm": "RCM", "1wd": "1WD", "line": "line", "line_1wd": "line-1WD"}
SOLVERS = {"block_ilu0": "sequential", "async_block_ilu0": "asynchronous block ILU",
           "async_ilu0": "asynchronous scalar ILU"}

# The paper's columns for 16 threads: iterations by build sweeps (rows) and apply sweeps 1, 2, 3, 5, 10, 20, exact.
# Of table 2, whose blanks (no convergence) the text of the paper does not place, only the exact corner is known.
ROWS = ["1", "2", "3", "5", "10", "20", "exact"]
PAPER = {
    "table1": [[438, 227, 174, 141, 130, 129, 130], [453, 228, 176, 146, 129, 129, 129],
               [459, 230, 177, 147, 133, 131, 131], [467, 237, 178, 148, 134, 132, 132],
               [467, 235, 179, 149, 134, 132, 132], [476, 237, 178, 148, 134, 132, 132],
               [470, 237, 178, 148, 134, 132, 132]],
    "table2": [[None] * 7 for _ in range(6)] + [[None] * 6 + [16]],
    "table3": [[319, 225, 224, 224, 224, 224, 224]] + [[282, 204, 203, 203, 203, 203, 203]] * 6,
}
TABLES = {"table1": ("cylinder", "rcm"), "table2": ("naca0012", "rcm"), "table3": ("naca0012", "1wd")}


class Study:
    def __init__(self, options):
        self.options = options
        os.makedirs(options.output, exist_ok=True)

    def path(self, name):
        return os.path.join(self.options.output, name)

    def compute(self, kind, case, ordering, name, extra, sets=()):
        """One run of kashi_study; its CSV."""
        file = self.path(name + ".csv")
        if self.options.redraw and os.path.exists(file):
            return read_csv(file)
        command = [self.options.program, kind, os.path.join(CASES, case + ".toml"), "-o", file]
        for one in SIZES[self.options.size][case] + ["ordering.type=" + ordering, *sets] + self.options.set:
            command += ["--set", one]
        if self.options.prescribed:
            command.append("--prescribed")
        print("$ " + " ".join(command + extra), flush=True)
        subprocess.run(command + extra, check=True)
        return read_csv(file)

    def threads(self):
        return "lanes" if self.options.prescribed else "threads"

    # Tables 1 to 3
    def table(self, name):
        case, ordering = TABLES[name]
        count = str(max(self.options.threads))
        found = self.compute("sweeps", case, ordering, name,
                             ["--threads", count, "--repeats", str(self.options.repeats), "--most-iterations",
                              str(self.options.table_iterations), "--sweeps", self.options.sweeps,
                              "--capture-cfl", str(self.options.capture_cfl)])
        cells = {(b, a): (mean, deviation, int(converged), int(repeats)) for b, a, mean, deviation, converged, repeats in
                 zip(words(found["build_sweeps"]), words(found["apply_sweeps"]), found["iterations"],
                     found["relative_deviation"], found["converged"], found["repeats"])}
        print("\nFGMRES(30) iterations to 1e-2, %s, %s, %s %s; in brackets the paper's with 16 threads on its matrix"
              % (case, ORDERINGS[ordering], count, self.threads()))
        shown = ["exact" if n == "0" else n for n in self.options.sweeps.split(",")]
        print("build \\ apply" + "".join("%15s" % a for a in shown))
        for b in shown:
            line = "%13s" % b
            for a in shown:
                mean, _, converged, repeats = cells[b, a]
                mine = "%.0f" % mean if converged == repeats else "%d/%d" % (converged, repeats) if converged else "-"
                theirs = PAPER[name][ROWS.index(b)][ROWS.index(a)] if a in ROWS and b in ROWS else None
                line += "%15s" % (mine + (" (%d)" % theirs if theirs else ""))
            print(line)
        print("Maximum relative deviation %.1f %%" % (100 * max(c[1] for c in cells.values())))
        self.draw_table(name, case, ordering, cells, count)

    def draw_table(self, name, case, ordering, cells, count):
        figure, axes = style.new()
        for i, b in enumerate(ROWS):
            means = [cells[b, a][0] if cells.get((b, a), (0, 0, 0))[2] else np.nan for a in ROWS]
            axes.plot(range(len(ROWS)), means, marker="o", markersize=4, color=style.COLOURS[i],
                      label=b if b == "exact" else b + (" build sweep" if b == "1" else ""))
        published = [v if v else np.nan for v in PAPER[name][0]]
        if not all(np.isnan(published)):
            axes.plot(range(len(ROWS)), published, color="#999999", linestyle=(0, (4, 3)), label="paper, 1 build sweep")
        style.log(axes)
        axes.set_xticks(range(len(ROWS)), ROWS)
        style.finish(figure, axes, "%s, %s, %s %s" % (case, ORDERINGS[ordering], count, self.threads()), "apply sweeps",
                     "FGMRES(30) iterations to 0.01")
        style.save(figure, self.options.output, name, "")

    # What figures are made of
    def march(self, name, case, ordering, solvers, threads, extra=(), sets=()):
        return self.compute("march", case, ordering, name,
                            ["--solver", ",".join(solvers), "--threads", ",".join(map(str, threads)),
                             "--most-iterations", str(self.options.most_iterations), *extra], sets)

    def residuals(self, axes, runs, title):
        """Residual of energy against cumulative iterations, a curve for each solver and number of threads."""
        for k, (solver, count) in enumerate(sorted(set(zip(runs["solver"], runs["threads"])), key=curve_order)):
            chosen = select(runs, solver, count)
            label = "sequential" if solver == "block_ilu0" else "%d %s" % (count, self.threads())
            axes.plot(chosen["iterations"], chosen["residual"], color=style.COLOURS[k], label=label)
        style.log(axes)
        axes.set_xlabel("FGMRES iterations, cumulative")
        axes.set_ylabel("residual of energy")
        axes.set_title(title)
        axes.legend()

    def properties(self, name, curves):
        """ILU residual, the factors' Jacobi matrices and the CFL number, step by step."""
        figure, grid = style.new(9.6, 7, nrows=2, ncols=2)
        wanted = [("ilu_residual", "ILU residual after the sweep, relative"), ("dominance_U", "max-norm of U's Jacobi matrix"),
                  ("dominance_L", "max-norm of L's Jacobi matrix"), ("cfl", "CFL number")]
        for axes, (column, label) in zip(grid.flat, wanted):
            for k, (title, run) in enumerate(curves):
                values = np.where(run[column] > 0, run[column], np.nan)
                axes.plot(run["step"], values, color=style.COLOURS[k], label=title, linewidth=1.1)
            style.log(axes)
            axes.set_xlabel("pseudo-time step")
            axes.set_ylabel(label)
        grid[1][1].legend()
        style.save(figure, self.options.output, name, "")

    def figure3(self):
        # With CFL numbers of thousands our second-order scheme does not settle on this flow: see docs/results/kashi_2020.md.
        calm = ["pseudo_time.cfl_max=100"]
        figure, grid = style.new(9.6, 7, nrows=2, ncols=2)
        for row, ordering in zip(grid, ("rcm", "1wd")):
            for axes, solver in zip(row, ("async_ilu0", "async_block_ilu0")):
                runs = self.march("figure3_%s_%s" % (ordering, solver), "cylinder", ordering, ["block_ilu0", solver],
                                  self.options.threads, sets=calm)
                self.residuals(axes, runs, "%s, %s" % (SOLVERS[solver], ORDERINGS[ordering]))
        style.save(figure, self.options.output, "figure3", "")

    def figure6(self):
        figure, row = style.new(9.6, 3.7, ncols=2)
        for axes, solver in zip(row, ("async_ilu0", "async_block_ilu0")):
            self.residuals(axes, self.scaled(solver), SOLVERS[solver] + ", line-1WD")
        style.save(figure, self.options.output, "figure6", "")

    def scaled(self, solver):  # of figures 6 and 7
        return self.march("figure6_" + solver, "naca0012", "line_1wd", ["block_ilu0", solver],
                          sorted({4, *self.options.threads}), ["--scaled"])

    def figure7(self):
        self.properties("figure7", [(SOLVERS[solver], select(self.scaled(solver), solver, 4))
                                    for solver in ("async_ilu0", "async_block_ilu0")])

    def ordered(self, ordering):  # of figures 8 and 9
        return self.march("figure8_" + ordering, "naca0012", ordering, ["block_ilu0", "async_block_ilu0"],
                          self.options.threads)

    def figure8(self):
        figure, grid = style.new(9.6, 7, nrows=2, ncols=2)
        for axes, ordering in zip(grid.flat, ORDERINGS):
            self.residuals(axes, self.ordered(ordering), ORDERINGS[ordering])
        style.save(figure, self.options.output, "figure8", "")

    def figure9(self):
        most = max(self.options.threads)
        self.properties("figure9", [(ORDERINGS[o], select(self.ordered(o), "async_block_ilu0", most))
                                    for o in ORDERINGS])


def words(column):
    """A column that may hold numbers and words."""
    return [w if isinstance(w, str) else "%g" % w for w in column]


def curve_order(key):
    solver, count = key
    return (solver != "block_ilu0", count)


def select(runs, solver, count):
    chosen = [i for i, (s, n) in enumerate(zip(runs["solver"], runs["threads"])) if s == solver and n == count]
    return {name: np.array(values)[chosen] for name, values in runs.items()}


def main():
    known = ["table1", "table2", "table3", "figure3", "figure6", "figure7", "figure8", "figure9"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+", choices=known + ["all"])
    parser.add_argument("--size", choices=SIZES, default="small", help="about 20,000 or 200,000 cells")
    parser.add_argument("--threads", type=lambda t: [int(n) for n in t.split(",")], default=[2, 4, 16])
    parser.add_argument("--repeats", type=int, default=3, help="of each cell of a table (the paper: 10)")
    parser.add_argument("--prescribed", action="store_true",
                        help="a seeded delay model in the place of threads: repeats bit for bit on any machine")
    parser.add_argument("--most-iterations", type=int, default=5000, help="a figure's run ends there")
    parser.add_argument("--table-iterations", type=int, default=2500, help="more count as no convergence")
    parser.add_argument("--sweeps", default="1,2,3,5,10,20,0", help="of a table's rows and columns; 0: exact")
    parser.add_argument("--capture-cfl", type=float, default=4000, help="a table's matrix: of the first such step")
    parser.add_argument("--set", action="append", default=[], help="KEY=VALUE of the case")
    parser.add_argument("--redraw", action="store_true")
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "bin", "kashi_study"))
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    options.output = options.output or os.path.join("weir-runs", "kashi-" + options.size)
    study = Study(options)
    for what in known if "all" in options.what else options.what:
        study.table(what) if what.startswith("table") else getattr(study, what)()
        print("wrote " + study.path(what) + ".png", flush=True)


if __name__ == "__main__":
    main()
