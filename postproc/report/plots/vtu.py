"""Reads a .vtu (VTK XML, unstructured grid of triangles and quadrilaterals, appended raw data) with numpy alone."""
import re

import numpy as np

from .vtr import TYPES, _attribute, _block


class Vtu:
    """node: [n, 2]; corners: [cells, 4], a triangle's last corner repeated; fields: name -> [cells] or [cells, components];
    node_fields: the same at nodes; time."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        start = data.find(b"<AppendedData")
        if start < 0 or b"UnstructuredGrid" not in data[:start]:
            raise ValueError("no unstructured grid with appended data")
        head = data[:start].decode("ascii", "replace")
        self._data = data[data.index(b"_", start) + 1:]
        self._order = "<" if _attribute(head, "byte_order", "LittleEndian") == "LittleEndian" else ">"
        self._header = self._order + {"UInt32": "u4", "UInt64": "u8"}[_attribute(head, "header_type", "UInt32")]
        self._compressed = _attribute(head, "compressor") is not None
        self.time = None
        whole = self._arrays(head[:head.find("<Piece")])
        if "TimeValue" in whole:
            self.time = float(whole["TimeValue"][0])
        self.node = self._section(head, "Points")["Points"][:, :2]
        cells = self._section(head, "Cells")
        self.corners = self._corners(cells["connectivity"].astype(int), cells["offsets"].astype(int))
        self.fields = self._section(head, "CellData")
        self.node_fields = self._section(head, "PointData")
        del self._data

    def _section(self, head, name):
        found = re.search(r"<%s\b[^>]*>(.*?)</%s>" % (name, name), head, re.DOTALL)
        return self._arrays(found.group(1)) if found else {}

    def _arrays(self, head):
        arrays = {}
        for element in re.findall(r"<DataArray\b[^>]*>", head):
            raw = _block(self._data, int(_attribute(element, "offset")), self._header, self._compressed)
            values = np.frombuffer(raw, self._order + TYPES[_attribute(element, "type")])
            components = int(_attribute(element, "NumberOfComponents", "1"))
            arrays[_attribute(element, "Name")] = values.reshape(-1, components) if components > 1 else values
        return arrays

    @staticmethod
    def _corners(connectivity, ends):
        count = np.diff(ends, prepend=0)
        if not np.isin(count, (3, 4)).all():
            raise ValueError("cells that are neither triangles nor quadrilaterals")
        first = ends - count
        return np.stack([connectivity[first + np.minimum(k, count - 1)] for k in range(4)], axis=1)

    def polygons(self, cells=slice(None)):
        """[cells, 4, 2]"""
        return self.node[self.corners[cells]]

    def box(self):
        return (*self.node.min(axis=0), *self.node.max(axis=0))
