#!/usr/bin/env python3
"""The Python package on small runs of the program: WEIR=build/bin/weir package_test.py. What a test needs and Python lacks (scipy, h5py,
matplotlib, pandas, mypy) skips it with a message."""
import contextlib
import importlib.util
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "python")]

import numpy as np  # noqa: E402
import run_notebook  # noqa: E402
import weir  # noqa: E402

os.environ.setdefault("WEIR", str(ROOT / "build/bin/weir"))
INPUTS = ROOT / "inputs"
CAVITY = INPUTS / "incompressible/cavity_re1000.toml"
QUICK = {"threads": 1, "raises": False, "unset": ["check"]}  # threads: other tests want the cores


def needs(*packages):
    lacking = [p for p in packages if importlib.util.find_spec(p) is None]
    return unittest.skipIf(lacking, "no " + ", ".join(lacking))


class Scratch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)


class ARun(Scratch):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.run_ = weir.run(INPUTS / "study/cavity_pressure.toml", cls.folder / "run", threads=1, grid={"cells": [24, 20]}, time={"end": 0.2, "dt": 0.01},
                            shadow={"every": 2}, relay={"every": 5}, unset=["roofline"], output={"fields_every_steps": 10, "report": False},
                            probe=[{"name": "middle", "from": [0.5, 0], "to": [0.5, 1], "points": 9, "fields": ["u"]}])

    def test_its_records_are_numpy_arrays_by_name(self):
        run = self.run_
        self.assertEqual((run.status, run.exit_code), ("finished", 0))
        self.assertEqual(list(run.history["step"]), list(range(1, 21)))
        self.assertAlmostEqual(run.history["time"][-1], 0.2)
        pressure = run.solves.where(system="pressure")
        self.assertEqual(pressure.rows, 20)
        self.assertTrue((pressure["iterations"] > 0).all() and (pressure["solver"] == "cg+multigrid").all())
        self.assertEqual(run.config["time"]["dt"], 0.01)
        self.assertEqual(run.probes["middle"].computed.rows, 9)
        self.assertIsNone(run.probes["middle"].published)
        check, = run.checks
        self.assertTrue(check.holds and check.name == "max_divergence" and check.computed < 1e-5)
        self.assertIsNone(run.table("no.csv"))
        with self.assertRaisesRegex(KeyError, "no column 'steps'; there are: step, time"):
            run.history["steps"]

    def test_its_fields_are_those_of_the_time_asked_for(self):
        self.assertEqual([round(p.time, 6) for p in self.run_.pictures][-2:], [0.1, 0.2])
        fields = self.run_.fields()
        self.assertEqual(fields.cells["velocity"].shape, (1, 20, 24, 3))
        self.assertEqual([len(c) for c in fields.centres], [24, 20, 1])
        self.assertAlmostEqual(fields.time, 0.2)
        self.assertFalse(np.array_equal(fields.cells["pressure"], self.run_.fields(-2).cells["pressure"]))
        lid = fields.cells["velocity"][0, -1, 12, 0]
        self.assertGreater(lid, fields.cells["velocity"][0, 0, 12, 0])  # the upper wall moves

    def test_its_study_has_verdicts_intervals_and_pairs(self):
        shadow = self.run_.shadow
        self.assertEqual(shadow.candidates, ["direct", "jacobi", "correction"])
        self.assertEqual(set(shadow.verdicts), set(shadow.candidates))
        self.assertEqual(shadow.reference, "cg+multigrid")
        ratio, low, high = shadow.interval("jacobi")
        self.assertTrue(0 < low <= ratio <= high)
        self.assertEqual(len(shadow.ratios("jacobi")), len(shadow.steps))
        self.assertTrue((shadow.iterations("direct") == 1).all())
        self.assertGreaterEqual(shadow.noise_floor, 1)
        self.assertTrue(shadow.sentences and shadow.headline)
        with self.assertRaisesRegex(KeyError, "no solver 'none'; there are: reference"):
            shadow.interval("none")
        self.assertEqual(self.run_.relay.candidates, shadow.candidates)
        self.assertGreater(self.run_.relay.branches.rows, 0)
        self.assertTrue(self.run_.relay.headline.startswith("Branches: "))
        self.assertIsNone(self.run_.decisions)

    @needs("matplotlib")
    def test_the_reports_plots_are_figures_and_leave_matplotlib_as_it_was(self):
        import matplotlib
        before = dict(matplotlib.rcParams)
        for draw in (weir.plots.history, weir.plots.convergence, weir.plots.times, weir.plots.fields, weir.plots.study):
            self.assertTrue(draw(self.run_))
        self.assertEqual(before, dict(matplotlib.rcParams))
        plots = weir.plots.study(self.run_)
        np.testing.assert_allclose(plots.named("shadow_ratio").data["jacobi"], self.run_.shadow.ratios("jacobi"))
        plots[:1][0].save(self.folder / "ratio.png", dpi=30)
        self.assertEqual((self.folder / "ratio.png").read_bytes()[1:4], b"PNG")
        self.assertEqual(weir.plots.Plots(plots[:1])._repr_html_().count("<img"), 1)

    @needs("pandas")
    def test_a_table_becomes_a_frame(self):
        self.assertEqual(list(self.run_.history.to_frame()["step"]), list(range(1, 21)))


class Starting(Scratch):
    def test_what_the_program_refuses_is_an_exception_with_its_words(self):
        with self.assertRaises(weir.WeirError) as caught:
            weir.run(CAVITY, self.folder / "typo", time={"ende": 1})
        self.assertEqual(caught.exception.exit_code, 2)
        self.assertIn("did you mean 'end'", str(caught.exception))
        self.assertIsNone(caught.exception.run)

    def test_a_failed_check_is_an_exception_that_holds_the_run(self):
        short = {"threads": 1, "grid": {"cells": [16, 16]}, "time": {"end": 0.02, "dt": 0.01}, "output": {"report": False}}
        with self.assertRaises(weir.WeirError) as caught:
            weir.run(CAVITY, self.folder / "short", **short)
        self.assertEqual(caught.exception.exit_code, 5)
        self.assertIn("error_u_centreline", str(caught.exception))
        self.assertEqual(caught.exception.run.history.rows, 2)
        with self.assertRaises(weir.WeirError) as again:  # it lies there; this one has not run
            weir.run(CAVITY, self.folder / "short", **short)
        self.assertEqual((again.exception.exit_code, again.exception.run), (2, None))
        self.assertFalse(weir.run(CAVITY, self.folder / "short", overwrite=True, raises=False, **short).checks[0].holds)

    def test_no_program_and_no_run_are_named(self):
        known = os.environ["WEIR"]
        self.addCleanup(os.environ.__setitem__, "WEIR", known)
        os.environ["WEIR"] = "/no/such/weir"
        with self.assertRaisesRegex(FileNotFoundError, "/no/such/weir"):
            weir.run(CAVITY)
        with self.assertRaisesRegex(FileNotFoundError, "no such run directory"):
            weir.read(self.folder / "none")
        with self.assertRaisesRegex(ValueError, "no run of Weir"):
            weir.read(HERE)

    def test_values_are_written_as_toml(self):
        from weir.program import toml
        self.assertEqual(toml({"type": "multigrid", "on": True, "sizes": np.array([1, 2]), "at": [0.5, float("inf")]}),
                         '{ "type" = "multigrid", "on" = true, "sizes" = [1, 2], "at" = [0.5, inf] }')
        with self.assertRaisesRegex(TypeError, "expected a number"):
            toml(object())

    def test_whole_runs_are_read_as_a_study(self):
        study = self.folder / "study.toml"
        study.write_text('[study]\ncases = ["%s"]\nconfigurations = ["direct", "jacobi"]\nrepeats = 1\n'
                         'set = ["grid.cells=[16,16]", "time.end=0.02", "time.dt=0.01"]\nunset = ["check"]\n[configuration.direct]\n'
                         '[configuration.jacobi]\nset = ["linear.pressure.method=cg"]\n' % CAVITY)
        weir.call("ab", study, "-o", self.folder / "ab")
        ab = weir.read_ab(self.folder / "ab")
        self.assertEqual(set(ab.runs["configuration"]), {"direct", "direct again", "jacobi"})
        self.assertIn("jacobi", ab.headline)
        with self.assertRaisesRegex(FileNotFoundError, "no study of weir ab"):
            weir.read_ab(HERE)


@needs("h5py")
class Vtkhdf(Scratch):
    """Files as postproc/fields/vtkhdf.hpp describes them."""

    def file(self, name, kind, times, **arrays):
        import h5py
        with h5py.File(self.folder / name, "w") as file:
            root = file.create_group("VTKHDF")
            root.attrs["Type"] = np.bytes_(kind)
            for path, values in arrays.items():
                if path.startswith("attribute_"):
                    root.attrs[path[10:]] = values
                else:
                    root[path.replace("__", "/")] = values
            root["Steps/Values"] = times
        return self.folder / name

    def test_a_grid_of_equal_cells_is_read(self):
        p = np.arange(1 * 2 * 3.0).reshape(1, 2, 3)
        path = self.file("image.vtkhdf", "ImageData", [0.5], CellData__p=p, attribute_WholeExtent=[0, 3, 0, 2, 0, 1], attribute_Origin=[1.0, 0, 0],
                         attribute_Spacing=[0.5, 1, 1])
        fields = weir.read_fields(path)
        self.assertEqual((fields.time, list(fields.faces[0])), (0.5, [1, 1.5, 2, 2.5]))
        np.testing.assert_array_equal(fields.cells["p"], p)

    def test_a_stretched_grid_of_voxels_is_a_grid_again(self):
        faces = np.array([0, 0.1, 1]), np.array([0, 2.0]), np.array([0, 1.0])
        z, y, x = np.meshgrid(*faces[::-1], indexing="ij")
        path = self.file("voxels.vtkhdf", "UnstructuredGrid", [1.0], Points=np.stack([x.ravel(), y.ravel(), z.ravel()], 1), Types=np.uint8([11, 11]),
                         Connectivity=np.arange(16), Offsets=[0, 8, 16], CellData__p=np.array([4.0, 5.0]))
        fields = weir.read_fields(path)
        np.testing.assert_array_equal(fields.cells["p"], [[[4, 5]]])
        np.testing.assert_array_equal(fields.faces[0], faces[0])

    def test_a_run_in_this_format_has_the_fields_of_vtk_xml_and_the_report_shows_them(self):
        runs = {}
        for form in ("xml", "vtkhdf"):
            runs[form] = weir.run(CAVITY, self.folder / form, grid={"cells": [12, 10]}, time={"end": 0.04, "dt": 0.01},
                                  output={"fields_format": form, "fields_every_steps": 2}, **QUICK)
        self.assertEqual([p.time for p in runs["xml"].pictures], [p.time for p in runs["vtkhdf"].pictures])
        self.assertEqual({p.path.suffix for p in runs["vtkhdf"].pictures}, {".vtkhdf"})
        for which in (0, -1):
            one, other = runs["xml"].fields(which), runs["vtkhdf"].fields(which)
            for name in one.cells:
                np.testing.assert_array_equal(one.cells[name], other.cells[name])
            for a, b in zip(one.faces, other.faces):
                np.testing.assert_allclose(a, b, rtol=1e-14, atol=1e-14)
        self.assertIn("Speed and streamlines", (self.folder / "vtkhdf/report.html").read_text(encoding="utf-8"))

    def test_a_mesh_is_read_with_its_triangles(self):
        path = self.file("mesh.vtkhdf", "UnstructuredGrid", [2.0], Points=np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 0, 0.0]]),
                         Types=np.uint8([9, 5]), Connectivity=[0, 1, 2, 3, 1, 4, 2], Offsets=[0, 4, 7], CellData__velocity=np.ones((2, 3)))
        fields = weir.read_fields(path)
        np.testing.assert_array_equal(fields.corners, [[0, 1, 2, 3], [1, 4, 2, 2]])
        np.testing.assert_allclose(fields.centres, [[0.5, 0.5], [4 / 3, 1 / 3]])


@needs("scipy")
class Systems(Scratch):
    CASES = {  # one of each kind of matrix
        "separable": ("incompressible/cavity_re1000.toml", {"grid": {"cells": [12, 10]}, "time": {"end": 0.02, "dt": 0.01},
                                                            "linear": {"pressure": {"method": "cg"}}}),
        "periodic": ("incompressible/taylor_green_2d.toml", {"grid": {"cells": [12, 10]}, "time": {"end": 0.02, "dt": 0.01}}),
        "stencil": ("incompressible/channel_cube_laminar.toml", {"grid": {"cells": [6, 8, 4]}, "pseudo_time": {"max_steps": 2}}),
        "banded": ("immersed/cylinder_re40.toml", {"grid": {"cells": [120, 90]}, "time": {"end": 0.01}}),
        "rows": ("compressible/sod.toml", {"mesh": {"generator": {"cells": [20, 2]}}, "time": {"end": 0.01}}),
    }

    @needs("h5py")
    def test_matrices_of_every_kind_are_those_that_the_program_exports(self):
        import scipy.io
        blocks = set()
        for kind, (case, keys) in self.CASES.items():
            keys = {**QUICK, "output": {"report": False}, "capture": {"when": "steps:1", "most": 4}, **keys}
            run = weir.run(INPUTS / case, self.folder / kind, **keys)
            self.assertGreater(len(run.systems), 0, kind)
            weir.call("replay", run.path, "--export", "mtx", "-o", self.folder / (kind + "_mtx"))
            for system in run.systems:
                exported = str(self.folder / (kind + "_mtx") / system.path.stem)
                difference = abs(scipy.io.mmread(exported + ".mtx").tocsr() - system.csr).max()
                self.assertLess(difference, 1e-15 * abs(system.csr).max(), system.path.name)  # separable ones: order of the products
                np.testing.assert_array_equal(scipy.io.mmread(exported + "_b.mtx").ravel(), system.rhs)
                self.assertEqual(system.step, int(system.path.stem.split("_")[-2]))
                self.assertEqual(system.coordinates.shape, (system.matrix.shape[0] // system.block, 3))
                blocks.add((system.matrix.format, system.block))
            if kind == "rows":
                fields = run.fields()
                self.assertEqual((fields.cells["density"].shape, fields.centres.shape, fields.corners.shape), ((40,), (40, 2), (40, 4)))
                self.assertAlmostEqual(fields.centres[:, 0].min(), 0.025)
        self.assertEqual(blocks, {("csr", 1), ("bsr", 4)})

    def test_what_another_code_has_dumped_is_read_and_damage_is_told(self):
        import scipy.sparse as sparse
        from weir.capture import Writer
        A = (sparse.random(12, 12, 0.4, random_state=1) + sparse.eye(12)).tocsr()
        writer = Writer(self.folder / "dump", name="p")
        writer.add(A, np.arange(12.0), coordinates=np.arange(36.0))
        writer.add(sparse.bsr_matrix(A, blocksize=(3, 3)), np.ones(12), np.arange(12.0), step=7, time=0.5)
        scalar, blocked = weir.systems(self.folder / "dump")
        for system, block in ((scalar, 1), (blocked, 3)):
            self.assertEqual(system.block, block)
            self.assertEqual(abs(system.csr - A).max(), 0)
        self.assertEqual((blocked.step, blocked.time, list(blocked.guess)), (7, 0.5, list(range(12))))
        self.assertEqual((scalar.coordinates.shape, blocked.coordinates, scalar.guess.any()), ((12, 3), None, np.False_))
        self.assertAlmostEqual(blocked.residual(sparse.linalg.spsolve(A.tocsc(), np.ones(12))), 0)
        whole = scalar.path.read_bytes()
        for bytes_, words in ((whole[:-1] + b"x", "'rhs' was altered"), (whole[:-3], "is truncated"), (whole + b"0", "expected"),
                              (whole.replace(b"step 0", b"step 9"), "its header was altered")):
            scalar.path.write_bytes(bytes_)
            with self.assertRaisesRegex(ValueError, "system_00000000.weir: .*" + words):
                weir.read_system(scalar.path)

    def test_a_folder_without_systems_is_told(self):
        with self.assertRaisesRegex(FileNotFoundError, "holds no captured system"):
            weir.systems(HERE)


class Whole(Scratch):
    @needs("matplotlib")
    def test_the_notebook_runs_and_comes_to_its_conclusion(self):
        (self.folder / "python").mkdir()
        (self.folder / "inputs").symlink_to(INPUTS)
        said, home = io.StringIO(), os.getcwd()
        os.chdir(self.folder / "python")
        self.addCleanup(os.chdir, home)
        with contextlib.redirect_stdout(said):
            names = run_notebook.run(ROOT / "python/first_study.ipynb")
        self.assertEqual(names["run"].status, "finished")
        self.assertIn("Branches", said.getvalue())
        self.assertEqual(said.getvalue().count("on branches"), 3)

    @needs("scipy", "pyamg")
    def test_pyamg_leads_a_cavity_and_its_repeats_are_bitwise(self):
        run = weir.run(INPUTS / "plugins/python/cavity.toml", self.folder / "pyamg", threads=1, time={"end": 0.1}, output={"report": False},
                       **{"linear.pressure.preconditioner.python": sys.executable, "shadow.ilut.preconditioner.python": sys.executable})
        pressure = run.solves.where(system="pressure")
        self.assertTrue((pressure["reason"] == "converged").all() and pressure["iterations"].max() < 15)
        self.assertTrue((pressure["solver"] == "cg+python:amg").all())
        self.assertEqual(np.nansum(run.shadow.solves.where(name="A/A control")["differing"]), 0)

    def test_its_version_is_the_programs(self):
        self.assertIn("VERSION %s" % weir.__version__, (ROOT / "CMakeLists.txt").read_text())

    def test_the_notebook_is_kept_without_outputs(self):
        import json
        cells = json.loads((ROOT / "python/first_study.ipynb").read_text())["cells"]
        self.assertFalse([c for c in cells if c.get("outputs") or c.get("execution_count")])

    @needs("mypy")
    def test_the_types_hold(self):
        done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", self.folder], cwd=ROOT / "python", capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
