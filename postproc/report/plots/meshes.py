"""Pictures of an unstructured mesh and of fields on it, from a .vtu: each cell one colour, as a finite volume is.

    draw(axes, vtu, "mach", zoom=(-0.5, 1.5, -0.8, 0.8), mesh=True)      on axes of one's own
    mesh_figure(vtu, folder, "mach", ...)                                a saved figure with caption, for the report
"""
import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import BoundaryNorm, ListedColormap, LogNorm

from . import style

WORD_FIELDS = ("line", "colour", "partition")  # told apart rather than compared; also what begins so
WIDE_FIELDS = ("aspect_ratio", "volume")  # over decades


def _in_box(vtu, zoom):
    polygons = vtu.polygons()
    low, high = polygons.min(axis=1), polygons.max(axis=1)
    inside = (high[:, 0] >= zoom[0]) & (low[:, 0] <= zoom[1]) & (high[:, 1] >= zoom[2]) & (low[:, 1] <= zoom[3])
    return polygons[inside], inside


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
    """Numbers whose colours differ for neighbours; what is below zero (no line) stays apart."""
    return np.where(ids < 0, np.nan, (ids * 0.6180339887) % 1)


def _is_word(field):
    return field is not None and field.startswith(WORD_FIELDS)


def _few(values):
    """The words of a field that has few enough of them to be named beside a colour each; none is -1."""
    words = np.unique(values[values >= 0])
    return words if len(words) <= 10 else None


def _can_be_told(vtu, field):
    """Whether a colour bar helps: not with many words, nor with none."""
    if not _is_word(field):
        return True
    words = _few(field_of(vtu, field))
    return words is not None and len(words) > 0


def _norm(field, values, limits):
    """How numbers become colours: over decades, or evenly between the limits."""
    low, high = _limits(values, limits)
    if field in WIDE_FIELDS and limits is None and low > 0 and high > 30 * low:
        return LogNorm(low, high)
    return None


def field_of(vtu, name):
    """A scalar a cell: a field, the magnitude of a vector, a component "velocity.0"."""
    name, _, component = name.partition(".")
    if name not in vtu.fields:
        raise ValueError("no cell field '%s'; there are: %s" % (name, ", ".join(vtu.fields) or "none"))
    values = np.asarray(vtu.fields[name], dtype=float)
    if values.ndim == 2:
        values = values[:, int(component)] if component else np.sqrt((values ** 2).sum(axis=1))
    return values


def _edges(polygons, zoom):
    """Line widths in points: a tenth of each cell's thickness, so that edges never hide the colours of small cells."""
    sides = np.linalg.norm(np.roll(polygons, -1, axis=1) - polygons, axis=2).max(axis=1)
    x, y = polygons[..., 0], polygons[..., 1]
    area = 0.5 * np.abs(np.sum(x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1), axis=1))
    points = 72 * style.WIDTH / (zoom[1] - zoom[0])
    return np.clip(0.1 * points * area / np.maximum(sides, 1e-300), 0.01, 0.6)


def draw(axes, vtu, field=None, zoom=None, mesh=None, limits=None, cmap=None, levels=0):
    """Draws on `axes`; field None: the mesh alone. mesh: edges, True, False or None (where they can be seen). levels: so many
    isolines on top (of the means at nodes). Returns the collection, for a colour bar, or None."""
    zoom = zoom or whole(vtu)
    polygons, inside = _in_box(vtu, zoom)
    if mesh is None:
        mesh = field is None or len(polygons) < 4000
    style.frame(axes)
    axes.set(aspect="equal", xlim=zoom[:2], ylim=zoom[2:])
    if field is None:
        axes.add_collection(PolyCollection(polygons, facecolors="white", edgecolors="#222222", linewidths=3 * _edges(polygons, zoom)))
        return None
    values = field_of(vtu, field)[inside]
    norm = None
    if _is_word(field):
        words = _few(field_of(vtu, field))
        if words is None:
            values, limits, cmap = _shuffled(values), (0, 1), cmap or "turbo"
        else:
            values = np.where(values < 0, np.nan, values)
        if words is not None and len(words):
            cmap = ListedColormap([style.matplotlib.colormaps["tab10"](k) for k in range(len(words))])
            norm = BoundaryNorm(np.append(words - 0.5, words[-1] + 0.5), len(words))
    else:
        norm = _norm(field, field_of(vtu, field), limits)
    # Without edges nothing is smoothed: else the background shines through between the cells.
    drawn = PolyCollection(polygons, array=values, cmap=style.colours(cmap or "viridis"), norm=norm,
                           linewidths=_edges(polygons, zoom) if mesh else 0.1, edgecolors=(0, 0, 0, 0.5) if mesh else "face",
                           antialiaseds=bool(mesh))
    if norm is None:
        drawn.set_clim(*_limits(values, limits))
    axes.add_collection(drawn)
    if levels and len(values) > 8:
        _isolines(axes, vtu, inside, field, np.linspace(*drawn.get_clim(), levels + 2)[1:-1])
    return drawn


def node_values(vtu, values):
    """Cell values brought to the nodes: the mean of the cells around each."""
    total = np.zeros(len(vtu.node))
    count = np.zeros(len(vtu.node))
    for k in range(4):
        distinct = np.ones(len(vtu.corners), bool) if k < 3 else vtu.corners[:, 3] != vtu.corners[:, 2]
        total += np.bincount(vtu.corners[distinct, k], values[distinct], len(vtu.node))
        count += np.bincount(vtu.corners[distinct, k], minlength=len(vtu.node))
    return total / np.maximum(count, 1)


def _isolines(axes, vtu, inside, field, levels):
    """On the mesh's own triangles (quadrilaterals halved), so that nothing is drawn across a body."""
    corners = vtu.corners[inside]
    quads = corners[:, 3] != corners[:, 2]
    triangles = np.concatenate([corners[:, :3], corners[quads][:, [0, 2, 3]]])
    axes.tricontour(vtu.node[:, 0], vtu.node[:, 1], triangles, node_values(vtu, field_of(vtu, field)), levels=levels,
                    colors="black", linewidths=0.4, alpha=0.6)


def mesh_figure(vtu, folder, field=None, zoom=None, mesh=None, limits=None, cmap=None, levels=0, label=None, title=None,
                caption=None, name=None):
    """A figure of the report: FOLDER/NAME.png; name defaults to the field's."""
    zoom = zoom or whole(vtu)
    figure, axes = style.new()
    drawn = draw(axes, vtu, field, zoom, mesh, limits, cmap, levels)
    if drawn is not None and _can_be_told(vtu, field):
        values = field_of(vtu, field)
        bar = style.colour_bar(figure, axes, drawn, label or style.words(field), None if _is_word(field) else values)
        if _is_word(field):
            few = _few(values)
            bar.set_ticks(few, labels=["%d" % w for w in few])
            bar.ax.tick_params(length=0)
    axes.set_title(title or (style.words(field).capitalize() if field else "Mesh"))
    cells = style.number(len(vtu.corners))
    return style.save(figure, folder, name or field or "mesh", caption or "%s cells." % cells)
