"""Plots of the compressible miniapp: the flow on its mesh, Cp and Cf of the walls, convergence to the steady state."""
import glob
import os

import numpy as np

from . import meshes, records, sketch, style
from .vtkhdf import open_fields

EQUATIONS = ("density", "momentum_x", "momentum_y", "energy")


# ---- the flow

def _walls(run):
    """(marker, columns) of each wall, without the files of comparisons."""
    walls = []
    for path in sorted(glob.glob(run.file("surface/*.csv"))):
        name = os.path.splitext(os.path.basename(path))[0]
        if not name.endswith("_reference"):
            columns = run._try(os.path.join("surface", name + ".csv"), records.read_csv)
            if columns is not None and len(columns.get("x", ())):
                walls.append((name, columns))
    return walls


def _zooms(vtu, walls):
    """Boxes (x0, x1, y0, y1): around the body, and its front part for the mesh; the whole where nothing is small."""
    everything = meshes.whole(vtu)
    if not walls:
        return everything, everything
    x = np.concatenate([w["x"] for _, w in walls])
    y = np.concatenate([w["y"] for _, w in walls])
    size = max(np.ptp(x), np.ptp(y))
    if size > 0.3 * (everything[1] - everything[0]):
        return everything, everything
    middle, above = 0.5 * (y.min() + y.max()), 0.5 * size + 0.4 * np.ptp(y)
    body = (x.min() - 0.45 * size, x.max() + 0.75 * size, middle - above, middle + above)
    front = (x.min() - 0.1 * size, x.min() + 0.3 * size, middle - 0.14 * size, middle + 0.14 * size)
    return body, front


def _shown(vtu, name, zoom):
    """The range of the colours of a field: the values in the box, without the outermost 0.2 %."""
    values = meshes.field_of(vtu, name)[vtu.inside(zoom)]
    values = values[np.isfinite(values)]
    if not len(values):
        return None
    ends = np.quantile(values, (0.002, 0.998))
    return tuple(ends) if ends[1] - ends[0] > 1e-9 * max(abs(ends)) else None


def flow_figures(run, folder):
    path = run.last_fields()
    if path is None:
        raise ValueError("no field output was written")
    vtu = open_fields(path)
    body, front = _zooms(vtu, _walls(run))
    cells = style.number(len(vtu.corners))
    figures = []
    if "mach" in vtu.fields:
        figures.append(meshes.mesh_figure(vtu, folder, "mach", body, False, _shown(vtu, "mach", body), "turbo", 12,
                                          "Mach number", "Mach number", "Mach number, with isolines."))
    if "pressure" in vtu.fields:
        figures.append(meshes.mesh_figure(vtu, folder, "pressure", body, False, _shown(vtu, "pressure", body), "viridis", 12,
                                          "p, in units of density times speed squared of the free stream", "Pressure",
                                          "Pressure, with isolines."))
    if "mach" in vtu.fields:
        figures.append(meshes.mesh_figure(vtu, folder, "mach", front, True, _shown(vtu, "mach", front), "turbo", 0, "Mach number",
                                          "Mach number on the mesh", "One colour per cell; %s cells." % cells, "mach_mesh"))
    return figures, "From %s." % os.path.relpath(path, run.path)


# ---- the walls

def _sides(columns):
    upper = columns["upper"] > 0
    sides = [("upper side", upper), ("lower side", ~upper)]
    return [(name, np.flatnonzero(at)[np.argsort(columns["x"][at])]) for name, at in sides if np.any(at)]


def _comparisons(run, marker, quantity):
    for table in run.config.get("surface", []):
        if not isinstance(table, dict) or table.get("marker") != marker or table.get("quantity", "cp") != quantity:
            continue
        columns = run._try("surface/%s_reference.csv" % table.get("name"), records.read_csv)
        if columns is not None:
            yield table, columns


def _surface_plot(run, folder, marker, columns, quantity):
    figure, axes = sketch.new(height=4)
    sides = _sides(columns)
    for (name, at), line in zip(sides, ("-", "--")):
        axes.plot(columns["x"][at], columns[quantity][at], line, label=name if len(sides) > 1 else "this run",
                  marker="." if len(at) < 60 else None)
    caption = "Wall %s." % marker
    for table, published in _comparisons(run, marker, quantity):
        axes.plot(published["x"], published["published"], "o", color=style.COLOURS[6], hollow=True,
                  markersize=4.5, label="published")
        caption += " Published: %s; largest difference %.2g." % (
            records.published_source(table.get("reference", {}).get("file", "")),
            run.run.get("quantities", {}).get("error_" + table["name"], np.nan) or np.nan)
    if quantity == "cp":
        axes.invert_yaxis()  # suction upwards, as aerodynamicists draw it
    else:
        axes.axhline(0, color="#888888", linewidth=0.8)
        values = columns[quantity]
        high = np.quantile(values, 0.995)
        axes.set_ylim(min(1.1 * values.min(), -0.05 * high), 1.15 * high)
    figure.finish(axes, {"cp": "Pressure coefficient", "cf": "Skin friction coefficient"}[quantity], "x", quantity.capitalize())
    names = [name for name in ("x", "y", quantity) if name in columns]
    return figure.save(folder, "surface_%s_%s" % (marker, quantity), caption,
                      [(name, columns[name]) for name in names])


def surface_figures(run, folder):
    figures = []
    for marker, columns in _walls(run):
        for quantity in ("cp", "cf"):
            if quantity in columns and "upper" in columns:  # a body in space has no sides
                figures.append(_surface_plot(run, folder, marker, columns, quantity))
    return figures


# ---- along a line, for flows that vary in one direction

def tube_figures(run, folder):
    """Sod's tube: the cells and the exact solution."""
    table = run.table("flow").get("initial")
    kind = table.get("type") if isinstance(table, dict) else table
    if kind != "sod":
        return []
    vtu = open_fields(run.last_fields())
    x = vtu.polygons()[..., 0].mean(axis=1)
    exact = records.read_csv(os.path.join(records.PUBLISHED, "sod_exact_t0.2.csv"))
    figure, all_axes = sketch.new(height=5.6, rows=3, share="x")
    at = np.argsort(x)
    for axes, name, published in zip(all_axes, ("density", "velocity.0", "pressure"), ("rho", "u", "p")):
        values = meshes.field_of(vtu, name)
        axes.plot(exact["x"], exact[published], color=style.COLOURS[6], linewidth=1, label="exact")
        axes.plot(x[at], values[at], ".", markersize=3, label="this run")
        axes.set_ylabel({"velocity.0": "u"}.get(name, name))
    figure.finish(all_axes[0], "Along the tube")
    all_axes[-1].set_xlabel("x")
    return [figure.save(folder, "tube", "All cells, and the exact solution at t = 0.2.")]


def layer_figures(run, folder):
    """A boundary layer along x, with y stretched, if at least about four rows of cells resolve it."""
    walls = [(name, w) for name, w in _walls(run) if "cf" in w and np.ptp(w["y"]) == 0]
    if not walls or run.last_fields() is None:
        return []
    wall = walls[0][1]
    vtu = open_fields(run.last_fields())
    length, at = np.ptp(wall["x"]), wall["y"][0]
    low, high = vtu.box()[1], vtu.box()[3]
    ends = (at, at + 0.02 * length) if high - at > at - low else (at - 0.02 * length, at)  # on the side of the flow
    zoom = (wall["x"].min() - 0.05 * length, wall["x"].max(), *ends)
    x, y = vtu.node.T
    if np.sum((x >= zoom[0]) & (x <= zoom[1]) & (y >= ends[0]) & (y <= ends[1])) < 4 * len(wall["x"]):
        return []  # too few cells to show a layer
    figure, axes = sketch.new()
    drawn = meshes.draw(axes, vtu, "velocity.0", zoom, True, (0, 1), "turbo", 8)
    axes.frame(equal=False)
    figure.colour_bar(drawn, "u")
    axes.set_title("Boundary layer")
    return [figure.save(folder, "layer", "Velocity along the wall on the mesh; y is stretched.")]


# ---- convergence

def _relative(history):
    """name -> residual norm relative to the first one of the second-order scheme, from the start of the run."""
    order = history.get("order")
    start = 0 if order is None else int(np.argmax(order == np.nanmax(order)))
    found = {}
    for name in EQUATIONS:
        values = history.get("residual_" + name)
        if values is not None and np.any(values > 0):
            first = values[start] if values[start] > 0 else np.nanmax(values)
            found[name] = np.where(values > 0, values / first, np.nan)
    return found, start


def _residual_against(history, x, label, folder, name, caption):
    residuals, start = _relative(history)
    if not residuals:
        raise ValueError("no residual is positive")
    figure, axes = sketch.new()
    for i, (equation, values) in enumerate(residuals.items()):
        axes.plot(x, values, label=style.words(equation), linewidth=2 if equation == "energy" else 1.1,
                  color=style.COLOURS[i])
    if start > 0:
        axes.axvline(x[start], color="#888888", linewidth=0.8, linestyle=":")
    axes.log()
    figure.finish(axes, "Residual against %s" % label, label, "|R| / |R₀|")
    data = [(label.replace(" ", "_"), x)] + list(residuals.items())
    return figure.save(folder, name, caption, data)


def _plain(history, x, names, title, label, folder, file, log, caption, settled=False):
    """A plot of columns against the step; None if nothing was recorded."""
    shown = [(n, history[n]) for n in names if n in history and np.any(np.isfinite(history[n]))]
    if not shown:
        return []
    figure, axes = sketch.new()
    for name, values in shown:
        axes.plot(x, values, label=style.words(name))
    if settled and len(x) > 8:  # the first steps are those of an impulsive start
        late = np.concatenate([values[len(x) // 4:] for _, values in shown])
        low, high = np.nanmin(late), np.nanmax(late)
        axes.set_ylim(low - 0.15 * (high - low) - 1e-6, high + 0.15 * (high - low) + 1e-6)
    if log and all(np.nanmin(v) > 0 for _, v in shown):
        axes.log()
    figure.finish(axes, title, "step", label)
    return [figure.save(folder, file, caption, [("step", x)] + shown)]


def convergence_figures(run, folder):
    history = run.history
    if history is None or not len(history["step"]):
        raise ValueError("no rows in history.csv")
    steps = history["step"]
    figures = []
    if "linear_iterations" in history:
        figures.append(_residual_against(history, history["linear_iterations"], "linear iterations", folder,
                                         "residual_iterations", "Cumulative iterations of the linear solver, including "
                                         "rejected steps. Dotted line: start of the second-order scheme."))
    figures.append(_residual_against(history, history["wall"] - history["wall"][0], "seconds", folder, "residual_seconds",
                                     "Wall-clock time since the first step, including output."))
    figures += _plain(history, steps, ("cfl",), "CFL number", "CFL", folder, "cfl", True, "Of each accepted step.")
    figures += _plain(history, steps, ("drag", "lift"), "Forces", "coefficient", folder, "forces", False,
                      "Lift and drag coefficients, based on the reference length. The axis ignores the first steps.", True)
    return figures


def ilu_figures(run, folder):
    """Iterations and measurements of the preconditioner, one value per solve."""
    solves = run.solves
    if solves is None:
        return []
    number = np.arange(1, len(solves["iterations"]) + 1)
    figure, axes = sketch.new()
    reasons = np.array(solves["reason"])
    for i, reason in enumerate(sorted(set(reasons), key=lambda r: r != "converged")):
        at = reasons == reason
        axes.plot(number[at], solves["iterations"][at], ".", color=style.COLOURS[i], markersize=4, label=style.words(reason))
    axes.set_ylim(0)
    figure.finish(axes, "Iterations of each solve", "linear solve", "iterations")
    figures = [figure.save(folder, "solve_iterations", "One point per linear solve, including those of rejected steps.",
                          [("solve", number), ("iterations", solves["iterations"])])]
    figures += _plain(solves, number, ("ilu_residual",), "ILU residual", "reduction in the 1-norm", folder, "ilu_residual",
                      True, "Fixed-point residual of the factors after the build sweeps, relative to that of the initial guess.")
    figures += _plain(solves, number, ("dominance_L", "dominance_U"), "Dominance of the factors", "max norm", folder,
                      "ilu_dominance", True, "Maximum norm of the Jacobi iteration matrices of L and U; values below 1 mean diagonal dominance.")
    return figures
