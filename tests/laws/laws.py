#!/usr/bin/env python3
"""Laws that every case obeys and that need no reference value: each case in a short form, changed, must give the same flow.

    laws.py WEIR INPUTS [--keys keys.md] [--cases NAME ...] [--laws NAME ...] [--work FOLDER]

units     lengths, times and densities in other units, by the unit of each key on the keys' page: coefficients stay, quantities
          change as their unit does
shift     the box somewhere else
restart   stopped in the middle and restarted: the same end, bit for bit
again     run a second time: the same end, bit for bit
A case that a law cannot be told for says why and is left out.
"""
import argparse
import copy
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
QUANTITIES = {"kinetic_energy": (2, -2, 0), "dissipation": (2, -3, 0), "drag": (0, 0, 0), "lift": (0, 0, 0), "drag_mean": (0, 0, 0),
              "lift_mean": (0, 0, 0), "drag_control_volume": (0, 0, 0), "nusselt": (0, 0, 0), "drag_pressure": (0, 0, 0),
              "drag_viscous": (0, 0, 0), "y_plus_max": (0, 0, 0), "cp_min": (0, 0, 0), "cp_max": (0, 0, 0),
              "error_density_l1": (0, 0, 0)}
# Keys of places, which a shift moves.
PLACES = {"grid.origin", "grid.stretching.from", "grid.stretching.to", "body.position", "body.control_volume", "probe.from", "probe.to",
          "boundary.range", "mesh.generator.origin", "mesh.generator.points", "mesh.generator.at", "flow.initial.centre"}


# Known failures: the check reports one that holds again.
OPEN = {("naca0012_turbulent", "restart"): "rounding, with a ParILUT preconditioner", ("naca0012_turbulent_0", "restart"): "the same",
        ("naca0012_turbulent_15", "restart"): "the same",
        ("ramp_mach3", "units"): "Newton's method amplifies rounding before it has converged",
        ("left_ventricle", "shift"): "the lift changes by 1e-5 of the drag", ("left_ventricle_beat", "shift"): "the same"}


class NotTold(Exception):
    """Why a law says nothing of a case."""


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


def in_other_units(case, keys):
    case = copy.deepcopy(case)
    with_defaults(case, keys)
    units = UNITS[case["case"]["miniapp"]]
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

    def moved(value, name):
        if isinstance(value, list):
            if value and isinstance(value[0], list):
                raise NotTold("ranges of patches")
            dim = len(value) // 2 if name == "body.control_volume" else len(value)
            return [v + by[i % dim] for i, v in enumerate(value)]
        raise NotTold(name + " along one direction")

    def change(name, value):
        if name in PLACES:
            return moved(value, name)
        if isinstance(value, str) and re.search(r"\b[xyz]\b", value) or isinstance(value, list) and any(isinstance(v, str) for v in value):
            raise NotTold("a formula: " + name)
        return value

    return walk(case, "", change)


def short_form(case, steps):
    """A few steps on a grid that is as coarse as the case allows, with solvers that leave rounding alone."""
    case = copy.deepcopy(case)
    for key in ("check", "probe", "surface", "shadow", "select", "relay", "history_reference"):
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
        for line in case["grid"].get("stretching", []):
            if isinstance(line, dict) and "width" in line:
                line["width"] *= 3.7  # no number of cells that rounding decides
    if miniapp == "compressible":
        case.setdefault("pseudo_time", {})["max_steps"] = steps
        case["pseudo_time"].pop("coarse_meshes", None)
        case.setdefault("linear", {}).setdefault("flow", {})["tolerance"] = 1e-9
        generator = case.get("mesh", {}).get("generator", {})
        if "refinement" in generator or generator.get("type") in ("naca0012", "naca", "c_grid"):
            generator["refinement"] = 0.3 * generator.get("refinement", 1)
    return case


class Laws:
    def __init__(self, a, folder):
        self.a, self.folder, self.number = a, folder, 0

    def weir(self, *arguments):
        done = subprocess.run([self.a.weir, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode not in ENDED:
            raise RuntimeError("%s ends with %d: %s" % (arguments[0], done.returncode, (done.stdout + done.stderr)[-400:]))

    def run(self, case, steps):
        """The end of a run, and its directory."""
        self.number += 1
        path, out = self.folder / ("%d.toml" % self.number), self.folder / str(self.number)
        write(case, path)
        self.weir("run", path, "-o", out, "--steps", steps)
        return out

    def end(self, out):
        return json.loads((out / "run.json").read_text())

    def units(self, case, keys):
        miniapp = case["case"]["miniapp"]
        if miniapp == "compressible" and case["mesh"].get("generator", {}).get("type") not in ("box", "cylinder", "bump", "wedge"):
            raise NotTold("the mesh's generator has a length of its own")
        if case["flow"].get("turbulence", "none") == "k_omega" or "speed" in case.get("pseudo_time", {}):
            raise NotTold("scaled by u_tau")
        kinds = [case["flow"].get(key) for key in ("initial", "exact")]
        if any((k.get("type") if isinstance(k, dict) else k) in ("taylor_green_2d", "taylor_green_3d", "isentropic_vortex", "ringleb") for k in kinds):
            raise NotTold("an initial flow with a length of its own")
        if "file" in case.get("body", {}) or case.get("body", {}).get("type") == "left_ventricle":
            raise NotTold("a body with a length or a law of its own")
        here, there = (self.end(self.run(c, STEPS))["quantities"] for c in (case, in_other_units(case, keys)))
        return differences(here, there, lambda powers: factor(powers, UNITS[miniapp]))

    def shift(self, case, keys):
        if "grid" not in case:
            raise NotTold("no grid")
        by = [0.37, -1.21, 2.03][:len(case["grid"]["cells"])]
        here, there = (self.end(self.run(c, STEPS))["quantities"] for c in (case, elsewhere(case, by)))
        return differences(here, there, lambda powers: 1)

    def restart(self, case, keys):
        whole, cut = self.run(case, STEPS), self.run(case, STEPS // 2)
        if self.end(cut)["steps"] != STEPS // 2:
            raise NotTold("ends by itself")
        self.weir("restart", cut, "--steps", STEPS)
        return same_end(self.end(whole), self.end(cut))

    def again(self, case, keys):
        return same_end(self.end(self.run(case, STEPS)), self.end(self.run(case, STEPS)))


def same_end(one, two):
    return ["%s is %s, not %s" % (k, two[k], one[k]) for k in ("state_hash", "steps", "time", "quantities") if one[k] != two[k]]


def differences(here, there, factor_of):
    wrong = []
    for name, powers in QUANTITIES.items():
        if here.get(name) is None or there.get(name) is None:
            continue
        expected = here[name] * factor_of(powers)
        size = max(abs(expected), 1e-3 * abs(here.get("drag", here.get("drag_mean", 0)) or 0))
        if not abs(there[name] - expected) <= TOLERANCE * size + 1e-12:
            wrong.append("%s is %.9g, not %.9g" % (name, there[name], expected))
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("inputs", type=pathlib.Path)
    parser.add_argument("--keys", type=pathlib.Path, default=pathlib.Path(__file__).parents[2] / "docs/reference/keys.md")
    parser.add_argument("--cases", nargs="+")
    parser.add_argument("--laws", nargs="+", default=["units", "shift", "restart", "again"])
    parser.add_argument("--work")
    a = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    files = sorted(p for kind in ("compressible", "immersed", "incompressible") for p in (a.inputs / kind).glob("*.toml"))
    failed = tried = 0
    for path in files:
        if a.cases and path.stem not in a.cases:
            continue
        with tempfile.TemporaryDirectory(prefix="weir_laws_", dir=a.work) as folder:
            for other in path.parent.glob("*.stl"):
                (pathlib.Path(folder) / other.name).symlink_to(other.resolve())
            case = short_form(tomllib.loads(path.read_text()), STEPS)
            keys, laws = read_keys(a.keys, case["case"]["miniapp"]), Laws(a, pathlib.Path(folder))
            for law in a.laws:
                start = time.time()
                try:
                    wrong = getattr(laws, law)(case, keys)
                except NotTold as why:
                    print("%s, %s: left out, %s" % (path.stem, law, why), flush=True)
                    continue
                except RuntimeError as error:
                    wrong = [str(error)]
                tried, is_open = tried + 1, OPEN.get((path.stem, law))
                failed += bool(wrong) and not is_open
                said = "holds" if not wrong else "open, " + is_open if is_open else "FAILED: " + "; ".join(wrong)
                print("%s, %s: %s (%.1f s)" % (path.stem, law, said, time.time() - start), flush=True)
    print("%d laws of cases, %d broken" % (tried, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
