"""Reads .vtkhdf files (postproc/fields/vtkhdf.hpp) with h5py, and chooses the reader of a file of fields by its ending."""
import numpy as np

from .vtr import Vtr
from .vtu import Vtu

TRIANGLE, QUADRILATERAL, VOXEL = 5, 9, 11  # VTK's numbers


def open_fields(path):
    """A Vtr of a grid, a Vtu of a mesh."""
    return Vtr(path) if path.endswith(".vtr") else Vtu(path) if path.endswith(".vtu") else read(path)


def _open(path):
    try:
        import h5py
    except ImportError:
        raise ValueError("reading VTKHDF needs h5py (Debian: python3-h5py)") from None
    return h5py.File(path, "r")


def time(path):
    with _open(path) as file:
        return float(file["VTKHDF/Steps/Values"][0])


def read(path):
    with _open(path) as file:
        if "VTKHDF" not in file:
            raise ValueError("not a VTKHDF file: it has no group /VTKHDF")
        root = file["VTKHDF"]
        cells = {name: values[()] for name, values in root["CellData"].items()}
        when = float(root["Steps/Values"][0])
        kind = bytes(root.attrs["Type"]).decode()
        if kind == "ImageData":
            extent, origin, spacing = (root.attrs[name] for name in ("WholeExtent", "Origin", "Spacing"))
            return Vtr(faces=[origin[d] + spacing[d] * np.arange(extent[2 * d], extent[2 * d + 1] + 1) for d in range(3)], fields=cells, time=when)
        if kind != "UnstructuredGrid":
            raise ValueError("expected ImageData or UnstructuredGrid, found %s" % kind)
        points, types = root["Points"][()], root["Types"][()]
        if (types == VOXEL).all():  # a stretched grid
            faces = [np.unique(points[:, d]) for d in range(3)]
            shape = tuple(len(f) - 1 for f in reversed(faces))
            return Vtr(faces=faces, fields={n: v.reshape(shape + v.shape[1:]) for n, v in cells.items()}, time=when)
        if not np.isin(types, (TRIANGLE, QUADRILATERAL)).all():
            raise ValueError("cells that are neither triangles nor quadrilaterals")
        nodes = {name: values[()] for name, values in root.get("PointData", {}).items()}
        return Vtu(node=points[:, :2], corners=Vtu.corners_of(root["Connectivity"][()], root["Offsets"][1:]), fields=cells, node_fields=nodes, time=when)
