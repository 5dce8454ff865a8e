#!/usr/bin/env python3
"""draw_mesh.py on a made-up mesh of quadrilaterals and triangles: pictures come out, faults are said."""
import os
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
POSTPROC = os.path.join(HERE, "../../../postproc/report")
sys.path.insert(0, POSTPROC)
sys.dont_write_bytecode = True


def write_vtu(path, n=6):
    """A square of n x n; every second cell is halved into triangles."""
    x = np.linspace(0, 1, n + 1)
    points = np.array([(a, b, 0) for b in x for a in x])
    cells = []
    for j in range(n):
        for i in range(n):
            a = j * (n + 1) + i
            quad = (a, a + 1, a + n + 2, a + n + 1)
            cells += [quad] if (i + j) % 2 else [quad[:3], (quad[0], quad[2], quad[3])]
    middle = np.array([points[list(c)].mean(axis=0) for c in cells])
    arrays = [("TimeValue", "Float64", "<f8", 1, np.array([0.5])),
              ("mach", "Float32", "<f4", 1, middle[:, 0] + middle[:, 1]), ("velocity", "Float32", "<f4", 3, middle),
              ("partition", "Int32", "<i4", 1, np.arange(len(cells)) % 3), ("volume", "Float64", "<f8", 1, 10.0 ** (8 * middle[:, 0])),
              ("line", "Int32", "<i4", 1, np.arange(len(cells)) - 1), ("Points", "Float64", "<f8", 3, points),
              ("connectivity", "Int32", "<i4", 1, np.concatenate(cells)),
              ("offsets", "Int32", "<i4", 1, np.cumsum([len(c) for c in cells])),
              ("types", "UInt8", "u1", 1, np.array([5 if len(c) == 3 else 9 for c in cells]))]
    head, blob = {}, b""
    for name, kind, dtype, components, values in arrays:
        head[name] = '<DataArray type="%s" Name="%s" NumberOfComponents="%d" format="appended" offset="%d"/>' % (
            kind, name, components, len(blob))
        raw = np.ascontiguousarray(values, dtype).tobytes()
        blob += struct.pack("<Q", len(raw)) + raw
    text = ('<VTKFile type="UnstructuredGrid" byte_order="LittleEndian" header_type="UInt64"><UnstructuredGrid><FieldData>'
            + head["TimeValue"] + '</FieldData><Piece NumberOfPoints="%d" NumberOfCells="%d"><PointData></PointData><CellData>'
            % (len(points), len(cells)) + head["mach"] + head["velocity"] + head["line"] + head["partition"] + head["volume"] + "</CellData><Points>"
            + head["Points"] + "</Points><Cells>" + head["connectivity"] + head["offsets"] + head["types"]
            + '</Cells></Piece></UnstructuredGrid><AppendedData encoding="raw">_')
    with open(path, "wb") as file:
        file.write(text.encode() + blob + b"</AppendedData></VTKFile>")
    return len(cells)


class DrawMesh(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "a.vtu")
        self.cells = write_vtu(self.path)

    def tearDown(self):
        self.folder.cleanup()

    def test_the_reader_gives_mesh_fields_and_time(self):
        from plots import vtu
        v = vtu.Vtu(self.path)
        self.assertEqual((len(v.node), len(v.corners), v.time), (49, self.cells, 0.5))
        self.assertEqual(sorted(v.fields), ["line", "mach", "partition", "velocity", "volume"])
        self.assertEqual(v.fields["velocity"].shape, (self.cells, 3))

    def test_pictures_are_drawn_of_mesh_fields_components_and_words(self):
        from plots import meshes, paper, vtu
        v = vtu.Vtu(self.path)
        for field in (None, "mach", "velocity", "velocity.1", "line", "partition", "volume"):
            figure = meshes.mesh_figure(v, self.folder.name, field, zoom=(0.2, 0.7, 0.1, 0.6), levels=4 if field == "mach" else 0)
            paper.save(figure.plot, figure.path + ".png")
            self.assertGreater(os.path.getsize(figure.path + ".png"), 2000)
        corners = v.corners.astype("u2")
        self.assertTrue(np.allclose(paper.node_values({"nodes": v.node, "corners": corners, "values": np.ones(self.cells)}), 1))

    def test_the_script_says_what_is_wrong(self):
        def run(*arguments):
            return subprocess.run([sys.executable, os.path.join(POSTPROC, "draw_mesh.py"), *arguments], capture_output=True, text=True)
        good = run(self.path, "mach", "-o", os.path.join(self.folder.name, "b.png"))
        self.assertEqual(good.returncode, 0, good.stderr)
        bad = run(self.path, "mech")
        self.assertEqual(bad.returncode, 6)
        self.assertIn("no cell field 'mech'; there are: mach, velocity, line", bad.stderr)


if __name__ == "__main__":
    unittest.main()
