"""Ratios to other libraries in the pages, held to docs/results/peers.csv, which `weir bench peers` writes.

A page marks such a ratio: **5.4** (5.1 to 6.0) <!-- peers: CASE WORK SOLVER -->. It must agree with the CSV to its last digit, and
its section must name the command. A ratio that stands in a table beside the name of a peer, or is called "times faster" than one,
needs the mark, or a section that names another command that measured it.
"""
import csv
import os
import re

TABLE = "docs/results/peers.csv"
MARK = re.compile(r"\*{0,2}([\d.]+)\*{0,2}(?: \(([\d.]+) to ([\d.]+)\))? ?<!-- peers: (\S+) (\S+) (.*?) -->")
PEER = r"hypre|PETSc|PFMG|BoomerAMG|icoFoam|OpenFOAM|FVENS|FFTW|SuperLU"
COMMAND = re.compile(r"`[^`\n]*(bench|anzt-|kashi|weir ab|weir run|\.sh)[^`\n]*`|^    .*(bench|kashi|\.sh|weir)", re.M)


def rows_of(path):
    if not os.path.exists(path):
        return {}
    with open(path, newline="") as file:
        return {(r["case"], r["work"], r["ours"]): r for r in csv.DictReader(file)}


def agrees(shown, value):
    digits = len(shown.partition(".")[2])
    places = 0.5 * 10.0 ** -digits
    return abs(float(shown) - float(value)) <= max(places, 0.0006 * abs(float(value))) * 1.001  # the CSV has four digits


def sections(text):
    """(first line's number, text) from heading to heading."""
    starts = [0] + [m.start() for m in re.finditer(r"^#", re.sub(r"```.*?```", lambda m: " " * len(m[0]), text, flags=re.S), re.M)]
    for begin, end in zip(starts, starts[1:] + [len(text)]):
        yield text.count("\n", 0, begin) + 1, text[begin:end]


def states_ratio(line):
    if not re.search(PEER, line):
        return False
    return bool(re.search(r"\d times (faster|as fast|slower)", line) or (line.startswith("|") and re.search(r"\*\*[\d.]+( to [\d.]+)?\*\*", line)))


def faults_of(page, text, rows):
    faults = []
    for first, section in sections(text):
        for number, line in enumerate(section.split("\n"), first):
            marks = MARK.findall(line)
            for shown, least, greatest, *key in marks:
                row = rows.get(tuple(key))
                if row is None:
                    faults.append(f"{page}:{number}: {TABLE} has no {' '.join(key)}")
                    continue
                pairs = [(shown, "ratio_median")] + ([(least, "ratio_min"), (greatest, "ratio_max")] if least else [])
                faults += [f"{page}:{number}: {value}, {TABLE} has {row[name]}" for value, name in pairs if not agrees(value, row[name])]
            if marks and "weir bench peers" not in section:
                faults.append(f"{page}:{number}: the section does not name `weir bench peers`")
            if line.count("<!-- peers:") != len(marks):
                faults.append(f"{page}:{number}: a mark without its ratio before it")
            if not marks and states_ratio(line) and not COMMAND.search(section):
                faults.append(f"{page}:{number}: a ratio to another library without its command")
    return faults
