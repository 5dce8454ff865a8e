"""Capsules: the systems that a run has captured (miniapps/study/capture/capsule.hpp), each matrix from the arrays
of its kind (solvers/matrix/matrix_record.cpp)."""
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from .systems import System

SCHEMA = 1
Array = NDArray[Any]
REASONS = ("converged", "max_iterations", "breakdown", "stagnated", "not_finite", "interrupted")  # solvers/krylov/krylov.hpp


class _File:
    """A sealed HDF5 file: numbers are attributes, texts lie in /, arrays in /doubles and /integers."""

    def __init__(self, path: Path) -> None:
        try:
            import h5py
        except ImportError:
            raise ImportError("%s: reading capsules needs h5py (Debian: python3-h5py); without it: weir replay %s --export mtx"
                              % (path, path)) from None
        with open(path, "rb") as file:
            first = file.readline(200)
        if b" schema=%d " % SCHEMA not in first:
            raise ValueError("%s: expected schema=%d in its first line, found %r" % (path, SCHEMA, first[:40]))
        with h5py.File(path, "r") as file:
            self.numbers: dict[str, Any] = {name: value.item() for name, value in file.attrs.items()}
            self.texts = {name: bytes(values[()]).decode() for name, values in file.items() if name not in ("doubles", "integers")}
            self.arrays: dict[str, Array] = {name: values[()] for group in ("doubles", "integers") for name, values in file[group].items()}


def read(path: Path) -> System:
    file = _File(path)
    beside = path.parent / ("pattern_%016x.h5" % (file.numbers["pattern_hash"] & (2 ** 64 - 1)))
    if not beside.exists():
        raise FileNotFoundError("%s: its pattern %s is not in the same folder" % (path, beside.name))
    pattern = _File(beside)
    arrays = {**pattern.arrays, **{name[2:]: values for name, values in file.arrays.items() if name.startswith("A.")}}
    kind = pattern.texts["kind"]
    if kind not in MATRICES:
        raise ValueError("%s: unknown kind of matrix '%s'; known: %s" % (beside, kind, ", ".join(MATRICES)))
    places, promises = pattern.arrays["places"], arrays["promises"] if "promises" in arrays else _promises_of_separable(arrays)
    origin = {**{k: v for k, v in file.numbers.items() if not k.endswith("hash")}, **file.texts, "variables": pattern.texts["variables"].split()}
    if "result" in file.arrays:
        iterations, reason, first, last, true = file.arrays["result"][:5]
        origin["result"] = {"iterations": int(iterations), "reason": REASONS[int(reason)], "r0": first, "r": last, "r_true": true}
    return System(path, file.texts["system"], file.numbers["step"], file.numbers["solve"], file.numbers["time"], MATRICES[kind](arrays),
                  file.arrays["b"], file.arrays["x0"], places.reshape(-1, 3) if len(places) else None,
                  bool(promises[0]), bool(promises[1]), origin)


def _rows(arrays: dict[str, Array]) -> Any:
    block, start, column, value = int(arrays["block"][0]), arrays["row_start"], arrays["column"], arrays["value"]
    rows = block * (len(start) - 1)
    if block == 1:
        return sparse.csr_matrix((value, column, start), shape=(rows, rows))
    return sparse.bsr_matrix((value.reshape(-1, block, block), column, start), shape=(rows, rows))


def _stencil(arrays: dict[str, Array]) -> Any:
    """Blocks of a cell's face neighbours: an array per neighbour, z - 1, y - 1, x - 1, the cell, x + 1, y + 1, z + 1, each block column by column."""
    block, (nx, ny, nz), periodic = int(arrays["block"][0]), arrays["cells"], arrays["periodic"]
    cells = np.arange(nx * ny * nz)
    at = (cells % nx, cells // nx % ny, cells // (nx * ny))
    stride, size = (1, nx, nx * ny), (nx, ny, nz)
    slots = [(2, -1), (1, -1), (0, -1), None, (0, 1), (1, 1), (2, 1)]
    slots = slots if nz > 1 else slots[1:-1]
    blocks = arrays["entries"].reshape(len(slots), -1, block, block).transpose(0, 1, 3, 2)
    rows, columns, values = [], [], []
    for slot, of in zip(slots, blocks):
        to, inside = cells, np.full(len(cells), True)
        if slot:
            d, step = slot
            end = at[d] == (0 if step < 0 else size[d] - 1)
            to = cells + step * stride[d] - step * end * size[d] * stride[d]
            inside = ~end | bool(periodic[d] and size[d] > 1)
        rows.append(cells[inside])
        columns.append(to[inside])
        values.append(of[inside])
    if block == 1:
        return _merged(np.concatenate(rows), np.concatenate(columns), np.concatenate(values).ravel(), len(cells))
    return _blocked(np.concatenate(rows), np.concatenate(columns), np.concatenate(values), len(cells))


def _merged(row: Array, column: Array, value: Array, n: int) -> Any:
    matrix = sparse.csr_matrix((value, (row, column)), shape=(n, n))
    matrix.sum_duplicates()
    return matrix


def _blocked(row: Array, column: Array, value: Array, n: int) -> Any:
    order = np.lexsort((column, row))
    start = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n))])
    block = value.shape[1]
    matrix = sparse.bsr_matrix((value[order], column[order], start), shape=(n * block, n * block))
    matrix.sum_duplicates()
    return matrix


def _banded(arrays: dict[str, Array]) -> Any:
    """A stencil of single numbers, and sparse rows in addition."""
    bands = _stencil(arrays)
    counts = np.diff(arrays["remainder_start"])
    if not counts.sum():
        return bands
    more = sparse.csr_matrix((arrays["remainder_value"], (np.repeat(arrays["remainder_row"], counts), arrays["remainder_column"])), shape=bands.shape)
    return (bands + more).tocsr()


def _separable(arrays: dict[str, Array]) -> Any:
    """A = shift Mz My Mx + scale (Mz My Kx + Mz Ky Mx + Kz My Mx), Kronecker products (separable_operator.hpp)."""
    mass, stiffness = [], []
    for axis in "xyz":
        lower, upper = arrays[axis + "_lower"], arrays[axis + "_upper"]
        n = len(lower)
        row = np.arange(n)
        couples = [(row[1:], row[1:] - 1, -lower[1:]), (row[:-1], row[:-1] + 1, -upper[:-1]), (row, row, lower + upper + arrays[axis + "_boundary"])]
        if arrays[axis + "_periodic"][0] and n > 1:
            couples += [(row[:1], row[-1:], -lower[:1]), (row[-1:], row[:1], -upper[-1:])]
        at, to, value = (np.concatenate(part) for part in zip(*couples))
        stiffness.append(_merged(at, to, value, n))
        mass.append(sparse.diags(arrays[axis + "_mass"]))
    shift, scale = arrays["coefficients"]

    def product(x: Any, y: Any, z: Any) -> Any:
        return sparse.kron(z, sparse.kron(y, x))

    (mx, my, mz), (kx, ky, kz) = mass, stiffness
    total = (shift * product(mx, my, mz) + scale * (product(kx, my, mz) + product(mx, ky, mz) + product(mx, my, kz))).tocsr()
    total.eliminate_zeros()
    return total


def _promises_of_separable(arrays: dict[str, Array]) -> tuple[bool, bool]:
    """(symmetric, constant null space); the latter if the operator has couplings only."""
    return True, arrays["coefficients"][0] == 0 and not any(arrays[axis + "_boundary"].any() for axis in "xyz")


MATRICES = {"block_csr": _rows, "rounded_csr": _rows, "block_stencil": _stencil, "banded": _banded, "separable": _separable}
