"""Fields on structured and unstructured meshes, from the files that a run writes."""
from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._report import vtkhdf, vtr

Array = NDArray[Any]


@dataclass(frozen=True)
class Fields:
    """cells, points: arrays by name, of cells and of nodes; time: None if the file has none."""
    path: Path
    time: float | None
    cells: dict[str, Array]
    points: dict[str, Array] = field(default_factory=dict)


@dataclass(frozen=True)
class StructuredFields(Fields):
    """A Cartesian grid. cells[name] is [z, y, x], a vector's [z, y, x, 3]; faces: the coordinates of the cell faces in x, y, z."""
    faces: tuple[Array, Array, Array] = (np.empty(0), np.empty(0), np.empty(0))

    @property
    def centres(self) -> tuple[Array, Array, Array]:
        x, y, z = (0.5 * (f[1:] + f[:-1]) for f in self.faces)
        return x, y, z


@dataclass(frozen=True)
class UnstructuredFields(Fields):
    """Triangles and quadrilaterals. cells[name] is [cell] or [cell, component]; nodes: [node, 2]; corners: [cell, 4], a triangle's
    last one repeated."""
    nodes: Array = field(default_factory=lambda: np.empty((0, 2)))
    corners: Array = field(default_factory=lambda: np.empty((0, 4), dtype=int))

    @property
    def centres(self) -> Array:
        """[cell, 2]: the mean of the corners."""
        triangle = self.corners[:, 3] == self.corners[:, 2]
        total: Array = self.nodes[self.corners].sum(axis=1)
        total[triangle] -= self.nodes[self.corners[triangle, 3]]
        return total / np.where(triangle, 3, 4)[:, None]


def read_fields(path: str | os.PathLike[str]) -> Fields:
    """One file of fields: .vtr, .vtu or .vtkhdf."""
    path = Path(path)
    if path.suffix not in (".vtr", ".vtu", ".vtkhdf"):
        raise ValueError("%s: expected a file that ends in .vtr, .vtu or .vtkhdf" % path)
    try:
        file: Any = vtkhdf.open_fields(str(path))
    except ValueError as error:
        raise ValueError(str(error) if str(path) in str(error) else "%s: %s" % (path, error)) from None
    if isinstance(file, vtr.Vtr):
        return StructuredFields(path, file.time, dict(file.fields), {}, tuple(file.faces))
    return UnstructuredFields(path, file.time, dict(file.fields), dict(file.node_fields), file.node, file.corners)
