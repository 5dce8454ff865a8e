"""Systems that other codes have dumped. The format, version 1: inputs/clients/README.md; it is written by weir.capture."""
from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse

from .systems import System

TYPES = {"float64": "<f8", "int64": "<i8", "int32": "<i4"}


class _File:
    """One file: words of its header and arrays by name, each checked against its sum."""

    def __init__(self, path: Path, kind: str) -> None:
        self.path, self.words, self.arrays = path, dict[str, str](), dict[str, Any]()
        data = path.read_bytes()
        end = data.find(b"\nend crc32 ") + 1
        line = data[end:data.find(b"\n", end) + 1]
        if not data.startswith(b"weir-capture 1 %s\n" % kind.encode()):
            raise self.fault("expected 'weir-capture 1 %s' in its first line" % kind)
        self.crc = zlib.crc32(data[:end])
        if line != b"end crc32 %08x\n" % self.crc:
            raise self.fault("its header was altered")
        at = end + len(line)
        for text in data[:end].decode().splitlines()[1:]:
            key, _, value = text.partition(" ")
            if key == "array":
                at = self._take(data, at, *value.split())
            else:
                self.words[key] = value
        if at != len(data):
            raise self.fault("%d bytes, expected %d" % (len(data), at))

    def _take(self, data: bytes, at: int, name: str, kind: str, count: str, _: str, crc: str) -> int:
        if kind not in TYPES:
            raise self.fault("array '%s': unknown type '%s'" % (name, kind))
        end = at + np.dtype(TYPES[kind]).itemsize * int(count)
        if end > len(data):
            raise self.fault("is truncated")
        if zlib.crc32(data[at:end]) != int(crc, 16):
            raise self.fault("'%s' was altered" % name)
        self.arrays[name] = np.frombuffer(data[at:end], TYPES[kind])
        return end

    def fault(self, why: str) -> ValueError:
        return ValueError("%s: %s" % (self.path, why))


def read(path: Path) -> System:
    file = _File(path, "system")
    pattern = _File(path.parent / file.words["pattern"], "pattern")
    if "%08x" % pattern.crc not in file.words["pattern"]:
        raise pattern.fault("holds another pattern than its name says")
    block, rows = int(pattern.words["block"]), int(pattern.words["rows"])
    values, shape = file.arrays["values"].copy(), (block * rows, block * rows)
    index = pattern.arrays["column"].copy(), pattern.arrays["row_start"]
    matrix: Any = sparse.csr_matrix((values, *index), shape=shape) if block == 1 else \
        sparse.bsr_matrix((values.reshape(-1, block, block), *index), shape=shape)
    places, rhs = pattern.arrays.get("coordinates"), file.arrays["rhs"]
    return System(path, file.words["name"], int(file.words["step"]), int(file.words["solve"]), float(file.words["time"]), matrix, rhs,
                  file.arrays.get("guess", np.zeros_like(rhs)), None if places is None else places.reshape(-1, 3))
