#!/usr/bin/env python3
"""report.py on run directories made by fabricate_run.py: whole, three-dimensional, empty, broken. One process, small pictures."""
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../../../postproc/report")]

import fabricate_run  # noqa: E402
import numpy as np  # noqa: E402
import report  # noqa: E402
from plots import fields, histories, paper, records, sketch, vtr  # noqa: E402

paper.DPI = 30


class Folder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = os.path.join(scratch.name, "run")

    def make(self, kind):
        fabricate_run.main(self.path, kind)
        return self.path

    def write(self, arguments):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = report.main(arguments)
        return code, said.getvalue()

    def page(self, kind):
        return self.page_of(self.make(kind))

    def page_of(self, path):
        code, _ = self.write([path])
        self.assertEqual(code, 0)
        with open(os.path.join(self.path, "report.html"), encoding="utf-8") as file:
            return re.sub(r"<script>.*?</script>", "", file.read(), flags=re.DOTALL)  # its words and plots, without the library


class Reports(Folder):
    def test_a_whole_run_has_verdict_pictures_profiles_and_times(self):
        page = self.page("2d")
        self.assertFalse("Not available" in page)
        for words in ("Passed", "PASS", "Ended: steady state", "Botella &amp; Peyret", "largest difference 0.004",
                      "fast_poisson", "cg + jacobi", "4.1 s", "Where the time went"):
            self.assertTrue(words in page, words)
        self.assertGreaterEqual(page.count('<figure class="plot'), 10)
        self.assertIsNone(re.search(r'(src|href)="?https?:', page))
        drawn = os.listdir(os.path.join(self.path, "plots"))
        for name in ("profile_u_centreline.csv", "timings.csv"):
            self.assertIn(name, drawn)
        self.assertFalse([name for name in drawn if name.endswith(".png")])

    def test_pictures_are_drawn_on_demand_one_for_each_plot_of_the_page(self):
        page = self.page("3d")
        self.assertEqual(self.write(["--png", self.path])[0], 0)
        drawn = [name for name in os.listdir(os.path.join(self.path, "plots")) if name.endswith(".png")]
        self.assertEqual(len(drawn), page.count('<figure class="plot'))
        self.assertTrue(os.path.exists(os.path.join(self.path, "plots/field_z.csv")))

    def test_the_page_needs_no_matplotlib(self):
        self.make("3d")
        code = "import sys; sys.modules['matplotlib'] = None; import report; sys.exit(report.main([%r]))" % self.path
        done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, cwd=os.path.dirname(report.__file__))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.path, "report.html"), encoding="utf-8") as file:
            self.assertNotIn("Not available", file.read())

    def test_residuals_are_in_the_units_of_their_tolerance(self):
        run = records.RunDirectory(self.make("2d"))
        rows = histories.systems(run.solves)["momentum"]
        values, unit, tolerance = histories._against_tolerance(run, "momentum", rows)
        self.assertEqual((unit, tolerance), ("|b − A x| / |b|", 1e-8))
        np.testing.assert_allclose(values, run.solves["r_true"][rows] / 2, rtol=1e-12)  # |b| = 2
        rows = histories.systems(run.solves)["pressure"]  # a direct method: no tolerance
        self.assertEqual(histories._against_tolerance(run, "pressure", rows)[1:], ("|b − A x| / |b − A x₀|", None))

    def test_a_steady_run_has_pseudo_time_steps_and_no_time(self):
        self.make("2d")
        page = self.page_of(self.path)
        self.assertTrue("simulated time" in page and "t = " in page)
        with open(os.path.join(self.path, "config.effective.toml"), "a") as file:
            file.write("[time]\nsteady = true\n")
        self.assertEqual(histories._axis(records.RunDirectory(self.path), {"step": [1, 2], "time": [1, 2]})[1], "pseudo-time step")
        page = self.page_of(self.path)
        self.assertTrue("pseudo-time steps" in page and "pseudo-time step " in page)
        self.assertFalse("simulated time" in page or "t = " in page)

    def test_a_failed_run_says_why(self):
        self.make("empty")
        state = {"u": {"min": -1.0, "max": 2.0}, "p": "not finite"}
        solve = {"system": "pressure", "iterations": 7, "reason": "not_finite", "r0": 1.0, "r_true": "nan", "preconditioner_age": 0}
        steps = [{"step": n, "cfl": None if n == 1 else 3.0 * n, "state": state, "last_solves": [solve]} for n in (1, 2, 3)]
        with open(os.path.join(self.path, "flight_recorder.json"), "w") as file:
            json.dump({"cause": "time_step", "what": "the time step is too large", "evidence": [{"what": "CFL number", "value": "9"}],
                       "key": "time.dt", "change": "0.1", "steps": steps}, file)
        page = self.page_of(self.path)
        for words in ("Why it failed: time step", "The time step is too large.", "Suggested change: time.dt: 0.1.", "not_finite"):
            self.assertTrue(words in page, words)
        self.assertTrue(os.path.exists(os.path.join(self.path, "plots/flight_state.csv")))

    def test_a_check_out_of_tolerance_fails(self):
        self.make("2d")
        path = os.path.join(self.path, "config.effective.toml")
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(text.replace("tolerance = 0.008", "tolerance = 0.001"))
        verdict = report.Report(self.path).verdict()
        self.assertTrue("out of tolerance" in verdict)
        self.assertEqual(verdict.count(">FAIL<"), 1)

    def test_an_empty_directory_gives_a_page_that_says_what_is_missing(self):
        page = self.page("empty")
        for words in ("No result", "run.json", "there is no such file", "no field output was written"):
            self.assertTrue(words in page, words)

    def test_broken_files_cost_their_own_part_only(self):
        page = self.page("broken")
        for words in ("run.json", "cannot be read", "the file ends inside an array", "Norms of the change"):
            self.assertTrue(words in page, words)
        self.assertTrue('<figure class="plot' in page)

    def test_a_flow_that_blew_up_still_has_its_plots(self):
        self.make("2d")
        grid, wanted = fabricate_run.cavity()
        wanted = {name: np.where(np.arange(values.size).reshape(values.shape) % 7, np.nan, 1e38 * values) for name, values in wanted.items()}
        path = os.path.join(self.path, "vtk/run_00000400.vtr")
        for change in (np.copy, lambda values: values * np.nan):
            fabricate_run.write_vtr(path, 2.0, grid, {name: change(values) for name, values in wanted.items()}, False)
            with open(os.path.join(self.path, "history.csv"), "w") as file:
                file.write("step,time,dt,cfl,change,kinetic_energy\n1,0.1,0.1,1,1,1\n2,0.2,0.1,inf,1e200,1e308\n3,0.3,0.1,nan,inf,nan\n")
            page = self.page_of(self.path)
            plots = [json.loads(text) for text in re.findall(r'application/json">(.*?)</script>', page)]
            self.assertGreaterEqual(len(plots), 9)
            for axes in sum((plot["axes"] for plot in plots), []):
                self.assertTrue(all(axes[d]["high"] > axes[d]["low"] for d in "xy"), axes["title"])

    def test_no_directory_is_a_usage_error_in_one_line(self):
        for arguments in ([self.path], [], ["a", "b"]):
            code, said = self.write(arguments)
            self.assertEqual(code, 2)
            self.assertEqual(said.count("\n"), 1)


class Pictures(Folder):
    def test_compressed_and_plain_files_hold_the_field(self):
        grid, wanted = fabricate_run.taylor_green(12)
        os.makedirs(self.path)
        for compress in (False, True):
            path = os.path.join(self.path, "a.vtr")
            fabricate_run.write_vtr(path, 0.5, grid, wanted, compress)
            got = vtr.Vtr(path)
            self.assertEqual(got.time, 0.5)
            np.testing.assert_array_equal(got.faces[2], grid[2])
            np.testing.assert_array_equal(got.velocity(), wanted["velocity"].astype("f4"))
            np.testing.assert_array_equal(got.pressure(), wanted["p"].astype("f4"))

    def test_the_vorticity_of_taylor_green_converges_with_second_order_in_every_plane(self):
        def worst(n, normal):
            grid, wanted = fabricate_run.taylor_green(n)
            os.makedirs(self.path, exist_ok=True)
            path = os.path.join(self.path, "a.vtr")
            fabricate_run.write_vtr(path, 0, grid, wanted, True)
            plane = fields.Plane(vtr.Vtr(path), normal)
            x, y, z = (plane.position if d == normal else plane.centre_a if d == plane.a else plane.centre_b for d in range(3))
            if normal == 2:
                exact = 2 * np.sin(x)[None] * np.sin(y)[:, None] * np.cos(z)
            elif normal == 1:
                exact = (-np.sin(x) * np.cos(y))[None] * np.sin(z)[:, None] + 0.3 * np.sin(x)[None] * np.sin(z)[:, None]
            else:
                exact = (-np.cos(x) * np.sin(y))[None] * np.sin(z)[:, None]
            return np.max(np.abs(plane.vorticity() - exact)[2:-2, 2:-2])

        for normal in range(3):
            self.assertAlmostEqual(np.log2(worst(16, normal) / worst(32, normal)), 2, delta=0.3)

    def test_no_label_is_cut_at_the_edge_of_a_png(self):
        def named():
            figure, axes = sketch.new(height=2)
            for y in (0, 1):
                axes.barh(y, 1 + y, label="a part")
            axes.plot([0, 2], [0, 1], label="another")
            axes.set_yticks([0, 1], ["pressure: bicgstab + aggregation, apply", "MMMMMM, wwwwww"])
            return figure, axes

        def panels():
            figure, (left, right) = sketch.new(columns=2)
            left.plot([1, 2], [1e-14, 3e82])
            right.plot([0, 1], [-0.00025, 0.00025])
            left.log()
            right.set_ylabel("of the right one")
            twin = right.twinx()
            twin.plot([0, 1], [0, 123456])
            twin.set_ylabel("on the right")
            return figure, left

        def picture():
            figure, axes = sketch.new()
            axes.frame()
            figure.colour_bar(axes.cells([0, 5], [0, 1], np.array([[0, -1e-7], [1e-7, 3e-7]]), 0, 1e-7, "viridis"), "of a field")
            return figure, axes

        for make in (named, panels, picture):
            figure, axes = make()
            figure.finish(axes, "A title", "below", "on the left")
            drawn = paper.figure(figure.save("", "a", "").plot)
            paper.FigureCanvasAgg(drawn).draw()
            for one in drawn.axes + drawn.legends:
                box = one.get_tightbbox(drawn.canvas.get_renderer())
                self.assertTrue(box.x0 >= 0 and box.y0 >= 0 and box.x1 <= drawn.bbox.x1 and box.y1 <= drawn.bbox.y1, (make, box, drawn.bbox))

    def test_the_latest_picture_is_found_by_time(self):
        self.make("2d")
        with open(os.path.join(self.path, "vtk/run.pvd"), "w") as file:
            file.write('<DataSet timestep="9" file="b.vtr"/><DataSet timestep="10" file="a.vtr"/>')
        with open(os.path.join(self.path, "vtk/run_body.pvd"), "w") as file:
            file.write('<DataSet timestep="11" file="run_body.vtp"/>')
        self.assertTrue(records.RunDirectory(self.path).last_fields().endswith("/a.vtr"))

    def test_a_three_dimensional_field_is_drawn_in_its_three_mid_planes_a_row_each(self):
        self.make("3d")
        figures, _ = fields.field_plots(records.RunDirectory(self.path), os.path.join(self.path, "plots"))
        self.assertEqual([[f.name for f in plane] for plane in figures],
                         [[what + a for what in ("speed_", "vorticity_", "pressure_")] for a in "zyx"])

    def test_directions_of_at_most_four_cells_are_not_drawn(self):
        self.make("3d")
        grid, flow = fabricate_run.taylor_green()
        for thin, planes in (((2,), "z"), ((1,), "y"), ((0,), "x"), ((0, 2), "")):
            for cells, drawn in ((4, planes), (5, "zyx")):
                keep = tuple(slice(cells if d in thin else None) for d in (2, 1, 0))
                part = [f[:cells + 1] if d in thin else f for d, f in enumerate(grid)]
                fabricate_run.write_vtr(os.path.join(self.path, "vtk/run_00000400.vtr"), 2.0, part,
                                        {name: field[keep] for name, field in flow.items()}, compress=False)
                figures, source = fields.field_plots(records.RunDirectory(self.path), os.path.join(self.path, "plots"))
                self.assertEqual("".join(plane[0].name[-1] for plane in figures), drawn)
                self.assertEqual("no picture" in source, not drawn)


if __name__ == "__main__":
    unittest.main()
