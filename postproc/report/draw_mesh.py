#!/usr/bin/env python3
"""Draws an unstructured mesh, or a field on it, from a .vtu as PNG.

    draw_mesh.py mesh.vtu -o mesh.png                                   the mesh
    draw_mesh.py run.vtu mach -o mach.png --zoom -0.5 1.5 -0.8 0.8      a cell field in a box x0 x1 y0 y1
"""
import argparse
import os
import sys

sys.dont_write_bytecode = True  # the program's folder may belong to another user
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vtu")
    parser.add_argument("field", nargs="?", help="cell field; NAME.0 is a vector's first component; default: the mesh alone")
    parser.add_argument("-o", "--output", default="mesh.png")
    parser.add_argument("--zoom", nargs=4, type=float, metavar=("X0", "X1", "Y0", "Y1"))
    parser.add_argument("--limits", nargs=2, type=float, metavar=("LOW", "HIGH"), help="ends of the colour scale")
    parser.add_argument("--levels", type=int, default=0, help="number of isolines")
    parser.add_argument("--cmap")
    parser.add_argument("--mesh", action=argparse.BooleanOptionalAction, help="draw the edges of the cells; default: where they can be seen")
    parser.add_argument("--title")
    a = parser.parse_args(arguments)
    try:
        from plots import meshes, paper, vtkhdf
    except ImportError as error:
        print("draw_mesh.py: needs Python with numpy and matplotlib (Debian: python3-matplotlib): %s" % error, file=sys.stderr)
        return 2
    try:
        folder, file = os.path.split(os.path.abspath(a.output))
        figure = meshes.mesh_figure(vtkhdf.open_fields(a.vtu), folder, a.field, a.zoom, a.mesh, a.limits, a.cmap, a.levels,
                                    title=a.title, name=os.path.splitext(file)[0])
        paper.save(figure.plot, figure.path + ".png")
    except (OSError, ValueError) as error:
        print("draw_mesh.py: %s: %s" % (a.vtu, error), file=sys.stderr)
        return 6
    print(figure.path + ".png")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
