"""Captured linear systems as scipy matrices: those of runs (capsules, HDF5: needs h5py) and of other codes (weir_capture)."""
from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import scipy.sparse


@dataclass(frozen=True)
class System:
    """matrix x = rhs. matrix: csr_matrix, or bsr_matrix if its rows are blocks; guess: initial guess of the solver."""
    path: Path
    name: str
    step: int
    solve: int  # of this step, from 0
    time: float
    matrix: Any  # scipy.sparse.csr_matrix | bsr_matrix
    rhs: NDArray[np.float64]
    guess: NDArray[np.float64]
    coordinates: NDArray[np.float64] | None = None  # [block row, 3]; None: unknown
    symmetric: bool | None = None  # as stated by the code that wrote the system; None: not stated
    constant_null_space: bool | None = None
    origin: dict[str, Any] = field(default_factory=dict)  # of a run: case, solver, its options and result, ...

    @property
    def block(self) -> int:
        """Unknowns per block row."""
        return int(self.matrix.blocksize[0]) if self.matrix.format == "bsr" else 1

    @property
    def csr(self) -> scipy.sparse.csr_matrix:
        return self.matrix.tocsr()

    def residual(self, x: NDArray[np.float64]) -> float:
        """|b - A x| / |b|"""
        return float(np.linalg.norm(self.rhs - self.matrix @ x) / (np.linalg.norm(self.rhs) or 1.0))


class Systems(Sequence[System]):
    """Files of captured systems; each is read on first access."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.paths = list(paths)

    @overload
    def __getitem__(self, which: int) -> System: ...
    @overload
    def __getitem__(self, which: slice) -> Systems: ...

    def __getitem__(self, which: int | slice) -> System | Systems:
        return Systems(self.paths[which]) if isinstance(which, slice) else read_system(self.paths[which])

    def __len__(self) -> int:
        return len(self.paths)

    def __iter__(self) -> Iterator[System]:
        return map(read_system, self.paths)

    def __repr__(self) -> str:
        return "Systems: %d, of %s" % (len(self), self.paths[0].parent if self.paths else "nowhere")


def systems(path: str | os.PathLike[str]) -> Systems:
    """The captured systems of a run directory, of a folder that a code has dumped, or one file; in the order of their names."""
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError("%s: no such run, folder or file" % path)
    if path.is_file():
        return Systems([path])
    folder = path / "capsules" if (path / "capsules").is_dir() else path
    found = sorted(p for p in folder.iterdir() if p.suffix in (".h5", ".weir") and _is_system(p))
    if not found:
        raise FileNotFoundError("%s: holds no captured system" % path)
    return Systems(found)


def _is_system(path: Path) -> bool:
    with open(path, "rb") as file:
        line = file.readline(200)
    return line.startswith(b"weir-capsule ") or (line.startswith(b"weir-capture ") and line.endswith(b" system\n"))


def read_system(path: str | os.PathLike[str]) -> System:
    """One captured system."""
    path = Path(path)
    if not _is_system(path):
        raise ValueError("%s: no captured system of Weir or of weir_capture" % path)
    if path.suffix == ".weir":
        from . import dumped
        return dumped.read(path)
    from . import capsule
    return capsule.read(path)
