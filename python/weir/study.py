"""Studies of solvers: on the same systems (shadow), on branches (relay), over whole runs (weir ab)."""
from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._report import ab, evidence, relay, shadow
from .table import Table, read_csv


class Interval(NamedTuple):
    """A cost over the reference's, and its 95 % interval."""
    ratio: float
    low: float
    high: float


class Shadow:
    """Solvers of the same systems, including the A/A replicas of the reference solver. summary: one row per solver; solves: one row per solve."""

    def __init__(self, directory: Any) -> None:
        self._study = shadow.Study(directory)
        self._directory = directory
        self.summary = Table(self._study.summary)
        self.solves = Table(self._study.rows)

    def __repr__(self) -> str:
        return "Shadow: %s" % self.headline

    @property
    def headline(self) -> str:
        """The result in one sentence; claims no more than the intervals do."""
        return str(evidence.headline(evidence.of_systems(self._study)))

    @property
    def sentences(self) -> list[str]:
        """One per candidate; then how the costs were measured, noise, what failed or was left out."""
        return [*evidence.sentences(evidence.of_systems(self._study)), *shadow.notes(self._study)]

    @property
    def reference(self) -> str:
        """The in-loop solver, as method+preconditioner."""
        return str(self._study.solver[shadow.REFERENCE])

    @property
    def candidates(self) -> list[str]:
        return list(self._study.candidates)

    @property
    def verdicts(self) -> dict[str, str]:
        """By candidate: faster, slower, no difference, undecided, ... on the reference's systems."""
        return {name: str(self._study.value(name, "verdict")) for name in self._study.candidates}

    @property
    def noise_floor(self) -> float:
        """The noise band: the larger end of the A/A intervals."""
        return float(self._study.floor())

    def interval(self, name: str) -> Interval:
        """Sum of a candidate's times over the sum of the reference's."""
        return Interval(*(float(self._study.value(self._known(name), column)) for column in ("ratio", "low", "high")))

    def ratios(self, name: str) -> NDArray[np.float64]:
        """Time over the reference's, for each system; `steps` has the steps of these systems."""
        values: NDArray[np.float64] = self._study.ratio(self._known(name))
        return values

    def iterations(self, name: str) -> NDArray[np.float64]:
        values: NDArray[np.float64] = self._study.iterations(self._known(name))
        return values

    @property
    def steps(self) -> NDArray[np.float64]:
        """The step of each system that all have solved."""
        values: NDArray[np.float64] = self._study.steps
        return values

    def _known(self, name: str) -> str:
        if name not in self._study.names:
            raise KeyError("no solver '%s'; there are: %s" % (name, ", ".join(self._study.names)))
        return name


class Relay:
    """Branches of the run by each solver. solvers: the entry of each in run.json, by name; branches: one row per branch."""

    def __init__(self, directory: Any, beside: Shadow | None) -> None:
        self._directory, self._relay = directory, relay.read(directory)
        self._costs = evidence.of_run(directory, beside._study if beside else None, self._relay)
        self.solvers: dict[str, dict[str, Any]] = {s["name"]: s for s in self._relay["solvers"]}
        self.branches = read_csv(directory.file("relay.csv")) if directory.has("relay.csv") else Table({})

    def __repr__(self) -> str:
        return "Relay: %s" % self.headline

    @property
    def headline(self) -> str:
        """The result at the highest level of evidence: branches, or whole runs where DIR/whole_runs has them."""
        return str(evidence.headline(self._costs))

    @property
    def sentences(self) -> list[str]:
        return [*evidence.sentences(self._costs), *relay.notes(self._relay)]

    @property
    def candidates(self) -> list[str]:
        return [s["name"] for s in self._relay["solvers"][2:]]

    @property
    def verdicts(self) -> dict[str, str]:
        return {name: str(self.solvers[name]["verdict"]) for name in self.candidates}

    def interval(self, name: str) -> Interval:
        """Cost on branches over the reference's; inf: no upper bound."""
        of = self.solvers[name]
        return Interval(*(np.inf if v is None else float(v) for v in (of["closed"], *of["closed_interval"])))


class Ab:
    """Whole runs of configurations, paired. summary: one row per case and configuration; runs: one row per run."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not (self.path / "ab_summary.csv").exists():
            raise FileNotFoundError("%s: no study of weir ab; expected ab_summary.csv in it" % self.path)
        self._summary = ab.read_summary(str(self.path))
        self.summary = Table(self._summary)
        self.runs = read_csv(self.path / "ab.csv")

    def __repr__(self) -> str:
        return "Ab: %s" % self.headline

    @property
    def headline(self) -> str:
        return str(evidence.headline(evidence.of_summary(self._summary), self._summary["configuration"][0]))

    @property
    def sentences(self) -> list[str]:
        return list(evidence.sentences(evidence.of_summary(self._summary), "baseline's"))


def read_ab(path: str | os.PathLike[str]) -> Ab:
    """The directory of a study of `weir ab`."""
    return Ab(path)
