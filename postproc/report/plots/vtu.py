"""Reads a .vtu (VTK XML, unstructured grid of triangles and quadrilaterals, appended raw data) with numpy alone."""
import re

import numpy as np

from .vtr import Appended, attribute


class Vtu:
    """node: [n, 2]; corners: [cells, 4], a triangle's last corner repeated; fields: name -> [cells] or [cells, components];
    node_fields: the same at nodes; time."""

    def __init__(self, path=None, node=None, corners=None, fields=None, node_fields=None, time=None):
        self.node, self.corners, self.fields, self.node_fields, self.time, self._inside = node, corners, fields, node_fields, time, {}
        if path:
            self._read(path)

    def _read(self, path):
        self._file = Appended(path, b"UnstructuredGrid")
        head = self._file.head
        whole = self._arrays(head[:head.find("<Piece")])
        if "TimeValue" in whole:
            self.time = float(whole["TimeValue"][0])
        self.node = self._section(head, "Points")["Points"][:, :2]
        cells = self._section(head, "Cells")
        self.corners = self.corners_of(cells["connectivity"].astype(int), cells["offsets"].astype(int))
        self.fields = self._section(head, "CellData")
        self.node_fields = self._section(head, "PointData")
        del self._file

    def _section(self, head, name):
        found = re.search(r"<%s\b[^>]*>(.*?)</%s>" % (name, name), head, re.DOTALL)
        return self._arrays(found.group(1)) if found else {}

    def _arrays(self, head):
        arrays = {}
        for element in re.findall(r"<DataArray\b[^>]*>", head):
            values = self._file.array(element)
            components = int(attribute(element, "NumberOfComponents", "1"))
            arrays[attribute(element, "Name")] = values.reshape(-1, components) if components > 1 else values
        return arrays

    @staticmethod
    def corners_of(connectivity, ends):
        count = np.diff(ends, prepend=0)
        if not np.isin(count, (3, 4)).all():
            raise ValueError("cells that are neither triangles nor quadrilaterals")
        first = ends - count
        return np.stack([connectivity[first + np.minimum(k, count - 1)] for k in range(4)], axis=1)

    def polygons(self, cells=slice(None)):
        """[cells, 4, 2]"""
        return self.node[self.corners[cells]]

    def inside(self, zoom):
        """Which cells a box (x0, x1, y0, y1) shows."""
        zoom = tuple(zoom)
        if zoom not in self._inside:
            of = [self.node[:, d][self.corners] for d in range(2)]
            self._inside[zoom] = (of[0].max(axis=1) >= zoom[0]) & (of[0].min(axis=1) <= zoom[1]) & \
                (of[1].max(axis=1) >= zoom[2]) & (of[1].min(axis=1) <= zoom[3])
        return self._inside[zoom]

    def box(self):
        return (*self.node.min(axis=0), *self.node.max(axis=0))
