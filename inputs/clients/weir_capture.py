"""Writes the linear systems of a Python program into a folder for Weir: weir replay FOLDER, weir solve FOLDER.

    from weir_capture import Writer
    writer = Writer("dump", name="pressure")              # append=True appends to existing systems
    writer.add(A, b, x0, step=step, time=t)               # scipy.sparse matrix (bsr: in its blocks), numpy vectors

The format, version 1: README.md next to this file. Needs numpy and scipy."""

from __future__ import annotations

import os
import re
import zlib
from typing import Any

import numpy as np
import scipy.sparse as sparse

VERSION = 1


class Writer:
    def __init__(self, folder: str | os.PathLike[str], name: str = "system", append: bool = False) -> None:
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
            raise ValueError("%r: not a name of 1 to 64 letters, digits, '_' and '-'" % name)
        self.folder, self.name, self.count = folder, name, 0
        self._last: tuple[int, int] | None = None
        os.makedirs(folder, exist_ok=True)
        while os.path.exists(self._path("system_%08d.weir" % self.count)):
            self.count += 1
        if self.count and not append:
            raise FileExistsError("%s: already contains captured systems; append=True adds to them" % folder)

    def add(self, A: Any, b: Any, x0: Any = None, step: int | None = None, time: float = 0.0, coordinates: Any = None) -> None:
        """One system; coordinates: x, y, z of each block row."""
        in_blocks = getattr(A, "format", "") == "bsr"  # of a bsr_matrix and of a bsr_array
        A = A.copy() if in_blocks else sparse.csr_matrix(A)
        block = A.blocksize[0] if in_blocks else 1
        if A.shape[0] != A.shape[1] or (in_blocks and A.blocksize[0] != A.blocksize[1]) or block > 64:
            raise ValueError("expected a square matrix in square blocks of at most 64, got %s" % (A.shape,))
        A.sum_duplicates()
        rows = A.shape[0] // block
        arrays = [("values", _real(A.data, "A")), ("rhs", self._vector(b, A.shape[0], "b"))]
        if x0 is not None:
            arrays.append(("guess", self._vector(x0, A.shape[0], "x0")))
        pattern = [("row_start", A.indptr.astype("<i8")), ("column", A.indices.astype("<i4"))]
        if coordinates is not None:
            pattern.append(("coordinates", self._vector(coordinates, 3 * rows, "coordinates")))
        text, crc = _header("pattern\nblock %d\nrows %d\nentries %d\n" % (block, rows, len(A.indices)), pattern)
        file = "pattern_%08x.weir" % crc
        if not os.path.exists(self._path(file)):
            self._write(file, text, pattern)
        step = self.count if step is None else step
        solve = self._last[1] + 1 if self._last and self._last[0] == step else 0
        text, _ = _header("system\nname %s\npattern %s\nstep %d\nsolve %d\ntime %.17g\n" % (self.name, file, step, solve, time), arrays)
        self._write("system_%08d.weir" % self.count, text, arrays)
        self.count, self._last = self.count + 1, (step, solve)

    def _path(self, file: str) -> str:
        return os.path.join(self.folder, file)

    @staticmethod
    def _vector(values: Any, size: int, what: str) -> Any:
        values = _real(values, what).ravel()
        if len(values) != size:
            raise ValueError("%s: expected %d values, got %d" % (what, size, len(values)))
        return values

    def _write(self, file: str, text: bytes, arrays: list[tuple[str, Any]]) -> None:
        """Written aside and renamed: a reader never meets half a file."""
        aside = self._path(file + ".partial")
        with open(aside, "wb") as out:
            out.write(text)
            for _, values in arrays:
                out.write(values.tobytes())
        os.replace(aside, self._path(file))


def _real(values: Any, what: str) -> Any:
    if np.iscomplexobj(values):
        raise ValueError("%s: complex values; Weir's systems are real (take .real where that is meant)" % what)
    return np.ascontiguousarray(values, "<f8")


def _header(text: str, arrays: list[tuple[str, Any]]) -> tuple[bytes, int]:
    text = "weir-capture %d %s" % (VERSION, text)
    for name, values in arrays:
        kind = {"f8": "float64", "i8": "int64", "i4": "int32"}[values.dtype.str[1:]]
        text += "array %s %s %d crc32 %08x\n" % (name, kind, values.size, zlib.crc32(values.tobytes()))
    crc = zlib.crc32(text.encode())
    return (text + "end crc32 %08x\n" % crc).encode(), crc
