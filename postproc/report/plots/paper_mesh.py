"""A mesh and its fields as PNG, by matplotlib."""
import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import BoundaryNorm, ListedColormap, LogNorm

from . import style


def mesh(axes, vtu, inside, values=None, limits=None, cmap=None, edges=True, is_wide=False, words=None, levels=0, everywhere=None):
    """The cells `inside`, each one colour; without values the mesh alone. everywhere: the values of all cells, for isolines."""
    polygons = vtu.polygons(inside)
    widths = _edges(polygons, axes.get_xlim())
    if values is None:
        axes.add_collection(PolyCollection(polygons, facecolors="white", edgecolors="#222222", linewidths=3 * widths))
        return None
    norm = LogNorm(*limits) if is_wide else None
    if words is not None and len(words):
        cmap = ListedColormap([style.matplotlib.colormaps["tab10"](k) for k in range(len(words))]).with_extremes(bad=style.NO_VALUE)
        norm = BoundaryNorm(np.append(words - 0.5, words[-1] + 0.5), len(words))
    # Without edges nothing is smoothed: else the background shines through between the cells.
    drawn = PolyCollection(polygons, array=values, cmap=cmap, norm=norm, linewidths=widths if edges else 0.1,
                           edgecolors=(0, 0, 0, 0.5) if edges else "face", antialiaseds=bool(edges))
    if norm is None:
        drawn.set_clim(*limits)
    axes.add_collection(drawn)
    if levels and len(values) > 8:
        _isolines(axes, vtu, inside, everywhere, np.linspace(*limits, levels + 2)[1:-1])
    return drawn


def _edges(polygons, ends):
    """Line widths in points: a tenth of each cell's thickness, so that edges never hide the colours of small cells."""
    sides = np.linalg.norm(np.roll(polygons, -1, axis=1) - polygons, axis=2).max(axis=1)
    x, y = polygons[..., 0], polygons[..., 1]
    area = 0.5 * np.abs(np.sum(x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1), axis=1))
    points = 72 * style.WIDTH / (ends[1] - ends[0])
    return np.clip(0.1 * points * area / np.maximum(sides, 1e-300), 0.01, 0.6)


def node_values(vtu, values):
    """Cell values brought to the nodes: the mean of the cells around each."""
    total = np.zeros(len(vtu.node))
    count = np.zeros(len(vtu.node))
    for k in range(4):
        distinct = np.ones(len(vtu.corners), bool) if k < 3 else vtu.corners[:, 3] != vtu.corners[:, 2]
        total += np.bincount(vtu.corners[distinct, k], values[distinct], len(vtu.node))
        count += np.bincount(vtu.corners[distinct, k], minlength=len(vtu.node))
    return total / np.maximum(count, 1)


def _isolines(axes, vtu, inside, values, levels):
    """On the mesh's own triangles (quadrilaterals halved), so that nothing is drawn across a body."""
    corners = vtu.corners[inside]
    quads = corners[:, 3] != corners[:, 2]
    triangles = np.concatenate([corners[:, :3], corners[quads][:, [0, 2, 3]]])
    axes.tricontour(vtu.node[:, 0], vtu.node[:, 1], triangles, node_values(vtu, values), levels=levels,
                    colors="black", linewidths=0.4, alpha=0.6)
