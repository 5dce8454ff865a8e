"""Changed forms of a case, for the laws: short, in other units, shifted, turned, with a third dimension, on a changed mesh."""
import copy
import json
import re

# Keys of places, which a shift moves.
PLACES = {"grid.origin", "body.position", "body.control_volume"}
# Vectors, which a turned box turns.
VECTORS = {"flow.body_force", "flow.body_force.direction", "flow.initial_velocity", "flow.exact_velocity", "temperature.gravity",
           "scalar.gravity", "boundary.velocity", "body.position", "body.motion.velocity", "body.motion.amplitude"}


def bodies_of(case):
    body = case.get("body", [])
    return body if isinstance(body, list) else [body]


class NotTold(Exception):
    """Why a law says nothing of a case."""


class Refused(NotTold):
    """The program takes no such case: exit code 2."""


def power(unit):
    """Of length, time and density; None: a unit that is none of these."""
    total = [0, 0, 0]
    for place, part in enumerate(unit.split("/")):
        for word in part.replace("\\*", " ").split():  # "density \\* length^2", as the page escapes it
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
    if isinstance(case.get("body"), list):
        for body in case["body"]:
            with_defaults({**case, "body": body}, {k: v for k, v in keys.items() if k.startswith("body.")})
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

    angles = [copy.deepcopy(m) for m in motions_of(case)]
    case = walk(case, "", change)
    for before, after in zip(angles, motions_of(case)):  # the amplitude of an oscillation is a length, others are angles and strains
        if "amplitude" in before and before["type"] != "oscillation":
            after["amplitude"] = before["amplitude"]
    return case


def motions_of(case):
    lists = [body.get("motion", []) for body in bodies_of(case)]
    return [m for motions in lists for m in (motions if isinstance(motions, list) else [motions])]


def elsewhere(case, by):
    case = copy.deepcopy(case)
    for table, key in [(case["grid"], "origin")] + [(body, "position") for body in bodies_of(case)]:
        table.setdefault(key, [0.0] * len(case["grid"]["cells"]))

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
    grid, flow, names = case["grid"], case["flow"], "xyz"
    for body in bodies_of(case):
        if any(body.get(k) for k in ("angle", "angular_velocity")) or body.get("type") in ("aerofoil", "polygon", "stl", "left_ventricle"):
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

    for body in bodies_of(case):
        for key in ("lengths", "diameters"):
            if key in body:
                body[key] = [body[key][a] for a, sign in axes]
        if "control_volume" not in body:
            continue
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
    grid = case["grid"]
    grid["length"] = grid.get("length", [1.0, 1.0]) + [1.0]
    grid["cells"] = grid["cells"] + [4]
    for key, value in (("origin", 0.0), ("stretching", "uniform")):
        if key in grid:
            grid[key] = grid[key] + [value]
    for end in ("min", "max"):
        case.setdefault("boundary", {})["z_" + end] = {"type": "periodic"}
    for body in bodies_of(case):
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
    for table in (case.get("mesh", {}), *bodies_of(case)):
        if "file" in table:
            table["file"] = str((folder / table["file"]).resolve())
    for key in ("check", "probe", "point", "surface", "shadow", "select", "relay", "history_reference"):
        case.pop(key, None)
    miniapp = case["case"]["miniapp"]
    case["output"] = {"report": False}
    if miniapp == "immersed" and len(case["grid"]["cells"]) == 3:
        for body in bodies_of(case):
            body.setdefault("reference_area", 1.0)  # its default is a length
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
