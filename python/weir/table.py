"""Columns by name, as numpy arrays: floats (nan where nothing was measured) or words."""
from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._report import records

if TYPE_CHECKING:
    import pandas


class Table(Mapping[str, NDArray[Any]]):
    """A mapping from a column's name to its values; `rows` is their number."""

    def __init__(self, columns: Mapping[str, Any]) -> None:
        self._columns: dict[str, NDArray[Any]] = {name: np.asarray(values) for name, values in columns.items()}

    def __getitem__(self, name: str) -> NDArray[Any]:
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError("no column '%s'; there are: %s" % (name, ", ".join(self._columns))) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def rows(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def where(self, **equal: Any) -> Table:
        """The rows in which each named column has the given value: where(system="pressure", step=3)."""
        keep = np.ones(self.rows, dtype=bool)
        for name, value in equal.items():
            keep &= self[name] == value
        return Table({name: values[keep] for name, values in self._columns.items()})

    def to_frame(self) -> pandas.DataFrame:
        """As a pandas.DataFrame (needs pandas)."""
        import pandas
        return pandas.DataFrame(self._columns)

    def __repr__(self) -> str:
        return "Table of %d rows: %s" % (self.rows, ", ".join(self._columns))


def read_csv(path: str | os.PathLike[str]) -> Table:
    """Any CSV file of Weir's."""
    try:
        return Table(records.read_csv(os.fspath(path)))
    except ValueError as error:
        raise ValueError("%s: %s" % (os.fspath(path), error)) from None
