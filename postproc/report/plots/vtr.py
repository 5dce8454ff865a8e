"""Reads a .vtr (VTK XML, rectilinear grid, appended raw data, plain or zlib) with numpy alone."""
import re
import zlib

import numpy as np

TYPES = {"Float32": "f4", "Float64": "f8", "Int32": "i4", "Int64": "i8", "UInt8": "u1"}


def _attribute(element, name, default=None):
    found = re.search(r'\b%s="([^"]*)"' % name, element)
    return found.group(1) if found else default


def _block(data, at, header, compressed):
    """The bytes of one array. Layout: 'VTK XML file formats', The VTK User's Guide, chapter 19."""
    size = np.dtype(header).itemsize
    if not compressed:
        length = int(np.frombuffer(data, header, 1, at)[0])
        block = data[at + size:at + size + length]
        if len(block) != length:
            raise ValueError("the file ends inside an array")
        return block
    blocks = int(np.frombuffer(data, header, 1, at)[0])
    sizes = np.frombuffer(data, header, blocks, at + 3 * size)
    at += (3 + blocks) * size
    parts = []
    for length in map(int, sizes):
        parts.append(zlib.decompress(data[at:at + length]))
        at += length
    return b"".join(parts)


class Vtr:
    """faces: coordinates of the cell faces in x, y, z; fields: name -> array [z, y, x] or [z, y, x, component]."""

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        start = data.find(b"<AppendedData")
        if start < 0:
            raise ValueError("no appended data in it")
        head = data[:start].decode("ascii", "replace")
        data = data[data.index(b"_", start) + 1:]
        order = "<" if _attribute(head, "byte_order", "LittleEndian") == "LittleEndian" else ">"
        header = order + {"UInt32": "u4", "UInt64": "u8"}[_attribute(head, "header_type", "UInt32")]
        compressor = _attribute(head, "compressor")
        if compressor not in (None, "vtkZLibDataCompressor"):
            raise ValueError("compressed by " + compressor)

        self.faces, self.fields, self.time = [], {}, None
        extent = list(map(int, _attribute(head, "WholeExtent").split()))
        shape = tuple(max(extent[2 * d + 1] - extent[2 * d], 1) for d in (2, 1, 0))
        coordinates = head.index("<Coordinates")
        for element in re.finditer(r"<DataArray\b[^>]*>", head):
            text = element.group(0)
            raw = _block(data, int(_attribute(text, "offset")), header, compressor is not None)
            values = np.frombuffer(raw, order + TYPES[_attribute(text, "type")]).astype(float)
            name = _attribute(text, "Name")
            if element.start() > coordinates:
                self.faces.append(values)
            elif name == "TimeValue":
                self.time = float(values[0])
            else:
                components = int(_attribute(text, "NumberOfComponents", "1"))
                self.fields[name] = values.reshape(shape + ((components,) if components > 1 else ()))

    @property
    def is_2d(self):
        return len(self.faces[2]) <= 2

    def velocity(self):
        """[z, y, x, 3], or None."""
        if "velocity" in self.fields:
            return self.fields["velocity"]
        if "u" not in self.fields or "v" not in self.fields:
            return None
        u, v = self.fields["u"], self.fields["v"]
        return np.stack([u, v, self.fields.get("w", np.zeros_like(u))], axis=-1)

    def pressure(self):
        return self.fields.get("p", self.fields.get("pressure"))
