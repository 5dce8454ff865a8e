"""The flow of the last field output: in 2D the whole field, in 3D the mid-planes, a row each, without those along thin directions."""
import os
from functools import partial

import numpy as np

from . import sketch, style
from .vtkhdf import open_fields

AXES = "xyz"
THIN = 4  # a direction of this many cells or fewer is not drawn


class Plane:
    """A plane of cells. a, b: the axes drawn to the right and upwards; c: the normal. All fields are indexed [b, a]."""

    def __init__(self, vtr, normal, scalars=()):
        self.normal = normal
        self.a, self.b = [d for d in range(3) if d != normal]
        self.faces_a, self.faces_b = vtr.faces[self.a], vtr.faces[self.b]
        self.centre_a, self.centre_b = (0.5 * (f[1:] + f[:-1]) for f in (self.faces_a, self.faces_b))
        faces = vtr.faces[normal]
        count = max(len(faces) - 1, 1)
        # An even number of cells has a face in the middle: the mean of the two cells next to it.
        self.cells = [count // 2] if count % 2 else [count // 2 - 1, count // 2]
        self.position = 0.5 * (faces[0] + faces[-1])
        self.is_2d = vtr.is_2d
        velocity = vtr.velocity()
        self.velocity = None if velocity is None else self._cut(velocity)
        pressure = vtr.pressure()
        self.pressure = None if pressure is None else self._cut(pressure)
        curl = vtr.fields.get("vorticity")  # in 2D a scalar
        if curl is not None and curl.ndim == 4:
            curl = curl[..., normal]
        self.recorded_vorticity = curl if curl is None else self._cut(curl)
        self.scalars = {name: self._cut(vtr.fields[name]) for name in scalars if name in vtr.fields}
        if "fluid" in vtr.fields:
            self._around_body(self._cut(vtr.fields["fluid"]))

    def _around_body(self, fluid):
        """Masks solid cells, and selects the part near a body in a large box (or the fluid inside a hollow body)."""
        solid = fluid < 0.5
        for name in ("velocity", "pressure", "recorded_vorticity"):
            field = getattr(self, name)
            if field is not None:
                field = field.astype(float)
                field[solid] = np.nan
                setattr(self, name, field)
        for field in self.scalars.values():
            field[solid] = np.nan
        hollow = np.mean(solid) > 0.5
        rows, columns = np.nonzero(~solid if hollow else solid)
        if len(rows) == 0:
            return
        low_a, high_a = self.faces_a[columns.min()], self.faces_a[columns.max() + 1]
        low_b, high_b = self.faces_b[rows.min()], self.faces_b[rows.max() + 1]
        size = max(high_a - low_a, high_b - low_b)
        if hollow:
            ends = [(low_a - 0.1 * size, high_a + 0.1 * size), (low_b - 0.1 * size, high_b + 0.1 * size)]
        elif size > 0.2 * np.ptp(self.faces_a):
            return
        else:
            ends = [(low_a - 2 * size, high_a + 7 * size), (low_b - 2.5 * size, high_b + 2.5 * size)]
        (a0, a1), (b0, b1) = [self._range(faces, *end) for faces, end in zip((self.faces_a, self.faces_b), ends)]
        self.faces_a, self.centre_a = self.faces_a[a0:a1 + 1], self.centre_a[a0:a1]
        self.faces_b, self.centre_b = self.faces_b[b0:b1 + 1], self.centre_b[b0:b1]
        for name in ("velocity", "pressure", "recorded_vorticity"):
            if getattr(self, name) is not None:
                setattr(self, name, getattr(self, name)[b0:b1, a0:a1])
        self.scalars = {name: field[b0:b1, a0:a1] for name, field in self.scalars.items()}

    @staticmethod
    def _range(faces, low, high):
        """The cells between two coordinates."""
        return max(np.searchsorted(faces, low) - 1, 0), min(np.searchsorted(faces, high), len(faces) - 1)

    def _cut(self, field):  # [z, y, x, ...]: the axis of direction d is 2 - d
        return np.mean([np.take(field, cell, axis=2 - self.normal).astype(float) for cell in self.cells], axis=0)

    @property
    def name(self):
        return AXES[self.normal]

    @property
    def where(self):
        return "" if self.is_2d else " at %s = %.3g" % (self.name, self.position)

    def vorticity(self):
        """The component normal to the plane: as recorded, or by differences between cell centres, second order."""
        if self.recorded_vorticity is not None:
            return self.recorded_vorticity
        if self.velocity is None or min(self.velocity.shape[:2]) < 3:
            return None
        va, vb = self.velocity[..., self.a], self.velocity[..., self.b]
        curl = np.gradient(vb, self.centre_a, axis=1) - np.gradient(va, self.centre_b, axis=0)
        return -curl if self.normal == 1 else curl  # x, z are a left-handed pair about y


def _picture(plane, folder, name, title, field, label, caption, limits, cmap="viridis", levels=None):
    """One colour per cell, in true proportions unless the plane is very narrow. levels: of isolines; None: streamlines."""
    width, height = np.ptp(plane.faces_a), np.ptp(plane.faces_b)
    is_long = height < 0.35 * width
    figure, axes = sketch.new(2 * style.WIDTH if is_long else style.WIDTH, 2.2 if height < width else 7)
    to_scale = 0.1 <= height / width <= 10
    axes.frame(AXES[plane.a], AXES[plane.b], to_scale)
    if not to_scale:
        caption += " Not to scale."
    has_lines = levels is not None and min(field.shape) > 2 and np.nanmax(field) > np.nanmin(field)
    drawn = axes.cells(plane.faces_a, plane.faces_b, field, *limits, cmap, levels if has_lines else None)
    if levels is None:
        _streamlines(axes, plane)
    axes.set_xlim(plane.faces_a[0], plane.faces_a[-1])
    axes.set_ylim(plane.faces_b[0], plane.faces_b[-1])
    figure.colour_bar(drawn, label, field)
    axes.set_title(title + plane.where)
    return figure.save(folder, name + "_" + plane.name, caption)


def _clipped(values, low, high, what):
    """Colour limits that ignore the extreme values of a singular corner, and the words for the caption."""
    least, most = np.nanmin(values), np.nanmax(values)
    if not high > low:
        return (least - 0.5, most + 0.5), ""
    if least >= low and most <= high:
        return (low, high), ""
    return (low, high), " Colours clipped at %s; data range %.3g to %.3g." % (what, least, most)


def _uniform(plane, points=120):
    """In-plane velocity on a uniform mesh: linear interpolation, direction by direction."""
    a = np.linspace(plane.centre_a[0], plane.centre_a[-1], points)
    b = np.linspace(plane.centre_b[0], plane.centre_b[-1], points)

    def resample(field):
        rows = np.array([np.interp(a, plane.centre_a, row) for row in field])
        return np.array([np.interp(b, plane.centre_b, column) for column in rows.T]).T

    return a, b, resample(plane.velocity[..., plane.a]), resample(plane.velocity[..., plane.b])


def _streamlines(axes, plane):
    in_plane = np.hypot(plane.velocity[..., plane.a], plane.velocity[..., plane.b])
    if min(in_plane.shape) < 4 or not np.nanmax(in_plane) > 0:
        return
    a, b, va, vb = _uniform(plane)
    axes.stream(a, b, va, vb)


def _speed(plane, folder):
    speed = np.sqrt((plane.velocity ** 2).sum(axis=-1))
    caption = "Magnitude of the velocity (largest value %.3g), and streamlines of its component in the plane." % np.nanmax(speed)
    return _picture(plane, folder, "speed", "Speed and streamlines", speed, "speed |u|   [length / time]", caption,
                    (0, np.nanmax(speed) or 1))


def _vorticity(plane, folder):
    vorticity = plane.vorticity()
    if vorticity is None:
        return None
    high = np.nanpercentile(np.abs(vorticity), 96) or 1.0  # wall layers are thin and strong: the rest of the flow must still show
    limits, clipped = _clipped(vorticity, -high, high, "the 96th percentile of the magnitude")
    steps = np.linspace(-1, 1, 16)  # an even number: none at 0, where round-off would draw it
    return _picture(plane, folder, "vorticity", "Vorticity", vorticity, "vorticity ω%s   [1 / time]" % plane.name,
                    "Vorticity normal to the plane." + clipped, limits, "RdBu_r", high * steps * np.abs(steps))  # denser about 0


def _pressure(plane, folder):
    pressure = plane.pressure - np.nanmean(plane.pressure)
    limits, clipped = _clipped(pressure, *np.nanpercentile(pressure, [1, 99]), "the 1st and the 99th percentile")
    return _picture(plane, folder, "pressure", "Pressure", pressure, "pressure p   [density × (length / time)²]",
                    "Pressure minus its mean." + clipped, limits, "YlGnBu_r", np.linspace(*limits, 16))


def _scalar(plane, folder, name):
    field = plane.scalars[name]
    limits, clipped = _clipped(field, *np.nanpercentile(field, [1, 99]), "the 1st and the 99th percentile")
    caption = "From %.4g to %.4g." % (np.nanmin(field), np.nanmax(field))
    return _picture(plane, folder, name, name.capitalize(), field, name, caption + clipped, limits, "turbo", np.linspace(*limits, 16))


def _write_values(plane, folder):
    """FOLDER/field_NORMAL.csv, together with the PNG files; the page holds the values itself."""
    b, a = np.meshgrid(plane.centre_b, plane.centre_a, indexing="ij")
    columns = [(AXES[plane.a], a.ravel()), (AXES[plane.b], b.ravel())]
    if plane.velocity is not None:
        columns += [(name, plane.velocity[..., d].ravel()) for d, name in enumerate("uvw")]
    if plane.pressure is not None:
        columns.append(("p", plane.pressure.ravel()))
    columns += [(name, field.ravel()) for name, field in plane.scalars.items()]
    os.makedirs(folder, exist_ok=True)
    style.write_csv(os.path.join(folder, "field_%s.csv" % plane.name), columns)


def normals_of(vtr):
    """The normals of the planes that are drawn: both directions in the plane have more than THIN cells."""
    is_thin = [len(f) - 1 <= THIN for f in vtr.faces]
    return [n for n in ((2,) if vtr.is_2d else (2, 1, 0)) if not any(is_thin[d] for d in range(3) if d != n)]


def field_plots(run, folder):
    """The figures, a list per plane, and their source."""
    path = run.last_fields()
    if path is None:
        raise ValueError("no field output was written (vtk/*.pvd)")
    vtr = open_fields(path)
    groups, scalars = [], ["temperature", *run.table("scalar")]
    normals = normals_of(vtr)
    for normal in normals:
        plane = Plane(vtr, normal, scalars)
        if plane.velocity is None and plane.pressure is None:
            raise ValueError("%s holds neither velocity nor pressure" % os.path.basename(path))
        figures = [_speed(plane, folder), _vorticity(plane, folder)] if plane.velocity is not None else []
        figures += [_pressure(plane, folder)] if plane.pressure is not None else []
        groups.append([f for f in figures + [_scalar(plane, folder, name) for name in plane.scalars] if f])
        groups[-1][0].write_more = partial(_write_values, plane, folder)
    when = "" if vtr.time is None else ("pseudo-time step %d, " if run.is_steady() else "t = %.6g, ") % vtr.time
    cells = " × ".join(str(len(f) - 1) for f in vtr.faces[:2 if vtr.is_2d else 3])
    note = "" if normals else "; no picture, because every plane has a direction of at most %d cells" % THIN
    return groups, "%s%s cells, from %s%s" % (when, cells, os.path.relpath(path, run.path), note)
