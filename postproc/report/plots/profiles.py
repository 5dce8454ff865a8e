"""Profiles along the probes, with the published data where a probe names it."""
import numpy as np

from . import records, sketch, style


def _coordinate(columns):
    """The direction of the line, and the positions along it."""
    spans = {axis: np.ptp(columns[axis]) for axis in "xyz" if axis in columns and len(columns[axis])}
    moving = [axis for axis, span in spans.items() if span > 0]
    if len(moving) == 1:
        return moving[0], columns[moving[0]]
    start = [columns[axis][0] for axis in spans]
    steps = [columns[axis] - first for axis, first in zip(spans, start)]
    return "distance", np.sqrt(sum(s * s for s in steps))


def _fixed(columns, axis):
    parts = ["%s = %.4g" % (a, columns[a][0]) for a in "xyz" if a in columns and a != axis and np.ptp(columns[a]) == 0]
    return ", ".join(parts)


def _compared(run, name, columns, comparison, table, folder):
    axis, along = _coordinate(columns)
    reference = table.get("reference", {})
    field = reference.get("field") or next(iter(table.get("fields", [])), None) or \
        next(c for c in columns if c not in "xyz")
    difference = comparison["computed"] - comparison["published"]
    worst = np.nanmax(np.abs(difference))
    figure, (top, bottom) = sketch.new(height=4.6, rows=2, share="x", height_ratios=[3, 1])
    top.plot(along, columns[field], label="this run")
    top.plot(comparison[axis], comparison["published"], "o", color=style.COLOURS[1], hollow=True,
             markersize=5.5, label="published")
    figure.finish(top, "%s along %s" % (field, axis), y=field)
    bottom.axhline(0, color="#888888", linewidth=0.8)
    for at, value in zip(comparison[axis], difference):
        bottom.plot([at, at], [0, value], color=style.COLOURS[0])
    bottom.plot(comparison[axis], difference, "o", color=style.COLOURS[0], markersize=3.5)
    bottom.set_ylim(-1.25 * worst or -1, 1.25 * worst or 1)
    bottom.set_ylabel("difference")
    bottom.set_xlabel(axis)
    where = _fixed(columns, axis)
    caption = "%s (%s): largest difference %.2g." % (style.words(name), where, worst)
    if "file" in reference:
        caption += " Published: %s." % records.published_source(reference["file"])
    return figure.save(folder, "profile_" + name, caption, list(comparison.items()))


def _plain(name, columns, folder):
    axis, along = _coordinate(columns)
    fields = [c for c in columns if c not in ("x", "y", "z") and not isinstance(columns[c], list)]
    if not fields:
        raise ValueError("it contains no field")
    figure, axes = sketch.new()
    for field in fields:
        axes.plot(along, columns[field], label=field)
    axes.margins(x=0.01)
    figure.finish(axes, "%s along %s" % (", ".join(fields), axis), axis, fields[0] if len(fields) == 1 else None)
    return figure.save(folder, "profile_" + name, "%s (%s)." % (style.words(name), _fixed(columns, axis)),
                      list(columns.items()))


def profile_plots(run, folder, most=12):
    figures = []
    probes = run.probes()
    if not probes:
        raise ValueError("the case has no [[probe]]")
    for name, columns, comparison, table in probes[:most]:
        try:
            if comparison is not None and "published" in comparison:
                figures.append(_compared(run, name, columns, comparison, table, folder))
            else:
                figures.append(_plain(name, columns, folder))
        except (KeyError, ValueError, IndexError, TypeError, StopIteration) as error:
            run.leave_out("probe " + name, "cannot be drawn: %r" % error)
    if len(probes) > most:
        run.leave_out("%d more probes" % (len(probes) - most), "only the first %d are drawn" % most)
    return figures
