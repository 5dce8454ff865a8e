"""Vortex cores of a 3D flow: the surface Q = const, seen obliquely, where Q = (|Omega|^2 - |S|^2) / 2 (Hunt, Wray & Moin,
Proc. Summer Program CTR 1988, 193). Rays through the field, with numpy alone."""
import numpy as np

from . import style

SHARE = 0.03  # of the fluid's cells that the surface encloses
PIXELS = 340  # of the longer side
VIEW = (-65.0, 22.0)  # degrees: azimuth and elevation of the eye


def _slope(field, line, axis):
    """Second order also where the cells differ, one-sided at the ends."""
    f, slope = np.moveaxis(field, axis, 0), np.empty_like(field)
    out, h = np.moveaxis(slope, axis, 0), np.diff(line).astype(field.dtype).reshape((-1,) + (1,) * (field.ndim - 1))
    between = np.diff(f, axis=0)
    between /= h
    np.multiply(between[1:], h[:-1] / (h[:-1] + h[1:]), out=out[1:-1])
    out[1:-1] += between[:-1] * (h[1:] / (h[:-1] + h[1:]))
    out[0], out[-1] = between[0], between[-1]
    return slope


def q_criterion(velocity, centres):
    """[z, y, x] from velocity [z, y, x, 3]: -(du_i/dx_j du_j/dx_i) / 2, where div u = 0."""
    q = np.zeros(velocity.shape[:3], velocity.dtype)
    for i in range(3):
        for j in range(i + 1):
            product = _slope(velocity[..., i], centres[j], 2 - j)
            product *= product if i == j else _slope(velocity[..., j], centres[i], 2 - i)
            q -= (0.5 if i == j else 1) * product
    return q


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


def _reach(q, level, centres, right, up, towards, a, b):
    """For blocks of pixels, first and last depth where a ray can meet the surface; first > last where it meets none."""
    high = q > level
    for axis in range(3):  # the cells around, too: the surface lies between a cell's centre and its neighbours'
        grown = high.copy()
        ahead, behind = [slice(None)] * 3, [slice(None)] * 3
        ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
        grown[tuple(behind)] |= high[tuple(ahead)]
        grown[tuple(ahead)] |= high[tuple(behind)]
        high = grown
    z, y, x = np.nonzero(high)
    x, y, z = centres[0][x], centres[1][y], centres[2][z]
    column = np.rint((x * right[0] + y * right[1] - a[0]) / (a[1] - a[0])).astype(int)
    row = np.rint((x * up[0] + y * up[1] + z * up[2] - b[0]) / (b[1] - b[0])).astype(int)
    depth = x * towards[0] + y * towards[1] + z * towards[2]
    largest = np.sqrt(sum(np.diff(line).max() ** 2 for line in centres))
    block = max(int(np.ceil(largest / min(a[1] - a[0], b[1] - b[0]))), 1)  # a cell reaches into the next one at most
    shape = (len(b) // block + 3, len(a) // block + 3)
    near, far = np.full(shape, np.inf), np.full(shape, -np.inf)
    place = (np.clip(row // block, 0, shape[0] - 3) + 1, np.clip(column // block, 0, shape[1] - 3) + 1)
    np.minimum.at(near, place, depth - largest)
    np.maximum.at(far, place, depth + largest)
    around = [(i, j) for i in (0, 1, 2) for j in (0, 1, 2)]
    rows, columns = shape[0] - 2, shape[1] - 2
    near = np.min([near[i:i + rows, j:j + columns] for i, j in around], axis=0)
    far = np.max([far[i:i + rows, j:j + columns] for i, j in around], axis=0)
    return [v.repeat(block, 0).repeat(block, 1)[:len(b), :len(a)].ravel() for v in (near, far)]


def _thickness(centres, cloud, start, towards, depths, shape):
    """How much of the cloud each ray passes: a shadow, for which a ninth of the rays is enough."""
    coarse = np.arange(shape[0])[::3], np.arange(shape[1])[::3]
    rays = start.reshape(shape + (3,))[::3, ::3].reshape(-1, 3)
    passed = np.zeros(len(rays))
    for s in depths:
        places, is_in = [], np.ones(len(rays), bool)
        for d, line in enumerate(centres):
            x = rays[:, d] + s * towards[d]
            is_in &= (x >= line[0]) & (x <= line[-1])
            places.append(np.rint(np.interp(x, line, np.arange(len(line)))).astype(int))
        passed += is_in & (cloud[places[2], places[1], places[0]] > 0.5)
    passed = (passed * (depths[1] - depths[0])).reshape(len(coarse[0]), len(coarse[1]))
    wide = np.array([np.interp(np.arange(shape[1]), coarse[1], row) for row in passed])
    return np.array([np.interp(np.arange(shape[0]), coarse[0], column) for column in wide.T]).T


def cast(centres, q, level, cloud, box):
    """(points where rays meet the surface, their pixels, how much of the cloud each ray passes, extent of the picture)."""
    towards, right, up = _camera()
    corners = np.array([[box[d][bit >> d & 1] for d in range(3)] for bit in range(8)])
    across, along, depth = corners @ right, corners @ up, corners @ towards
    extent = (across.min(), across.max(), along.min(), along.max())
    size = max(np.ptp(across), np.ptp(along))
    width, height = (max(int(PIXELS * np.ptp(v) / size), 2) for v in (across, along))
    a, b = np.linspace(*extent[:2], width), np.linspace(*extent[2:], height)
    start = (a[None, :, None] * right + b[:, None, None] * up).reshape(-1, 3)
    spacing = min(np.diff(line).min() for line in centres)
    steps = int(np.clip(1.5 * np.ptp(depth) / spacing, 50, 400))
    depths = np.linspace(depth.min(), depth.max(), steps)
    step = depths[1] - depths[0]
    near, far = _reach(q, level, centres, right, up, towards, a, b)
    sample, hit, before = Sampler(centres), np.full(len(start), np.nan), np.full(len(start), -np.inf)
    open_rays = np.flatnonzero(near <= far)
    for s in depths:
        open_rays = open_rays[(far[open_rays] >= s - step) & np.isnan(hit[open_rays])]
        ray = open_rays[near[open_rays] <= s + step]
        points = start[ray] + s * towards
        is_in = np.all([(points[:, d] >= box[d][0]) & (points[:, d] <= box[d][1]) for d in range(3)], axis=0)
        ray, points = ray[is_in], points[is_in]
        if not len(ray):
            continue
        here, = sample(points, q)
        new = here > level
        first = before[ray[new]]
        part = np.where(np.isfinite(first) & (first < level), (here[new] - level) / np.maximum(here[new] - first, 1e-300), 0)
        hit[ray[new]] = s - part * step
        before[ray] = here
    met = np.nonzero(~np.isnan(hit))[0]
    passed = _thickness(centres, cloud, start, towards, depths, (height, width)) if np.any(cloud) else np.zeros((height, width))
    return start[met] + hit[met, None] * towards, met, passed, extent


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
    q = q_criterion(velocity, centres)
    q[~inside] = 0
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
    speed = np.sqrt(sum(part ** 2 for part in Sampler(centres)(points, *np.moveaxis(velocity, -1, 0))))
    most = np.max(speed, initial=0) or 1
    picture = np.ones(passed.shape + (3,))
    picture -= 0.22 * passed[..., None] / (passed.max() or 1)  # a cavity, or the body, as a grey shadow
    colour = style.table_of("viridis", speed / most) * _shade(centres, q, points)[:, None]
    picture.reshape(-1, 3)[pixels] = colour
    ratio = picture.shape[0] / picture.shape[1]
    figure, axes = style.new()
    axes.imshow(picture, origin="lower", extent=extent, aspect="equal", interpolation="bilinear")
    axes.axis("off")
    scale = style.scale(0, most, "viridis")
    style.colour_bar(figure, axes, scale, "speed |u| on the surface   [length / time]", below=ratio < 0.6)
    axes.set_title("Vortex cores, Q = %.3g" % level)
    caption = ("Surface Q = (|Ω|² − |S|²)/2 = %.3g, which encloses %g %% of the fluid; the eye at %g° around z from x and %g° above the "
               "horizon." % (level, 100 * SHARE, VIEW[0], VIEW[1]))
    return style.save(figure, folder, "vortices", caption)
