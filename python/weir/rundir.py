"""A run directory: records, fields, studies and captured systems, read on first access."""
from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from ._report import records
from .fields import Fields, read_fields
from .study import Relay, Shadow
from .systems import Systems, systems
from .table import Table, read_csv


class Check(NamedTuple):
    """One check of the table [check] of the case."""
    name: str
    computed: float | None  # None: not computed by the run
    expected: float
    tolerance: float
    holds: bool


class Probe(NamedTuple):
    """A profile: the computed values and, if the case names published data, computed and published values at the published points."""
    name: str
    computed: Table
    published: Table | None


class Picture(NamedTuple):
    """A file of fields and its time."""
    time: float
    path: Path

    def read(self) -> Fields:
        return read_fields(self.path)


class Run:
    """Contents of a run directory. A missing part is None or empty, with the reason in `missing`."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not self.path.is_dir():
            raise FileNotFoundError("%s: no such run directory" % self.path)
        if not any((self.path / name).exists() for name in ("run.json", "config.effective.toml", "history.csv")):
            raise ValueError("%s: no run of Weir; expected run.json, config.effective.toml or history.csv in it" % self.path)
        self._directory = records.RunDirectory(str(self.path))

    def __repr__(self) -> str:
        return "Run(%r): %s, %s" % (str(self.path), self.info.get("case", "unknown case"), self.status)

    # ---- run.json and the case

    @property
    def info(self) -> dict[str, Any]:
        """run.json: status, quantities, timings, memory, provenance."""
        found: dict[str, Any] = self._directory.run
        return found

    @property
    def config(self) -> dict[str, Any]:
        """The effective case with all defaults (config.effective.toml)."""
        found: dict[str, Any] = self._directory.config
        return found

    @property
    def status(self) -> str:
        return str(self.info.get("status", "unknown"))

    @property
    def exit_code(self) -> int | None:
        return self.info.get("exit_code")

    @property
    def quantities(self) -> dict[str, float]:
        return dict(self.info.get("quantities") or {})

    @property
    def checks(self) -> list[Check]:
        """[check] of the case against the quantities."""
        return [Check(*row) for row in self._directory.checks()]

    @property
    def events(self) -> list[dict[str, Any]]:
        return list(self._directory.events)

    @property
    def missing(self) -> list[tuple[str, str]]:
        """(file, reason) for each file that is missing or cannot be read."""
        return list(self._directory.missing)

    # ---- records

    @cached_property
    def history(self) -> Table:
        """One row per step."""
        return Table(self._directory.history or {})

    @cached_property
    def solves(self) -> Table:
        """One row per linear solve."""
        return Table(self._directory.solves or {})

    @cached_property
    def probes(self) -> dict[str, Probe]:
        return {name: Probe(name, Table(computed), Table(published) if published is not None else None)
                for name, computed, published, _ in self._directory.probes()}

    def table(self, name: str) -> Table | None:
        """Any other CSV file of the run, such as table("surface/wall.csv"); None if the run has no such file."""
        path = self.path / name
        return read_csv(path) if path.exists() else None

    # ---- fields

    @cached_property
    def pictures(self) -> list[Picture]:
        """The times at which fields were written, ascending. A body's surface has files of its own."""
        return [Picture(time, Path(path)) for time, path in self._directory.fields()]

    def fields(self, which: int = -1) -> Fields:
        """The fields of one of `pictures`; by default the last one."""
        if not self.pictures:
            raise FileNotFoundError("%s: no fields were written (vtk/)" % self.path)
        return self.pictures[which].read()

    # ---- studies, captured systems

    @cached_property
    def shadow(self) -> Shadow | None:
        """Solvers compared on the same systems (open loop)."""
        return Shadow(self._directory) if self._directory.has("shadow_summary.csv") else None

    @cached_property
    def relay(self) -> Relay | None:
        """Costs of the solvers on branches of the run (closed loop)."""
        return Relay(self._directory, self.shadow) if self._directory.branches() else None

    @property
    def decisions(self) -> Table | None:
        """Decisions of [select], with reasons."""
        return self.table("decisions.csv")

    @property
    def races(self) -> Table | None:
        """Costs of the races of [select]."""
        return self.table("races.csv")

    @cached_property
    def systems(self) -> Systems:
        """The captured linear systems, sorted by name; empty if the run has captured none."""
        return systems(self.path) if (self.path / "capsules").is_dir() else Systems([])


def read(path: str | os.PathLike[str]) -> Run:
    """A run directory. Those of `weir ab`: read_ab."""
    return Run(path)
