#!/usr/bin/env python3
"""Laws that every case obeys and that need no reference value: each case in a short form, changed, must give the same flow.

    laws.py WEIR INPUTS [--keys keys.md] [--cases NAME ...] [--laws NAME ...] [--work FOLDER] [--foreign FOLDER]

units     lengths, times and densities in other units, by the unit of each key on the keys' page: coefficients stay, quantities
          change as their unit does
shift     the box, or the mesh, somewhere else
mirror    the first axis turned round (a mesh: the second)
turn      the axes exchanged and one of them turned round
thin      a 2D flow as a 3D flow of four periodic cells
restart   stopped in the middle and restarted: the same end, bit for bit
again     run a second time: the same end, bit for bit
time      restarted with another time step and end: time goes on from where it was, and no step is longer than asked for
energy    what a closed box that nothing drives loses of its kinetic energy is the dissipation
heat      in a fluid at rest the heat that all sides give is what the source takes
rest      in a closed box a body force is held by the pressure: the force on a body by its surface and by its control volume
done      restarted after its end: no further step, the same state
start     a converged flow as the start of a new run is converged at once, a nearly converged one in half of the steps
uniform   a uniform flow is converged at once, and its unsteady run goes on to its end
A case that a law does not apply to is left out, with the reason. --foreign: cases of others, with their meshes.
"""
import argparse
import concurrent.futures
import copy
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import tomllib

UNITS = {"incompressible": (3.0, 0.7, 1.3), "immersed": (3.0, 0.7, 1.3),  # length, time, density; no powers of two: rounding takes part
         "compressible": (3.0, 3.0, 1.0)}                                  # where speeds and densities are those of the free stream
STEPS = 4
ENDED = (0, 3, 5)  # 3: a steady flow that is not there yet; 5: [check], which a cut run may miss
TOLERANCE = 1e-6
# Factors of the quantities, as powers of length, time and density; all others are pure numbers or left out.
QUANTITIES = {"moment": (0, 0, 0), "kinetic_energy": (2, -2, 0), "dissipation": (2, -3, 0), "drag": (0, 0, 0), "lift": (0, 0, 0), "drag_mean": (0, 0, 0),
              "lift_mean": (0, 0, 0), "drag_control_volume": (0, 0, 0), "nusselt": (0, 0, 0), "drag_pressure": (0, 0, 0),
              "drag_viscous": (0, 0, 0), "y_plus_max": (0, 0, 0), "cp_min": (0, 0, 0), "cp_max": (0, 0, 0),
              "error_density_l1": (0, 0, 0)}
# Keys of places, which a shift moves.
PLACES = {"grid.origin", "body.position", "body.control_volume"}

# Vectors, which a turned box turns.
VECTORS = {"flow.body_force", "flow.body_force.direction", "flow.initial_velocity", "flow.exact_velocity", "temperature.gravity",
           "scalar.gravity", "boundary.velocity", "body.position", "body.motion.velocity", "body.motion.amplitude"}
# Known failures: the check reports one that holds again.
OPEN = {}  # (case, law): why


class NotTold(Exception):
    """Why a law says nothing of a case."""


class Refused(NotTold):
    """The program takes no such case: exit code 2."""


def power(unit):
    """Of length, time and density; None: a unit that is none of these."""
    total = [0, 0, 0]
    for place, part in enumerate(unit.split("/")):
        for word in part.split():
            name, _, exponent = word.partition("^")
            n = (-1 if place else 1) * int(exponent or 1)
            known = {"1": (0, 0, 0), "length": (1, 0, 0), "time": (0, 1, 0), "velocity": (1, -1, 0), "density": (0, 0, 1), "radians": (0, 0, 0),
                     "temperature": (0, 0, 0), "scalar": (0, 0, 0), "pressure": (2, -2, 1)}.get(name)
            if known is None:
                return None
            for d in range(3):
                total[d] += n * known[d]
    return tuple(total)


def factor(powers, units):
    return units[0] ** powers[0] * units[1] ** powers[1] * units[2] ** powers[2]


def read_keys(page, miniapp):
    """{"table.key": [(unit, default, types)]} of a miniapp, tables without the parts that a case names itself; types: of the table, that
    have the key; none: all."""
    keys, tables = {}, []
    for line in page.read_text().splitlines():
        if line.startswith("## ["):
            match = re.match(r"## \[([^\]]*)\](.*)", line)
            types, _, miniapps = match.group(2).strip("] ").partition("(")
            is_here = not miniapps or miniapp in miniapps.strip(")").split(", ")
            types = [t for t in types.strip().split(", ") if t]
            tables = [re.sub(r"\.(SIDE|MARKER|NAME|SYSTEM)", "", match.group(1).strip("["))] if is_here else []
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)]
        if tables and len(cells) == 8 and cells[1].startswith("`"):
            keys.setdefault(tables[0] + "." + cells[1].strip("`"), []).append((cells[6], cells[3], types))
    return keys


def written(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join('"%s" = %s' % (k, written(v)) for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return json.dumps(value) if isinstance(value, str) else repr(value)


def write(case, path):
    path.write_text("".join("%s = %s\n" % (k, written(v)) for k, v in case.items() if not isinstance(v, dict)) +
                    "".join("[%s]\n" % t + "".join('"%s" = %s\n' % (k, written(v)) for k, v in table.items())
                            for t, table in case.items() if isinstance(table, dict)))


def walk(value, name, change):
    """change(name, value) of every leaf; sides and names of the case's own are left out of a name."""
    if isinstance(value, dict):
        return {k: walk(v, name_of(name, k), change) for k, v in value.items()}
    if isinstance(value, list) and any(isinstance(v, dict) for v in value):
        return [walk(v, name, change) for v in value]
    return change(name.rstrip("/"), value)


def name_of(name, key):
    if name in ("boundary", "scalar", "linear"):
        return name + "/"  # what follows is a name of the case's own
    return name.rstrip("/") + "." + key if name else key


def unit_of(keys, name):
    """The longest end of the tables of a name that the page knows."""
    parts = name.split(".")
    for cut in range(len(parts) - 1):
        found = keys.get(".".join(parts[:1] + parts[1 + cut:]))
        if found:
            return found[0][0]
    return ""


def scaled(value, by, names):
    if isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return value * by
    if isinstance(value, list):
        return [scaled(v, by, names) for v in value]
    if isinstance(value, str):
        for name, of in names.items():
            value = re.sub(r"\b%s\b" % name, "(%s/%r)" % (name, of), value)
        return "%r*(%s)" % (by, value)
    return value


def with_defaults(case, keys):
    """Numbers in units that a case leaves to their defaults."""
    for name, unit, default, types in ((name, *entry) for name, entries in keys.items() for entry in entries):
        table, _, key = name.rpartition(".")
        given = case
        for part in table.split("."):
            given = given.get(part) if isinstance(given, dict) else None
        if not unit or power(unit) in (None, (0, 0, 0)) or not isinstance(given, dict) or key in given:
            continue
        if types and given.get("type") not in types:
            continue
        if table == "mesh.generator" and "x" in given:  # sections in place of lengths
            continue
        if re.fullmatch(r"[-\d.e]+|\[[-\d.e, ]+\]", default) and re.search("[1-9]", default):
            value = json.loads(default)
            given[key] = value[:len(case["grid"]["cells"])] if isinstance(value, list) and table == "grid" else value


def in_other_units(case, keys, units):
    case = copy.deepcopy(case)
    with_defaults(case, keys)
    names = {"x": units[0], "y": units[0], "z": units[0], "t": units[1]}

    def change(name, value):
        unit = unit_of(keys, name)
        powers = power(unit) if unit else (0, 0, 0)
        is_formula = isinstance(value, str) and re.search(r"\b[xyzt]\b", value) and unit
        is_formula = is_formula or (isinstance(value, list) and any(isinstance(v, str) for v in value) and powers not in (None, (0, 0, 0)))
        if powers is None or (powers == (0, 0, 0) and not is_formula):
            return value
        return scaled(value, factor(powers, units), names)

    return walk(case, "", change)


def elsewhere(case, by):
    case = copy.deepcopy(case)
    for table, key in (("grid", "origin"), ("body", "position")):
        if table in case:
            case[table].setdefault(key, [0.0] * len(case["grid"]["cells"]))

    for line, d in zip(case["grid"].get("stretching", []), by):
        if isinstance(line, dict) and "from" in line:
            line["from"], line["to"] = line["from"] + d, line["to"] + d
    for side, patch in case.get("boundary", {}).items():
        across = [d for name, d in zip("xyz", by) if name != side[0]]
        for part in patch if isinstance(patch, list) else []:
            if "range" in part:
                part["range"] = [[low + d, high + d] for d, (low, high) in zip(across, part["range"])]

    def change(name, value):
        if name in PLACES:
            return [v + by[i % len(by)] for i, v in enumerate(value)]
        if isinstance(value, str) and re.search(r"\b[xyz]\b", value) or isinstance(value, list) and any(isinstance(v, str) for v in value):
            raise NotTold("a formula: " + name)
        return value

    return walk(case, "", change)


def turned(case, axes):
    """The case in a box whose direction d is the old direction a of axes[d] = (a, sign)."""
    case, dim = copy.deepcopy(case), len(case["grid"]["cells"])
    grid, flow, body, names = case["grid"], case["flow"], case.get("body", {}), "xyz"
    if body.get("angle") or body.get("type", "cylinder") in ("aerofoil", "stl", "left_ventricle"):
        raise NotTold("a body with a direction")
    motions = body.get("motion", [])
    if any(m["type"] not in ("translation", "oscillation") for m in (motions if isinstance(motions, list) else [motions])):
        raise NotTold("a body with a direction")
    if flow.get("turbulence", "none") != "none" or flow.get("initial") in ("turbulent_channel", "poiseuille", "womersley"):
        raise NotTold("a flow along x")
    old = {axes[d][0]: ("%s" if axes[d][1] > 0 else "(-%s)") % names[d] for d in range(dim)}
    grid.setdefault("length", [1.0] * dim)
    grid.setdefault("origin", [0.0] * dim)
    grid.setdefault("stretching", ["uniform"] * dim)
    for key in ("cells", "length", "origin", "stretching"):
        grid[key] = [grid[key][a] for a, sign in axes]
    for d, (a, sign) in enumerate(axes):
        if sign > 0:
            continue
        grid["origin"][d] = -(grid["origin"][d] + grid["length"][d])
        line = grid["stretching"][d]
        line = dict(line) if isinstance(line, dict) else {"type": line}
        line["type"] = {"tanh_low": "tanh_high", "tanh_high": "tanh_low"}.get(line["type"], line["type"])
        if "from" in line:
            line["from"], line["to"] = -line["to"], -line["from"]
        grid["stretching"][d] = line
    new = {a: (d, sign) for d, (a, sign) in enumerate(axes)}
    sides = {}
    for side, patch in case.get("boundary", {}).items():
        d, sign = new[names.index(side[0])]
        sides[names[d] + "_" + (side[2:] if sign > 0 else {"min": "max", "max": "min"}[side[2:]])] = patch
        across = [a for a in range(dim) if a != names.index(side[0])]
        for part in patch if isinstance(patch, list) else []:
            if "range" in part:
                ends = [(sign, part["range"][across.index(a)]) for e, (a, sign) in enumerate(axes) if e != d]
                part["range"] = [[low, high] if sign > 0 else [-high, -low] for sign, (low, high) in ends]
    case["boundary"] = sides

    def formula(value):
        return re.sub(r"\b[xyz]\b", lambda m: old.get(names.index(m.group()), m.group()), value) if isinstance(value, str) else value

    if "control_volume" in body:
        ends = [[sign * body["control_volume"][a + e * dim] for e in (0, 1)] for a, sign in axes]
        body["control_volume"] = [min(e) for e in ends] + [max(e) for e in ends]

    def change(name, value):
        if isinstance(value, list) and name in VECTORS:
            value = [formula(v) for v in value] + [0.0] * (dim - len(value))
            return [value[a] if sign > 0 else "-(%s)" % value[a] if isinstance(value[a], str) else -value[a] for a, sign in axes]
        if isinstance(value, str) and name.split(".")[0] in ("flow", "temperature", "scalar", "boundary"):
            return formula(value) if re.search(r"[-+*/(]|^[xyz]$", value) else value
        return value

    return walk(case, "", change)


def in_three_dimensions(case):
    case = copy.deepcopy(case)
    grid, body = case["grid"], case.get("body")
    grid["length"] = grid.get("length", [1.0, 1.0]) + [1.0]
    grid["cells"] = grid["cells"] + [4]
    for key, value in (("origin", 0.0), ("stretching", "uniform")):
        if key in grid:
            grid[key] = grid[key] + [value]
    for end in ("min", "max"):
        case.setdefault("boundary", {})["z_" + end] = {"type": "periodic"}
    if body is not None:
        body.setdefault("reference_area", body.get("reference_length", 1.0))
        body.pop("control_volume", None)

    def change(name, value):
        if name == "boundary.range":
            return value + [[0.0, 1.0]]
        return value + [0.0] if isinstance(value, list) and len(value) == 2 and name in VECTORS else value

    return walk(case, "", change)


def leaves(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return [value] if inner is None else [leaf for v in inner for leaf in leaves(v)]


def mesh_of(case, laws, change, is_mirrored=False):
    """The case on its own mesh with the points changed."""
    case = copy.deepcopy(case)
    for name in ("initial", "exact"):
        if case["flow"].get(name, "freestream") != "freestream":
            raise NotTold("an exact flow")
    if any(isinstance(v, str) and re.search(r"\b[xy]\b", v) for v in leaves([case["flow"].get("body_force"), case.get("boundary")])):
        raise NotTold("formulas of places")
    origin = change(0.0, 0.0)
    case["flow"].setdefault("moment_centre", [0.0, 0.0])
    for table in (case["flow"], *case.get("boundary", {}).values()):
        for key in ("velocity", "direction", "body_force", "gravity"):
            if key in table:
                table[key] = [a - b for a, b in zip(change(*table[key]), origin)]
        for key in ("centre", "moment_centre"):
            if key in table or key == "centre" and "angular_velocity" in table:
                table[key] = list(change(*table.get(key, [0.0, 0.0])))
        if is_mirrored and "angular_velocity" in table:
            table["angular_velocity"] = -table["angular_velocity"]
    laws.number += 1
    plain, path = laws.folder / "plain.toml", laws.folder / ("%d.su2" % laws.number)
    write(case, plain)
    laws.weir("mesh", plain, "-o", path)
    lines, left, section = [], 0, ""
    for line in path.read_text().splitlines():
        words = line.split()
        if left and section == "NPOIN":
            x, y = change(float(words[0]), float(words[1]))
            line = " ".join([repr(x), repr(y)] + words[2:])
        elif left and section == "NELEM" and is_mirrored:
            n = {"5": 3, "9": 4}[words[0]]
            line = " ".join([words[0]] + words[n:0:-1] + words[n + 1:])
        left -= left > 0
        if "=" in line:
            section, _, number = line.partition("=")
            section, left = section.strip(), int(number.split()[0]) if section.strip() in ("NPOIN", "NELEM") else 0
        lines.append(line)
    path.write_text("\n".join(lines) + "\n")
    case["mesh"] = {"file": str(path), **({"periodic": case["mesh"]["periodic"]} if "periodic" in case["mesh"] else {})}
    return case


def short_form(case, steps, folder):
    """A few steps on a grid that is as coarse as the case allows, with solvers that leave rounding alone."""
    case = copy.deepcopy(case)
    for table in (case.get("mesh", {}), case.get("body", {})):
        if "file" in table:
            table["file"] = str((folder / table["file"]).resolve())
    for key in ("check", "probe", "point", "surface", "shadow", "select", "relay", "history_reference"):
        case.pop(key, None)
    miniapp = case["case"]["miniapp"]
    case["output"] = {"report": False}
    if miniapp == "immersed" and len(case["grid"]["cells"]) == 3:
        case["body"].setdefault("reference_area", 1.0)  # its default is a length
    if miniapp == "immersed":
        case["linear"] = {"pressure": {"tolerance": 1e-10}}
    for system in case.get("linear", {}).values():
        if system.pop("relative", True) is False:  # a residual has a unit
            system.pop("tolerance", None)
    if "grid" in case:
        case["grid"]["cells"] = [n if n < 12 else max(12, n // 4) for n in case["grid"]["cells"]]
        grid = case["grid"]
        for d, line in enumerate(grid.get("stretching", [])):
            if isinstance(line, dict) and "width" in line:
                line["width"] *= 3.7  # no number of cells that rounding decides
                low, size = grid.get("origin", [0.0] * 3)[d], grid["length"][d]
                is_in_the_middle = abs(line["from"] - low - (low + size - line["to"])) < 1e-9 * size
                odd = (grid["cells"][d] - round((line["to"] - line["from"]) / line["width"])) % 2
                grid["cells"][d] += is_in_the_middle and odd  # else one side has a cell more
    if case["flow"].get("scheme") == "artificial_compressibility":
        case.setdefault("linear", {}).setdefault("flow", {})["tolerance"] = 1e-9
    if miniapp == "compressible":
        pseudo_time = case.setdefault("pseudo_time", {})
        pseudo_time.pop("coarse_meshes", None)
        if "time" not in case:
            pseudo_time["max_steps"] = steps
        case.setdefault("linear", {}).setdefault("flow", {})["tolerance"] = 1e-9
        generator = case.get("mesh", {}).get("generator", {})
        if "refinement" in generator or generator.get("type") in ("naca0012", "naca", "c_grid"):
            generator["refinement"] = 0.3 * generator.get("refinement", 1)
    return case


class Laws:
    def __init__(self, a, folder, case, keys):
        self.a, self.folder, self.number, self.case, self.keys = a, folder, 0, case, keys
        self.miniapp, self.plain = case["case"]["miniapp"], None

    def weir(self, *arguments):
        done = subprocess.run([self.a.weir, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode == 2 and self.plain:  # the case as it is runs, this change of it is not for the program
            raise Refused("refused: " + done.stderr.strip().splitlines()[-1])
        if done.returncode not in ENDED:
            raise RuntimeError("%s ends with %d: %s" % (arguments[0], done.returncode, (done.stdout + done.stderr)[-400:]))

    def run(self, case, steps):
        """The directory of a run."""
        self.number += 1
        path, out = self.folder / ("%d.toml" % self.number), self.folder / str(self.number)
        write(case, path)
        self.weir("run", path, "-o", out, "--steps", steps)
        return out

    def end(self, out):
        return json.loads((out / "run.json").read_text())

    def unchanged(self):
        """The end of the case as it is."""
        if self.plain is None:
            self.plain = self.end(self.run(self.case, STEPS))
        return self.plain

    def compare(self, case, factor_of=lambda name, powers: 1, tolerance=TOLERANCE):
        return differences(self.unchanged()["quantities"], self.end(self.run(case, STEPS))["quantities"], factor_of, tolerance)

    def needs_grid(self):
        if "grid" not in self.case:
            raise NotTold("no grid")

    def units(self):
        case, units = self.case, UNITS[self.miniapp]
        if case["flow"].get("turbulence", "none") == "k_omega" or "speed" in case.get("pseudo_time", {}):
            raise NotTold("scaled by u_tau")
        kinds = [case["flow"].get(key) for key in ("initial", "exact")]
        if any((k.get("type") if isinstance(k, dict) else k) in ("taylor_green_2d", "taylor_green_3d", "isentropic_vortex", "ringleb") for k in kinds):
            raise NotTold("an initial flow with a length of its own")
        if "file" in case.get("body", {}) or case.get("body", {}).get("type") == "left_ventricle":
            raise NotTold("a body with a length or a law of its own")
        has_own_length = self.miniapp == "compressible" and (
            "file" in case["mesh"] or case["mesh"]["generator"]["type"] not in ("box", "cylinder", "wedge"))

        def broken(units, tolerance):
            other = in_other_units(case, self.keys, units)
            if has_own_length:
                by = units[0]
                other["mesh"] = mesh_of(case, self, lambda x, y: (by * x, by * y))["mesh"]
            return self.compare(other, lambda name, powers: factor(powers, units), tolerance)

        wrong = broken(units, TOLERANCE)
        # An iteration that has not converged may amplify rounding; powers of two leave none.
        return wrong and broken((4.0, 4.0, 1.0) if self.miniapp == "compressible" else (4.0, 0.5, 2.0), 1e-12) and wrong

    def shift(self):
        if "grid" not in self.case:
            return self.compare(mesh_of(self.case, self, lambda x, y: (x + 0.375, y - 1.25)))
        return self.compare(elsewhere(self.case, [0.37, -1.21, 2.03][:len(self.case["grid"]["cells"])]))

    def turned(self, axes):
        forces = [("drag", "drag_mean", "drag_control_volume"), ("lift", "lift_mean", "lift_control_volume")]
        here = self.unchanged()["quantities"]
        expected = {k: v for k, v in here.items() if k not in forces[0] + forces[1]}
        for d, (a, sign) in enumerate(axes[:2]):
            for name, source in zip(forces[d], forces[a] if a < 2 else ()):
                if here.get(source) is not None:
                    expected[name] = sign * here[source]
        return differences(expected, self.end(self.run(turned(self.case, axes), STEPS))["quantities"])

    def flow_turned(self, degrees, change, is_mirrored):
        case = mesh_of(self.case, self, change, is_mirrored)
        case["flow"]["angle_of_attack"] = degrees(case["flow"].get("angle_of_attack", 0.0))
        return self.compare(case, lambda name, powers: -1 if is_mirrored and name in ("lift", "moment") else 1)

    def mirror(self):
        if "grid" not in self.case:
            return self.flow_turned(lambda angle: -angle, lambda x, y: (x, -y), True)
        return self.turned([(0, -1), (1, 1), (2, 1)][:len(self.case["grid"]["cells"])])

    def turn(self):
        if "grid" not in self.case:
            return self.flow_turned(lambda angle: angle + 90, lambda x, y: (-y, x), False)
        return self.turned([(1, 1), (0, -1)] if len(self.case["grid"]["cells"]) == 2 else [(1, 1), (2, 1), (0, -1)])

    def thin(self):
        self.needs_grid()
        if len(self.case["grid"]["cells"]) == 3:
            raise NotTold("three directions")
        if self.case.get("time", {}).get("steady"):
            raise NotTold("pseudo-time steps that depend on the number of directions")
        here = {k: v for k, v in self.unchanged()["quantities"].items() if "control_volume" not in k}
        tolerance = 1e-2 if self.miniapp == "immersed" else TOLERANCE  # the cut cells of a 3D grid are others
        return differences(here, self.end(self.run(in_three_dimensions(self.case), STEPS))["quantities"], tolerance=tolerance)

    def restart(self):
        cut = self.run(self.case, STEPS // 2)
        if self.end(cut)["steps"] != STEPS // 2:
            raise NotTold("ends by itself")
        self.weir("restart", cut, "--steps", STEPS)
        return same_end(self.unchanged(), self.end(cut))

    def again(self):
        return same_end(self.unchanged(), self.end(self.run(self.case, STEPS)))

    def time(self):
        is_steady = self.case.get("time", {}).get("steady", self.miniapp == "compressible" and "time" not in self.case)
        if is_steady:
            raise NotTold("no time")
        out = self.run(self.case, STEPS // 2)
        before = history(out)
        dt, time = before[-1]["dt"], before[-1]["time"]
        asked = 0.7 * dt
        unset = ["--unset", "time.cfl"] if "cfl" in self.case["time"] else []
        self.weir("restart", out, *unset, "--set", "time.dt=%r" % asked, "--set", "time.end=%r" % (time + 2.5 * asked))
        wrong = []
        for row in history(out)[len(before):]:
            if not abs(row["time"] - time - row["dt"]) <= 1e-9 * dt or not 0 < row["dt"] <= asked * (1 + 1e-9):
                wrong.append("step %d leads from %r to %r by dt %r, asked for %r" % (row["step"], time, row["time"], row["dt"], asked))
            time = row["time"]
        if not abs(time - before[-1]["time"] - 2.5 * asked) <= 1e-9 * dt:
            wrong.append("ends at %r, not 2.5 steps after %r" % (time, before[-1]["time"]))
        return wrong

    def done(self):
        out = self.run(self.case, STEPS)
        before = self.end(out)
        self.weir("restart", out, "--steps", before["steps"])
        return same_end(before, self.end(out))

    def is_steady_compressible(self):
        if self.miniapp != "compressible" or "time" in self.case:
            raise NotTold("no steady compressible flow")

    def start(self):
        self.is_steady_compressible()
        case = copy.deepcopy(self.case)
        case["pseudo_time"].update(tolerance=0.03, max_steps=40)
        out = self.run(case, 40)
        first = self.end(out)
        if first["reason"] != "steady state":
            raise NotTold("no steady state in 40 steps")
        case["flow"]["start_from"] = str(out)
        ended = self.end(self.run(case, 40))
        few = max(3, first["steps"] // 2)  # a residual that has fallen to 3 % can rise again
        return [] if ended["reason"] == "steady state" and ended["steps"] <= few else ["%s after %d steps" % (ended["reason"], ended["steps"])]

    def uniform(self):
        self.is_steady_compressible()
        case = {k: v for k, v in self.case.items() if k in ("case", "mesh", "ordering", "output")}
        case["flow"] = {k: v for k, v in self.case["flow"].items() if k in ("mach", "angle_of_attack", "gamma")}
        case["boundary"] = {marker: {"type": "farfield"} for marker in self.case["boundary"]}
        ends = [self.end(self.run(case, 50))]
        case["time"] = {"dt": 0.1, "end": 0.4}
        ends.append(self.end(self.run(case, 50)))
        return ["%s: %s after %d steps" % (kind, end["reason"], end["steps"]) for kind, end, steps in zip(("steady", "unsteady"), ends, (2, 4))
                if end["exit_code"] != 0 or end["steps"] > steps]

    def energy(self):
        self.needs_grid()
        case = copy.deepcopy(self.case)
        patches = [p for side in case.get("boundary", {}).values() for p in (side if isinstance(side, list) else [side])]
        is_closed = all(p["type"] in ("wall", "slip", "periodic") and not any(k in p for k in ("velocity", "modulation")) for p in patches)
        flow, heat = case["flow"], [case.get("temperature", {}), *case.get("scalar", {}).values()]
        if self.miniapp != "incompressible" or not is_closed or "body_force" in flow or any("gravity" in t for t in heat):
            raise NotTold("not closed, or driven")
        if flow.get("scheme") == "artificial_compressibility" or not flow.get("viscosity"):
            raise NotTold("no conserving scheme")
        case["output"]["diagnostics_every"] = 1
        ends = [self.end(self.run(case, steps)) for steps in (STEPS, STEPS + 1)]
        loss = (ends[0]["quantities"]["kinetic_energy"] - ends[1]["quantities"]["kinetic_energy"]) / (ends[1]["time"] - ends[0]["time"])
        dissipation = 0.5 * sum(e["quantities"]["dissipation"] for e in ends)
        return [] if abs(loss - dissipation) <= 0.02 * dissipation else ["the energy falls by %.6g, the dissipation is %.6g" % (loss, dissipation)]

    def heat(self):
        self.needs_grid()
        case = copy.deepcopy(self.case)
        if self.miniapp != "incompressible" or "temperature" not in case or case["flow"].get("scheme") == "artificial_compressibility":
            raise NotTold("no heat")
        dim, heat = len(case["grid"]["cells"]), case["temperature"]
        length, cells = case["grid"].get("length", [1.0] * dim), case["grid"]["cells"]
        for key in ("expansion", "gravity", "exact"):
            heat.pop(key, None)
        if isinstance(heat.get("source", 0.0), str):
            raise NotTold("a formula")
        heat["source"] = 1.0 + heat.get("source", 0.0)
        case["flow"] = {k: v for k, v in case["flow"].items() if k in ("viscosity", "density")}
        case["boundary"] = {side: {"type": "wall", **{k: patch[k] for k in ("temperature", "heat_flux") if k in patch}}
                            if patch["type"] != "periodic" else patch for side, patch in case.get("boundary", {}).items() if not isinstance(patch, list)}
        if not any("temperature" in p for p in case["boundary"].values()):
            raise NotTold("no wall with a temperature")
        case["surface"] = [{"name": side, "side": side} for side, patch in case["boundary"].items() if patch["type"] == "wall"]
        case["time"] = {"dt": 0.02 * max(length) ** 2 / heat["diffusivity"], "end": 1e9 * max(length) ** 2 / heat["diffusivity"]}
        case["linear"] = {"temperature": {"method": "cg", "preconditioner": {"type": "jacobi"}, "tolerance": 1e-10}}
        ended = self.end(self.run(case, 100))["quantities"]
        volume, total, size = 1.0, 0.0, 0.0
        for d in range(dim):
            volume *= length[d]
        for surface in case["surface"]:
            flux = ended[surface["name"] + "_heat_flux"] * volume / length["xyz".index(surface["name"][0])]
            total, size = total + flux, size + abs(flux)
        source = heat["source"] * volume
        return [] if abs(total + source) <= 1e-3 * (size + source) else ["the sides give %.6g, the source %.6g" % (total, source)]


    def rest(self):
        case = copy.deepcopy(self.case)
        if self.miniapp != "immersed" or case["body"].get("type") in ("left_ventricle", "stl"):
            raise NotTold("no body of a plain shape")
        grid = case["grid"]
        dim, centre = len(grid["cells"]), case["body"].get("position", [0.0] * 3)
        if any(min(x - low, low + length - x) < 0.6 * case["body"].get("diameter", 1.0)
               for x, low, length in zip(centre, grid.get("origin", [0.0] * dim), grid.get("length", [1.0] * dim))):
            raise NotTold("a body near or across a side")
        case["body"] = {k: v for k, v in case["body"].items() if k not in ("motion", "control_volume", "temperature", "heat_flux")}
        case["flow"] = {"viscosity": case["flow"]["viscosity"], "body_force": [0.3, -0.7, 0.0][:dim]}
        case["boundary"] = {a + end: {"type": "wall"} for a in "xyz"[:dim] for end in ("_min", "_max")}
        case["time"] = {"dt": 0.01, "end": 1.0}
        case["output"] = {"report": False}
        case.pop("temperature", None)
        case.pop("scalar", None)
        row = history(self.run(case, 3), ("drag", "lift", "drag_control_volume", "lift_control_volume"))[-1]
        size = abs(row["drag"]) + abs(row["lift"])
        return ["%s is %.6g by the surface, %.6g by the control volume" % (name, row[name], row[name + "_control_volume"])
                for name in ("drag", "lift") if not abs(row[name] - row[name + "_control_volume"]) <= 0.25 * size or size == 0]


def history(out, columns=("step", "time", "dt")):
    with open(out / "history.csv") as file:
        return [{k: float(v) for k, v in row.items() if k in columns} for row in csv.DictReader(line for line in file if line[0] != "#")]


def same_end(one, two):
    return ["%s is %s, not %s" % (k, two[k], one[k]) for k in ("state_hash", "steps", "time", "quantities") if one[k] != two[k]]


def differences(here, there, factor_of=lambda name, powers: 1, tolerance=TOLERANCE):
    wrong = []
    forces = max(abs(v) for k, v in [*here.items(), ("", 0)] if re.fullmatch("(drag|lift)(_mean)?|", k))
    for name, powers in QUANTITIES.items():
        if here.get(name) is None or there.get(name) is None:
            continue
        expected = here[name] * factor_of(name, powers)
        size = max(abs(expected), forces if re.match("drag|lift|moment|cp_", name) else 1e-3 * forces)
        if not abs(there[name] - expected) <= tolerance * size + 1e-12:
            wrong.append("%s is %.9g, not %.9g" % (name, there[name], expected))
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("inputs", type=pathlib.Path)
    parser.add_argument("--keys", type=pathlib.Path, default=pathlib.Path(__file__).parents[2] / "docs/reference/keys.md")
    parser.add_argument("--cases", nargs="+")
    parser.add_argument("--laws", nargs="+", default=["units", "shift", "mirror", "turn", "thin", "restart", "again", "time", "done", "start", "uniform", "energy", "heat", "rest"])
    parser.add_argument("--work")
    parser.add_argument("--foreign", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=1)
    a = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    files = sorted(p for kind in ("compressible", "immersed", "incompressible") for p in (a.inputs / kind).glob("*.toml"))
    if a.foreign:
        files = sorted(a.foreign.rglob("*.toml"))
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        told = list(pool.map(lambda path: look_at(a, path), [p for p in files if not a.cases or p.stem in a.cases]))
    print("%d laws of cases, %d broken" % (sum(t for t, f in told), sum(f for t, f in told)))
    return 1 if any(f for t, f in told) else 0


def look_at(a, path):
    """Numbers of laws tried and broken."""
    failed = tried = 0
    case = tomllib.loads(path.read_text())
    if "case" not in case:
        return 0, 0
    with tempfile.TemporaryDirectory(prefix="weir_laws_", dir=a.work) as folder:
        case = short_form(case, STEPS, path.parent)
        laws = Laws(a, pathlib.Path(folder), case, read_keys(a.keys, case["case"]["miniapp"]))
        for law in a.laws:
            start = time.time()
            try:
                wrong = getattr(laws, law)()
            except NotTold as why:
                print("%s, %s: left out, %s" % (path.stem, law, why), flush=True)
                continue
            except RuntimeError as error:
                wrong = [str(error)]
            tried, is_open = tried + 1, OPEN.get((path.stem, law))
            failed += bool(wrong) and not is_open
            said = "holds" if not wrong else "open, " + is_open if is_open else "FAILED: " + "; ".join(wrong)
            print("%s, %s: %s (%.1f s)" % (path.stem, law, said, time.time() - start), flush=True)
    return tried, failed


if __name__ == "__main__":
    sys.exit(main())
