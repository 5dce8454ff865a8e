"""Plots of an unstructured mesh and of fields on it: each cell has one colour.

    draw(axes, vtu, "mach", zoom=(-0.5, 1.5, -0.8, 0.8), mesh=True)      on axes of one's own
    mesh_figure(vtu, folder, "mach", ...)                                a saved figure with caption, for the report
"""
import numpy as np

from . import sketch, style

WORD_FIELDS = ("line", "colour", "partition")  # distinguished rather than compared; also names that begin so
WIDE_FIELDS = ("aspect_ratio", "volume")  # over decades


def whole(vtu):
    """The zoom that shows everything: (x0, x1, y0, y1)."""
    x0, y0, x1, y1 = vtu.box()
    return x0, x1, y0, y1


def _limits(values, limits):
    if limits is not None:
        return limits
    finite = values[np.isfinite(values)]
    if not len(finite):
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _shuffled(ids):
    """Numbers whose colours differ for neighbours; values below zero (no line) keep a colour of their own."""
    return np.where(ids < 0, np.nan, (ids * 0.6180339887) % 1)


def _is_word(field):
    return field is not None and field.startswith(WORD_FIELDS)


def _few(values):
    """The values of such a field if there are at most ten, so that each has a colour with its number; -1: none."""
    words = np.unique(values[values >= 0])
    return words if len(words) <= 10 else None


def _can_be_told(vtu, field):
    """Whether a colour bar is useful: not for many numbers, and not without a field."""
    if not _is_word(field):
        return True
    words = _few(field_of(vtu, field))
    return words is not None and len(words) > 0


def _is_wide(field, values, limits):
    """A logarithmic colour scale, or a linear one."""
    low, high = _limits(values, limits)
    return field in WIDE_FIELDS and limits is None and low > 0 and high > 30 * low


def field_of(vtu, name):
    """A scalar per cell: a field, the magnitude of a vector, a component "velocity.0"."""
    name, _, component = name.partition(".")
    if name not in vtu.fields:
        raise ValueError("no cell field '%s'; there are: %s" % (name, ", ".join(vtu.fields) or "none"))
    values = np.asarray(vtu.fields[name], dtype=float)
    if values.ndim == 2:
        values = values[:, int(component)] if component else np.sqrt((values ** 2).sum(axis=1))
    return values


def draw(axes, vtu, field=None, zoom=None, mesh=None, limits=None, cmap=None, levels=0):
    """Draws on `axes`; field None: the mesh alone. mesh: edges, True, False or None (where they can be seen). levels:
    number of isolines (of the means at nodes). Returns the mark for a colour bar, or None."""
    zoom = zoom or whole(vtu)
    inside = vtu.inside(zoom)
    if mesh is None:
        mesh = field is None or np.count_nonzero(inside) < 4000
    axes.frame()
    axes.set_xlim(*zoom[:2])
    axes.set_ylim(*zoom[2:])
    if field is None:
        axes.mesh(vtu, inside, None, None, None, True)
        return None
    everywhere = field_of(vtu, field)
    values, words, is_wide = everywhere[inside], None, False
    if _is_word(field):
        words = _few(everywhere)
        if words is None:
            values, limits, cmap = _shuffled(values), (0, 1), cmap or "turbo"
        else:
            values = np.where(values < 0, np.nan, values)
    elif _is_wide(field, everywhere, limits):
        is_wide, limits = True, _limits(everywhere, None)
    return axes.mesh(vtu, inside, values, _limits(values, limits), cmap or "viridis", mesh, levels, is_wide, words)


def mesh_figure(vtu, folder, field=None, zoom=None, mesh=None, limits=None, cmap=None, levels=0, label=None, title=None,
                caption=None, name=None):
    """A figure of the report: FOLDER/NAME.png; name defaults to the field's."""
    zoom = zoom or whole(vtu)
    figure, axes = sketch.new()
    drawn = draw(axes, vtu, field, zoom, mesh, limits, cmap, levels)
    if drawn is not None and _can_be_told(vtu, field):
        values = field_of(vtu, field)
        few = _few(values) if _is_word(field) else None
        figure.colour_bar(drawn, label or style.words(field), None if _is_word(field) else values, few, few)
    axes.set_title(title or (style.words(field).capitalize() if field else "Mesh"))
    cells = style.number(len(vtu.corners))
    return figure.save(folder, name or field or "mesh", caption or "%s cells." % cells)
