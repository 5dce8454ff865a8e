"""VTKHDF: one file a run, the mesh once, every time in it (postproc/fields/vtkhdf.hpp; docs.vtk.org, "VTKHDF file format"). Needs h5py."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .fields import Fields, StructuredFields, UnstructuredFields

Array = NDArray[Any]
TRIANGLE, QUADRILATERAL, VOXEL = 5, 9, 11  # VTK's numbers


def _root(path: Path, file: Any) -> Any:
    if "VTKHDF" not in file:
        raise ValueError("%s: no VTKHDF file: it has no group /VTKHDF" % path)
    return file["VTKHDF"]


def _open(path: Path) -> Any:
    try:
        import h5py
    except ImportError:
        raise ImportError("%s: reading VTKHDF needs h5py (Debian: python3-h5py)" % path) from None
    return h5py.File(path, "r")


def times(path: Path) -> list[float]:
    """Of the steps in a file."""
    with _open(path) as file:
        root = _root(path, file)
        return [float(t) for t in root["Steps/Values"][()]] if "Steps" in root else [float("nan")]


def read(path: Path, place: int) -> Fields:
    with _open(path) as file:
        root = _root(path, file)
        values = root["Steps/Values"][()] if "Steps" in root else None
        if place >= (1 if values is None else len(values)):
            raise ValueError("%s: no step %d (from 0); it has %d" % (path, place, 1 if values is None else len(values)))
        time = None if values is None else float(values[place])
        kind = root.attrs["Type"]
        kind = kind.decode() if isinstance(kind, bytes) else str(kind)
        if kind == "ImageData":
            return _image(path, root, time, place)
        if kind == "UnstructuredGrid":
            return _unstructured(path, root, time, place)
    raise ValueError("%s: expected ImageData or UnstructuredGrid, found %s" % (path, kind))


def _image(path: Path, root: Any, time: float | None, place: int) -> Fields:
    extent, origin, spacing = (root.attrs[name] for name in ("WholeExtent", "Origin", "Spacing"))
    faces = [origin[d] + spacing[d] * np.arange(extent[2 * d], extent[2 * d + 1] + 1) for d in range(3)]
    shape = tuple(len(f) - 1 for f in reversed(faces))
    has_steps = "Steps" in root and len(root["Steps/Values"]) > 1  # one alone: without a dimension for them
    cells = {name: values[place] if has_steps or values.shape[:3] != shape else values[()] for name, values in root["CellData"].items()}
    return StructuredFields(path, time, cells, {}, (faces[0], faces[1], faces[2]))


def _unstructured(path: Path, root: Any, time: float | None, place: int) -> Fields:
    points, types = root["Points"][()], root["Types"][()]
    cells = _of_step(root, "CellData", len(types), place)
    if (types == VOXEL).all():
        return _stretched(path, time, points, cells)
    if not np.isin(types, (TRIANGLE, QUADRILATERAL)).all():
        raise ValueError("%s: cells that are neither triangles nor quadrilaterals" % path)
    offsets, connectivity = root["Offsets"][()], root["Connectivity"][()]
    count = np.diff(offsets)
    corners = np.stack([connectivity[offsets[:-1] + np.minimum(k, count - 1)] for k in range(4)], axis=1)
    nodes = points[:, :2] if not points[:, 2].any() else points
    return UnstructuredFields(path, time, cells, _of_step(root, "PointData", len(points), place), nodes, corners)


def _of_step(root: Any, group: str, items: int, place: int) -> dict[str, Array]:
    if group not in root:
        return {}
    first = {name: values[place] for name, values in root["Steps"][group + "Offsets"].items()} if "Steps" in root else {}
    return {name: values[first.get(name, 0):first.get(name, 0) + items] for name, values in root[group].items()}


def _stretched(path: Path, time: float | None, points: Array, cells: dict[str, Array]) -> Fields:
    """Voxels, x fastest: a Cartesian grid again."""
    faces = [np.unique(points[:, d]) for d in range(3)]
    shape = tuple(len(f) - 1 for f in reversed(faces))
    if np.prod([len(f) for f in faces]) != len(points) or any(len(v) != np.prod(shape) for v in cells.values()):
        raise ValueError("%s: its voxels are not those of a Cartesian grid" % path)
    return StructuredFields(path, time, {n: v.reshape(shape + v.shape[1:]) for n, v in cells.items()}, {}, (faces[0], faces[1], faces[2]))
