"""Contents of a run directory. A missing or broken part is None, with the reason in `missing`."""
import csv
import glob
import json
import os
import re

import numpy as np

from . import vtkhdf

try:
    import tomllib
except ImportError:  # Python before 3.11
    tomllib = None


PUBLISHED = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))), "reference")


def read_csv(path):
    """Columns by name: arrays of floats (nan where empty) or, where a column holds words, lists of strings."""
    with open(path, newline="") as file:
        rows = [row for row in csv.reader(line for line in file if not line.startswith("#"))]
    if not rows:
        raise ValueError("it is empty")
    names, rows = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    columns = {}
    for i, name in enumerate(names):
        words = [row[i] for row in rows]
        try:
            columns[name] = np.array([float(w) if w else np.nan for w in words])
        except ValueError:
            columns[name] = words
    return columns


def published_source(file):
    """The line in the header of a reference file that names the source of the numbers."""
    path = file if "/" in file else os.path.join(PUBLISHED, file)
    try:
        with open(path) as text:
            head = [line[1:].strip() for line in text if line.startswith("#")]
    except OSError:
        return file
    for line in head:
        found = re.match(r"Sources?: *(.*?)(?: *Found in:| *CONFIDENCE|$)", line, re.IGNORECASE)
        if found and found.group(1):
            return re.split(r"\. (?=B&P)", found.group(1))[0].rstrip(" .")
    for line in head:  # some name their source in running text
        found = re.search(r"(Ghia, Ghia & Shin, JCP 48 \(1982\) 387|van Rees.*?2794)", line)
        if found:
            return found.group(1)
    return file


class RunDirectory:
    def __init__(self, path):
        self.path = path
        self.missing = []  # (what, why)
        self.run = self._try("run.json", self._json) or {}
        self.config_text = self._try("config.effective.toml", self._text)
        self.config = self._parse_config()
        self.history = self._try("history.csv", read_csv)
        self.solves = self._try("solves.csv", read_csv)
        self.events = self._try("events.jsonl", self._lines) or []

    def file(self, name):
        return os.path.join(self.path, name)

    def has(self, name):
        return os.path.exists(self.file(name))

    def branches(self):
        """Whether candidates have run branches (closed loop)."""
        return bool((self.run.get("relay") or {}).get("solvers"))

    def leave_out(self, what, why):
        self.missing.append((what, str(why)))

    def _try(self, name, read):
        try:
            return read(self.file(name))
        except FileNotFoundError:
            self.leave_out(name, "there is no such file")
        except (OSError, ValueError, UnicodeError) as error:
            self.leave_out(name, "cannot be read: %s" % error)
        return None

    @staticmethod
    def _text(path):
        with open(path) as file:
            return file.read()

    @staticmethod
    def _json(path):
        with open(path) as file:
            value = json.load(file)
        if not isinstance(value, dict):
            raise ValueError("not a table")
        return value

    @staticmethod
    def _lines(path):
        events = []
        with open(path) as file:
            for line in file:
                try:
                    events.append(json.loads(line))
                except ValueError:
                    pass  # a kill may leave half a last line
        return [e for e in events if isinstance(e, dict)]

    def _parse_config(self):
        if self.config_text is None:
            return {}
        if tomllib is None:
            self.leave_out("the case's tables", "this Python has no tomllib (3.11 or newer)")
            return {}
        try:
            return tomllib.loads(self.config_text)
        except tomllib.TOMLDecodeError as error:
            self.leave_out("config.effective.toml", "cannot be read: %s" % error)
            return {}

    def table(self, *keys):
        value = self.config
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return value if isinstance(value, dict) else {}

    def is_steady(self):
        """True for runs without physical time: the steps are those of pseudo-time, and the column `time` counts them."""
        time = self.table("time")
        compressible = "compressible" in (self.run.get("miniapp"), self.table("case").get("miniapp"))
        return not time.get("end") if compressible else bool(time.get("steady"))

    def checks(self):
        """[check] against run.json's quantities: (name, computed or None, value, tolerance, holds)."""
        quantities = self.run.get("quantities") or {}
        rows = []
        for name, wanted in self.table("check").items():
            if not isinstance(wanted, dict) or "tolerance" not in wanted:
                continue
            value, tolerance = wanted.get("value", 0.0), wanted["tolerance"]
            computed = quantities.get(name)
            holds = isinstance(computed, (int, float)) and abs(computed - value) <= tolerance
            rows.append((name, computed, value, tolerance, holds))
        return rows

    def probes(self):
        """(name, columns, comparison or None, [[probe]] table or {})"""
        tables = {t.get("name"): t for t in self.config.get("probe", []) if isinstance(t, dict)}
        found = []
        for path in sorted(glob.glob(os.path.join(self.path, "probes", "*.csv"))):
            name = os.path.splitext(os.path.basename(path))[0]
            if name.endswith("_reference"):
                continue
            relative = os.path.join("probes", name + ".csv")
            columns = self._try(relative, read_csv)
            comparison = None
            if os.path.exists(path[:-4] + "_reference.csv"):
                comparison = self._try(relative[:-4] + "_reference.csv", read_csv)
            if columns is not None:
                found.append((name, columns, comparison, tables.get(name, {})))
        return found

    def published_histories(self):
        """quantity -> (times, values, source), from history_reference.csv; most runs have none."""
        if not os.path.exists(self.file("history_reference.csv")):
            return {}
        columns = self._try("history_reference.csv", read_csv)
        if columns is None or not isinstance(columns.get("quantity"), list):
            return {}
        files = {t.get("quantity"): t.get("reference", {}).get("file", "")
                 for t in self.config.get("history_reference", []) if isinstance(t, dict)}
        names = np.array(columns["quantity"])
        return {name: (columns["time"][names == name], columns["published"][names == name],
                       published_source(files.get(name, ""))) for name in dict.fromkeys(columns["quantity"])}

    def fields(self):
        """(time, path) of each file of fields, ascending: those that a .pvd names, or else .vtkhdf files. A body's surface has
        files of its own."""
        found = []
        for pvd in sorted(glob.glob(os.path.join(self.path, "vtk", "*.pvd"))):
            text = self._text(pvd)
            for element in re.findall(r"<DataSet\b[^>]*>", text):
                time = re.search(r'timestep="([^"]*)"', element)
                file = re.search(r'file="([^"]*)"', element)
                if time and file and file.group(1).endswith((".vtr", ".vtu")):
                    found.append((float(time.group(1)), os.path.join(os.path.dirname(pvd), file.group(1))))
        return sorted(found or [(vtkhdf.time(path), path) for path in self._vtkhdf()], key=lambda one: one[0])

    def _vtkhdf(self):
        return [p for p in sorted(glob.glob(os.path.join(self.path, "vtk", "*.vtkhdf"))) if "_body_" not in os.path.basename(p)]

    def last_fields(self):
        """The path of the latest, or None."""
        found = self.fields()
        return found[-1][1] if found else None
