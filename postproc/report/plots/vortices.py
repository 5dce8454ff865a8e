"""Vortex cores of a 3D flow: the surface Q = const, seen obliquely, where Q = (|Omega|^2 - |S|^2) / 2 (Hunt, Wray & Moin,
Proc. Summer Program CTR 1988, 193). Rays through the field, with numpy alone."""
import numpy as np

from . import style

SHARE = 0.03  # of the fluid's cells that the surface encloses
PIXELS = 340  # of the longer side
VIEW = (-65.0, 22.0)  # degrees: azimuth and elevation of the eye


def q_criterion(velocity, centres):
    """[z, y, x] from velocity [z, y, x, 3]: -(du_i/dx_j du_j/dx_i) / 2, where div u = 0."""
    slope = [[np.gradient(velocity[..., i], centres[j], axis=2 - j, edge_order=1) for j in range(3)] for i in range(3)]
    return -0.5 * sum(slope[i][j] * slope[j][i] for i in range(3) for j in range(3))


def well_inside(fluid):
    """Cells whose neighbours are fluid too: differences across a wall are none of the flow's."""
    inside = fluid > 0.999
    result = inside.copy()
    for axis in range(3):
        ahead, behind = [slice(None)] * 3, [slice(None)] * 3
        ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
        result[tuple(behind)] &= inside[tuple(ahead)]
        result[tuple(ahead)] &= inside[tuple(behind)]
    return result


class Sampler:
    """Trilinear values of fields [z, y, x] at points [n, 3]."""

    def __init__(self, centres):
        self.centres = centres

    def __call__(self, points, *fields):
        low, part = [], []
        for d, line in enumerate(self.centres):
            at = np.interp(points[:, d], line, np.arange(len(line)))
            first = np.minimum(at.astype(int), len(line) - 2)
            low.append(first)
            part.append(at - first)
        values = [np.zeros(len(points)) for _ in fields]
        for corner in range(8):
            bit = [corner >> d & 1 for d in range(3)]
            weight = np.prod([part[d] if bit[d] else 1 - part[d] for d in range(3)], axis=0)
            place = tuple(low[d] + bit[d] for d in (2, 1, 0))
            for value, field in zip(values, fields):
                value += weight * field[place]
        return values


def _camera():
    azimuth, elevation = np.radians(VIEW)
    towards = -np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])
    right = np.cross(towards, [0, 0, 1])
    right /= np.linalg.norm(right)
    return towards, right, np.cross(right, towards)


def cast(centres, q, level, cloud, box):
    """(points where rays meet the surface, their pixels, how much of the cloud each ray passes, extent of the picture)."""
    towards, right, up = _camera()
    corners = np.array([[box[d][bit >> d & 1] for d in range(3)] for bit in range(8)])
    across, along, depth = corners @ right, corners @ up, corners @ towards
    extent = (across.min(), across.max(), along.min(), along.max())
    size = max(np.ptp(across), np.ptp(along))
    width, height = (max(int(PIXELS * np.ptp(v) / size), 2) for v in (across, along))
    a, b = np.meshgrid(np.linspace(*extent[:2], width), np.linspace(*extent[2:], height))
    start = a.reshape(-1, 1) * right + b.reshape(-1, 1) * up
    spacing = min(np.diff(line).min() for line in centres)
    steps = int(np.clip(1.5 * np.ptp(depth) / spacing, 50, 400))
    depths = np.linspace(depth.min(), depth.max(), steps)
    sample = Sampler(centres)
    passed, hit = np.zeros(len(start)), np.full(len(start), np.nan)
    before = np.full(len(start), -np.inf)
    is_clear = not np.any(cloud)
    for number, s in enumerate(depths):
        points = start + s * towards
        in_box = np.all([(points[:, d] >= box[d][0]) & (points[:, d] <= box[d][1]) for d in range(3)], axis=0)
        ray = np.nonzero(in_box & np.isnan(hit) if is_clear else in_box)[0]
        if is_clear:
            here, = sample(points[ray], q)
        else:
            here, there = sample(points[ray], q, cloud)
            passed[ray] += (there > 0.5) * (depths[1] - depths[0])
        new = (here > level) & np.isnan(hit[ray])
        first = before[ray[new]]
        part = np.where(np.isfinite(first) & (first < level), (here[new] - level) / np.maximum(here[new] - first, 1e-300), 0)
        hit[ray[new]] = s - part * (depths[1] - depths[0])
        before[:] = -np.inf
        before[ray] = here
    met = np.nonzero(~np.isnan(hit))[0]
    return start[met] + hit[met, None] * towards, met, passed.reshape(height, width), extent


def _shade(centres, q, points):
    """How bright the surface is: its normal is the gradient of Q, the lamp beside the eye."""
    towards, right, up = _camera()
    sample, gradient = Sampler(centres), np.zeros((len(points), 3))
    for d in range(3):
        step = np.zeros(3)
        step[d] = 0.5 * np.diff(centres[d]).min()
        gradient[:, d] = sample(points + step, q)[0] - sample(points - step, q)[0]
    lamp = -towards - 0.5 * right + 0.6 * up
    gradient /= np.maximum(np.linalg.norm(gradient, axis=1, keepdims=True), 1e-300)
    return 0.35 + 0.65 * np.clip(-gradient @ lamp / np.linalg.norm(lamp), 0, 1)


def vortex_plot(vtr, folder):
    """The picture, or None where the flow is 2D, too small or at rest."""
    velocity = vtr.velocity()
    if velocity is None or vtr.is_2d or min(velocity.shape[:3]) < 4:
        return None
    centres = [0.5 * (f[1:] + f[:-1]) for f in vtr.faces]
    fluid = vtr.fields.get("fluid", np.ones(velocity.shape[:3]))
    inside = well_inside(fluid) if "fluid" in vtr.fields else np.ones(fluid.shape, bool)
    if not inside.any():
        return None
    q = np.where(inside, q_criterion(velocity, centres), 0)
    level = np.quantile(q[inside], 1 - SHARE)
    if not level > 0:
        return None
    hollow = np.mean(fluid < 0.5) > 0.5
    box = []
    for d in range(3):
        rows = np.nonzero((fluid >= 0.5).any(axis=tuple(e for e in range(3) if e != 2 - d)))[0]
        ends = (rows[0], rows[-1]) if hollow else (0, len(centres[d]) - 1)
        box.append((centres[d][ends[0]], centres[d][ends[1]]))
    points, pixels, passed, extent = cast(centres, q, level, fluid if hollow else 1 - fluid, box)
    speed = Sampler(centres)(points, np.sqrt((velocity ** 2).sum(axis=-1)))[0]
    most = np.max(speed, initial=0) or 1
    picture = np.ones(passed.shape + (3,))
    picture -= 0.22 * passed[..., None] / (passed.max() or 1)  # a cavity, or the body, as a grey shadow
    colour = style.colours("viridis")(speed / most)[:, :3] * _shade(centres, q, points)[:, None]
    picture.reshape(-1, 3)[pixels] = colour
    ratio = picture.shape[0] / picture.shape[1]
    figure, axes = style.new()
    axes.imshow(picture, origin="lower", extent=extent, aspect="equal", interpolation="bilinear")
    axes.axis("off")
    scale = style.matplotlib.cm.ScalarMappable(style.matplotlib.colors.Normalize(0, most), "viridis")
    style.colour_bar(figure, axes, scale, "speed |u| on the surface   [length / time]", below=ratio < 0.6)
    axes.set_title("Vortex cores, Q = %.3g" % level)
    caption = ("Surface Q = (|Ω|² − |S|²)/2 = %.3g, which encloses %g %% of the fluid; the eye at %g° around z from x and %g° above the "
               "horizon." % (level, 100 * SHARE, VIEW[0], VIEW[1]))
    return style.save(figure, folder, "vortices", caption)
