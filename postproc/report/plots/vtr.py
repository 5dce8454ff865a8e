"""Reads a .vtr (VTK XML, rectilinear grid, appended raw data, plain or zlib) with numpy alone."""
import mmap
import re
import zlib

import numpy as np

TYPES = {"Float32": "f4", "Float64": "f8", "Int32": "i4", "Int64": "i8", "UInt8": "u1"}


def attribute(element, name, default=None):
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


class Appended:
    """A VTK XML file with appended raw data: its head and the arrays that the head describes."""

    def __init__(self, path, kind):
        with open(path, "rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)  # arrays are read where they lie
        start = data.find(b"<AppendedData")
        if start < 0 or kind not in data[:start]:
            raise ValueError("no %s with appended data" % kind.decode())
        self.head = data[:start].decode("ascii", "replace")
        self._data = memoryview(data)[data.find(b"_", start) + 1:]
        self._order = "<" if attribute(self.head, "byte_order", "LittleEndian") == "LittleEndian" else ">"
        self._header = self._order + {"UInt32": "u4", "UInt64": "u8"}[attribute(self.head, "header_type", "UInt32")]
        self._compressor = attribute(self.head, "compressor")
        if self._compressor not in (None, "vtkZLibDataCompressor"):
            raise ValueError("compressed by " + self._compressor)

    def array(self, element):
        raw = _block(self._data, int(attribute(element, "offset")), self._header, self._compressor is not None)
        return np.frombuffer(raw, self._order + TYPES[attribute(element, "type")])


class Vtr:
    """faces: coordinates of the cell faces in x, y, z; fields: name -> array [z, y, x] or [z, y, x, component]."""

    def __init__(self, path=None, faces=None, fields=None, time=None):
        self.faces, self.fields, self.time = faces or [], fields or {}, time
        if path:
            self._read(Appended(path, b"RectilinearGrid"))

    def _read(self, file):
        head = file.head
        extent = list(map(int, attribute(head, "WholeExtent").split()))
        shape = tuple(max(extent[2 * d + 1] - extent[2 * d], 1) for d in (2, 1, 0))
        coordinates = head.index("<Coordinates")
        for element in re.finditer(r"<DataArray\b[^>]*>", head):
            text = element.group(0)
            values = file.array(text)
            name = attribute(text, "Name")
            if element.start() > coordinates:
                self.faces.append(values.astype(float))
            elif name == "TimeValue":
                self.time = float(values[0])
            else:
                components = int(attribute(text, "NumberOfComponents", "1"))
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
