#!/usr/bin/env python3
"""Draws a run: python3 report.py [--png] DIR  writes DIR/report.html (one file) and the plots' data, DIR/plots/*.csv; with
--png also the plots, DIR/plots/*.png. Needs numpy, and matplotlib for --png. What the run directory lacks is left out, with one line that says why."""
import contextlib
import ctypes
import importlib
import os
import resource
import signal
import sys
import types

sys.dont_write_bytecode = True  # the program's folder may belong to another user

EXIT_USAGE, EXIT_FILE = 2, 6  # as the program's own exit codes
PARTS = ("compressible", "evidence", "fields", "flight", "histories", "page", "profiles", "records", "relay", "roofline", "shadow", "shadow_plots", "style",
         "timings")


def end_with_the_program():
    """Ends the report when the calling program is killed, since the run may be restarted at once (Linux)."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def import_numpy():
    """Loads numpy without random numbers, polynomials and transforms, which no plot needs: this takes a fifth of the memory."""
    if "numpy" not in sys.modules:
        for name in ("random", "polynomial", "fft"):
            sys.modules["numpy." + name] = types.ModuleType("numpy." + name)
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        signal.setitimer(signal.ITIMER_PROF, 30)  # OpenBLAS does not return where `ulimit -v` is too small
    importlib.import_module("numpy")
    signal.setitimer(signal.ITIMER_PROF, 0)


def seconds(value):
    if not isinstance(value, (int, float)):
        return "–"
    if value < 100:
        return "%.3g s" % value
    minutes, rest = divmod(int(round(value)), 60)
    hours, minutes = divmod(minutes, 60)
    return "%d h %02d min" % (hours, minutes) if hours else "%d min %02d s" % (minutes, rest)


def megabytes(value):
    return "%.1f MB" % (value / 1e6) if isinstance(value, (int, float)) else "–"


class Report:
    def __init__(self, directory):
        self.run = self.records.RunDirectory(directory)
        self.folder = os.path.join(directory, "plots")

    def __getattr__(self, name):
        """The parts, each loaded when it is needed: no run needs all."""
        if name not in PARTS:
            raise AttributeError(name)
        setattr(self, name, importlib.import_module("plots." + name))
        return self.__dict__[name]

    def attempt(self, what, make, *arguments):
        """A part of the page, or nothing and a line in the list of missing parts."""
        try:
            return make(*arguments)
        except Exception as error:  # a report must not fail because one part of a run is broken
            if os.environ.get("WEIR_REPORT_DEBUG"):
                sys.excepthook(type(error), error, error.__traceback__)
            self.run.leave_out(what, error if str(error) else type(error).__name__)
            return None

    def verdict(self):
        page, run = self.page, self.run.run
        checks = self.run.checks()
        failed = [c for c in checks if not c[4]]
        code, status = run.get("exit_code"), run.get("status", "unknown")
        if code is None:
            kind, word = "warn", "No result" if not run else "Not finished"
        elif code == 0 and not failed:
            kind, word = "good", "Passed" if checks else "Finished"
        elif code in (0, 5):
            kind, word = "bad", "%s out of tolerance" % ("Stopped before the end," if status == "stopped" else "Finished, but")
        elif code == 9 or code > 128:
            kind, word = "warn", "Stopped before the end"
        else:
            kind, word = "bad", "Failed"
        line = "status %s" % status + (", exit code %s" % code if code is not None else "")
        reason = run.get("reason")
        parts = ['<p><strong class="word">%s</strong></p>' % page.text(word), page.paragraph(line, soft=True)]
        if reason:
            parts.append(page.paragraph("Ended: %s." % str(reason).rstrip(".")))
        if checks:
            rows = [[page.Markup('<span class="%s">%s</span>' % (("pass", "PASS") if holds else ("fail", "FAIL"))), name,
                     self.style.number(computed, 6), self.style.number(float(value), 6), self.style.number(float(tolerance), 3)]
                    for name, computed, value, tolerance, holds in checks]
            parts.append(page.table(["", "check", "computed", "expected", "tolerance"], rows, (2, 3, 4)))
        elif run:
            parts.append(page.paragraph("The case has no [check] table.", soft=True))
        return '<section class="verdict %s">%s</section>' % (kind, "".join(parts))

    def solver_lines(self):
        """The solvers, named as in the records, with the tolerance of the case."""
        if self.run.solves is None:
            return []
        lines = []
        for name, rows in self.histories.systems(self.run.solves).items():
            words = self.run.solves["solver"][rows[0]].replace("+", " + ")
            options = self.run.table("linear", name)
            if "tolerance" in options and not words.startswith("fast_poisson"):
                words += ", to %g %s" % (options["tolerance"], "relative" if options.get("relative", True) else "absolute")
            lines.append(("solver of " + name, words))
        return lines

    def facts(self):
        run, page, number = self.run.run, self.page, self.style.number
        grid = self.run.table("grid")
        rows = [("case", run.get("case")), ("miniapp", run.get("miniapp"))]
        if "cells" in grid:
            stretching = [s if isinstance(s, str) else "%s %g" % (s.get("type"), s["factor"]) if "factor" in s else str(s.get("type"))
                          for s in grid.get("stretching", [])]
            words = " × ".join(map(str, grid["cells"])) + (" (%s)" % ", ".join(stretching) if stretching else "")
            rows.append(("grid", words))
        rows.append(("unknowns", number(run.get("unknowns"))))
        if self.run.is_steady():
            rows.append(("pseudo-time steps", number(run.get("steps"))))
        else:
            rows += [("steps", number(run.get("steps"))), ("simulated time", number(run.get("time"), 6))]
        rows.append(("wall time", seconds(run.get("wall_seconds"))))
        time = self.run.table("time")
        if time.get("dt"):
            rows.append(("time step", number(float(time["dt"]))))
        elif time.get("cfl"):
            rows.append(("target CFL number", number(float(time["cfl"]))))
        flow = self.run.table("flow")
        rows += [(key, number(flow[key])) for key in ("viscosity", "density", "scheme", "mach", "angle_of_attack", "reynolds") if key in flow]
        rows += self.attempt("the solvers' names", self.solver_lines) or []
        device = [str(run[key]) for key in ("space", "device_name") if run.get(key)]
        if run.get("threads"):
            device.append("%s thread%s" % (run["threads"], "" if run["threads"] == 1 else "s"))
        if run.get("ranks", 1) != 1:
            device.append("%s ranks" % run["ranks"])
        rows.append(("ran on", ", ".join(device) or None))
        memory = run.get("memory") if isinstance(run.get("memory"), dict) else {}
        if memory.get("peak"):
            rows.append(("memory", "peak %s, estimated %s" % (megabytes(memory["peak"]), megabytes(memory.get("estimate")))))
        rows += [("version", run.get("version")), ("state hash", run.get("state_hash")), ("case hash", run.get("config_hash"))]
        rows = [(name, value) for name, value in rows if value not in (None, "", "–")]
        if not rows:
            raise ValueError("neither run.json nor the case could be read")
        parts = [page.facts(rows)]
        if self.run.config_text:
            parts.append("<details><summary>Effective case, including defaults</summary><pre>%s</pre></details>"
                         % page.text(self.run.config_text))
        return page.section("What was run", *parts)

    def quantities(self):
        rows = []
        for table in ("quantities", "fom"):
            values = self.run.run.get(table)
            if isinstance(values, dict):
                rows += [(self.style.words(k), self.style.number(v, 7)) for k, v in values.items()]
        if not rows:
            raise ValueError("run.json has none")
        return self.page.section("Quantities", self.page.facts(rows))

    def pictures(self):
        groups, source = self.fields.field_plots(self.run, self.folder)
        return self.page.section("The flow", self.page.paragraph(source, soft=True), *[self.page.figures(group) for group in groups])

    def is_compressible(self):
        return self.run.run.get("miniapp") == "compressible" or self.run.table("case").get("miniapp") == "compressible"

    def compressible_pictures(self):
        figures, source = self.compressible.flow_figures(self.run, self.folder)
        figures += self.attempt("the tube", self.compressible.tube_figures, self.run, self.folder) or []
        figures += self.attempt("the boundary layer", self.compressible.layer_figures, self.run, self.folder) or []
        return self.page.section("The flow", self.page.paragraph(source, soft=True), self.page.figures(figures))

    def surface_section(self):
        figures = self.compressible.surface_figures(self.run, self.folder)
        return self.page.section("Walls", self.page.figures(figures)) if figures else None

    def convergence_section(self):
        return self.page.section("Convergence to the steady state" if self.run.is_steady() else "Steps",
                                 self.page.figures(self.compressible.convergence_figures(self.run, self.folder)))

    def compressible_solver_section(self):
        names, rows = self.histories.solver_table(self.run)
        figures = self.compressible.ilu_figures(self.run, self.folder)
        figures[1:1] = self.attempt("residuals of the solver", self.histories.residual_plot, self.run, self.folder) or []
        return self.page.section("Linear solver", self.page.table(names, rows, (2, 3, 4, 5, 6)), self.page.figures(figures))

    def sections(self):
        """(what, method) of the sections that differ between the miniapps; the flow first."""
        if self.run.run.get("miniapp") == "captured":
            return [("the linear solvers", self.solver_section)]
        if self.is_compressible():
            return [("the pictures", self.compressible_pictures), ("the walls", self.surface_section)] + [
                    ("the profiles", self.profile_section)] * bool(self.run.probes()) + [
                    ("the convergence", self.convergence_section), ("the linear solver", self.compressible_solver_section)]
        walls = [("the walls", self.surface_section)] * ("body" in self.run.config)
        return [("the pictures", self.pictures)] + walls + [("the profiles", self.profile_section),
                ("the history", self.history_section), ("the linear solvers", self.solver_section)]

    def profile_section(self):
        figures = self.profiles.profile_plots(self.run, self.folder)
        return self.page.section("Profiles", self.page.figures(figures)) if figures else None

    def history_section(self):
        return self.page.section("History", self.page.figures(self.histories.history_plots(self.run, self.folder)))

    def solver_section(self):
        figures = []
        for what, make in (("iterations of the solvers", self.histories.iterations_plot),
                           ("residuals of the solvers", self.histories.residual_plot)):
            figures += self.attempt(what, make, self.run, self.folder) or []
        names, rows = self.histories.solver_table(self.run)
        return self.page.section("Linear solvers", self.page.table(names, rows, (2, 3, 4, 5, 6)), self.page.figures(figures))

    def study(self):
        """The comparison of solvers: a picture, a sentence per candidate, the numbers; None where nothing was compared."""
        has_systems = self.run.has("shadow_summary.csv")
        if not has_systems and not self.run.branches():
            return None
        study, page, evidence = self.shadow.Study(self.run) if has_systems else None, self.page, self.evidence
        relay = self.relay.read(self.run) if self.run.branches() else None
        costs = evidence.of_run(self.run, study, relay)
        noise = relay.get("noise") or 1 if relay else study.floor()  # of the highest level that has an A/A control
        figures = self.attempt("the picture of the costs", evidence.picture, costs, noise, self.folder, "evidence")
        solver = study.solver[self.shadow.REFERENCE] if study else relay["solvers"][0]["solver"]
        notes = (self.shadow.notes(study) if study else []) + (self.relay.notes(relay) if relay else [])
        parts = [page.verdict("study", evidence.headline(costs, "the reference solver, " + solver.replace("+", " + ")), page.figures([figures] if figures else []),
                              page.items(evidence.sentences(costs)), page.table(*evidence.table(costs), range(2, 8)), page.paragraph(" ".join(notes), soft=True))]
        if relay:
            parts.append(page.section("Branches of the run", page.table(*self.relay.table(relay), range(2, 10))))
        return "".join(parts + [self.systems_section(study) if study else ""])

    def systems_section(self, study):
        figures, draw = [], self.shadow_plots
        for make in (draw.win_map, draw.split_plot, draw.iteration_plot, draw.ratio_plot):
            figures += self.attempt("a plot of the shadow solves", make, study, self.folder) or []
        figures += self.attempt("the convergence curves", draw.curve_plots, self.run, study, self.folder) or []
        names, rows = self.shadow.summary_table(study)
        return self.page.section("Solver comparison on the same systems", self.page.figures(figures), self.page.table(names, rows, range(2, len(names) - 1)))

    def flight_section(self):
        """The diagnosis of a failed run; None for the others."""
        if not self.run.has("flight_recorder.json"):
            return None
        flight, page = self.flight.read(self.run), self.page
        figures = self.attempt("the last steps", self.flight.state_plot, self.run, self.folder) or []
        names, rows = self.flight.solves_table(self.run)
        return page.section("Why it failed: %s" % flight["cause"].replace("_", " "), page.paragraph(flight["what"][:1].upper() + flight["what"][1:] + "."),
                            page.table(*self.flight.evidence_table(flight)),
                            page.paragraph("Suggested change: %s: %s." % (flight["key"], flight["change"])), page.figures(figures),
                            "<details><summary>The last solves</summary>%s</details>" % page.table(names, rows, (0, 2, 4, 5, 6)))

    def roofline_section(self):
        if not self.run.has("roofline.csv"):
            return None
        figures = []
        for make in (self.roofline.rate_plot, self.roofline.roofline_plot, self.roofline.part_plots):
            figures += self.attempt("a plot of the roofline", make, self.run, self.folder) or []
        names, rows = self.roofline.table(self.run)
        return self.page.section("Kernel performance", self.page.figures(figures),
                                 "<details><summary>All kernels</summary>%s</details>" % self.page.table(names, rows, (3, 4, 5, 6, 7, 8)))

    def time_section(self):
        names, rows = self.timings.timing_table(self.run)
        figures = self.timings.timing_plot(self.run, self.folder)
        return self.page.section("Where the time went",
                                 self.page.beside(self.page.figures(figures), self.page.table(names, rows, (2, 3))))

    def event_section(self, most=25):
        events = self.run.events
        if not events:
            return None
        rows = [[e.get("step", ""), e.get("kind", e.get("event", "")), e.get("message", "")] for e in events[-most:]]
        head = "The last %d of %d events." % (most, len(events)) if len(events) > most else ""
        return self.page.section("Events", self.page.paragraph(head, soft=True) if head else "",
                                 self.page.table(["step", "kind", "what"], rows, (0,)))

    def missing_section(self):
        missing = list(dict.fromkeys(self.run.missing))
        if not missing:
            return None
        return self.page.section("Not available", self.page.table(["what", "why"], missing))

    def write(self, path, with_png=False):
        self.page.make(path, self.body, with_png)

    def body(self):
        """The title and the content of the page."""
        title = self.run.table("case").get("title") or self.run.run.get("case") or \
            os.path.basename(os.path.abspath(self.run.path))
        parts = ["<h1>%s</h1>" % self.page.text(title), self.attempt("the comparison of solvers", self.study)]
        flow, *others = self.sections()
        parts.append(self.attempt(*flow))
        parts.append(self.attempt("the verdict", self.verdict))
        for what, make in [("the failure diagnostics", self.flight_section), ("the roofline", self.roofline_section), ("what was run", self.facts), *others,
                           ("the time split", self.time_section), ("the quantities", self.quantities), ("the events", self.event_section)]:
            parts.append(self.attempt(what, make))
        parts.append(self.missing_section())
        return "%s: report" % title, "\n".join(part for part in parts if part)


def main(arguments):
    with_png, arguments = "--png" in arguments, [a for a in arguments if a != "--png"]
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print("usage: report.py [--png] DIR", file=sys.stderr)
        return EXIT_USAGE
    end_with_the_program()
    directory = arguments[0]
    if not os.path.isdir(directory):
        print("report.py: no directory %s" % directory, file=sys.stderr)
        return EXIT_USAGE
    target = os.path.join(directory, "report.html")
    try:
        if not with_png:
            import_numpy()
        Report(directory).write(target, with_png)
    except OSError as error:
        print("report.py: cannot write %s: %s" % (target, error.strerror), file=sys.stderr)
        return EXIT_FILE
    except ImportError as error:
        sys.exit("report.py: %s (Debian: apt-get install python3-numpy python3-matplotlib)" % error)
    print(target)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
