"""The report's plots as matplotlib figures (needs matplotlib): plots.history(run), plots.study(run), ... A notebook shows what they
return; `save` writes it."""
from __future__ import annotations

import base64
import io
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from .study import Ab
from .table import Table

if TYPE_CHECKING:
    import matplotlib.figure

    from .rundir import Run


class Plot:
    """A figure, its caption, and the numbers in it (None: a picture of a field)."""

    def __init__(self, name: str, caption: str, figure: matplotlib.figure.Figure, data: Table | None) -> None:
        self.name, self.caption, self.figure, self.data = name, caption, figure, data

    def save(self, path: str | os.PathLike[str], **options: Any) -> None:
        """As matplotlib's savefig."""
        self.figure.savefig(os.fspath(path), **options)

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.figure.savefig(file, format="png", dpi=100)
        return file.getvalue()

    def __repr__(self) -> str:
        return "Plot(%s): %s" % (self.name, self.caption)


class Plots(list[Plot]):
    """Plots that belong together; by number, or by name."""

    def named(self, name: str) -> Plot:
        for plot in self:
            if plot.name == name:
                return plot
        raise KeyError("no plot '%s'; there are: %s" % (name, ", ".join(plot.name for plot in self)))

    def save(self, folder: str | os.PathLike[str], **options: Any) -> None:
        """Each as NAME.png."""
        os.makedirs(folder, exist_ok=True)
        for plot in self:
            plot.save(os.path.join(folder, plot.name + ".png"), **options)

    def _repr_html_(self) -> str:
        shown = ['<figure style="display: inline-block; margin: 0 1em 1em 0; max-width: 40em"><img src="data:image/png;base64,%s">'
                 "<figcaption>%s</figcaption></figure>" % (base64.b64encode(p._repr_png_()).decode(), p.caption.replace("<", "&lt;")) for p in self]
        return "".join(shown)


def _drawn(make: Callable[[], Iterable[Any]]) -> Plots:
    """The report's plots as matplotlib figures; matplotlib's settings stay as they were."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib (Debian: python3-matplotlib)") from None
    from ._report import paper
    return Plots(Plot(f.name, f.caption, paper.figure(f.plot), _columns(f.data)) for f in make())


def _columns(data: Any) -> Table | None:
    return Table(dict(data)) if data else None


def _is_compressible(run: Run) -> bool:
    return bool(run.info.get("miniapp") == "compressible")


def history(run: Run) -> Plots:
    """Residuals, forces, energy, time step: what history.csv records."""
    from ._report import compressible, histories
    if _is_compressible(run):
        return _drawn(lambda: compressible.convergence_figures(run._directory, ""))
    return _drawn(lambda: histories.history_plots(run._directory, ""))


def convergence(run: Run) -> Plots:
    """Iterations and final residuals of the linear solvers along the run."""
    from ._report import histories
    return _drawn(lambda: [*histories.iterations_plot(run._directory, ""), *histories.residual_plot(run._directory, "")])


def times(run: Run) -> Plots:
    """Where the time went, by system and kernel."""
    from ._report import timings
    return _drawn(lambda: timings.timing_plot(run._directory, ""))


def fields(run: Run) -> Plots:
    """The flow at the last time that was written."""
    from ._report import compressible
    from ._report import fields as pictures
    if _is_compressible(run):
        return _drawn(lambda: compressible.flow_figures(run._directory, "")[0])
    return _drawn(lambda: [figure for group in pictures.field_plots(run._directory, "")[0] for figure in group])


def profiles(run: Run) -> Plots:
    """Probes and published data."""
    from ._report import profiles as lines
    return _drawn(lambda: lines.profile_plots(run._directory, ""))


def study(run: Run) -> Plots:
    """Ratios with intervals, the fastest along the run, time per solver, iterations, every pair, convergence curves."""
    from ._report import evidence, shadow_plots
    compared = run.shadow
    if compared is None:
        raise ValueError("%s: no solvers were compared ([shadow])" % run.path)
    of = compared._study

    def make() -> list[Any]:
        figures: list[Any] = [evidence.picture(evidence.of_systems(of), of.floor(), "", "evidence")]
        for draw in (shadow_plots.win_map, shadow_plots.split_plot, shadow_plots.iteration_plot, shadow_plots.ratio_plot):
            if draw is not shadow_plots.win_map or len(of.steps) > 2:
                figures += draw(of, "")
        return [*figures, *shadow_plots.curve_plots(run._directory, of, "")]

    return _drawn(make)


def whole_runs(ab: Ab) -> Plots:
    """Ratios of whole runs with intervals, and where their time goes."""
    from ._report import ab as paired
    from ._report import evidence
    return _drawn(lambda: [evidence.picture(evidence.of_summary(ab._summary), paired.noise(ab._summary), "", "ab_ratio", "baseline's"),
                           *paired.split_plot(ab._summary, "")])
