#!/usr/bin/env python3
"""Properties of the source tree: ./weir lint checks all of them, ctest all but format and tidy.

    tests/tree/check.py [includes] [folders] [api] [links] [pages] [claims] [words] [format] [tidy]     nothing named: all

includes  the allowed includes (docs/explanation/source_tree.md), and no circle of files
folders   no flat folder of more than 25 source files, tests end in _test, no conditional outside solvers/device
api       docs/reference/api.md is what tests/tree/api.py makes of the public headers, in which every declaration has a comment
links     pages and code name files and headings that exist, and every picture is shown
pages     README, tutorial and how-tos have at most 1,200 lines, the changelog 120
claims    ratios to other libraries name their command and agree with its table (tests/tree/claims.py)
words     pages, messages, comments and option descriptions in plain words (tests/tree/words.py), in the rooms listed there
all_words the same for the whole tree (not part of "all")
format    clang-format changes nothing
tidy      a short list of clang-tidy on base/ and inputs/
"""
import collections
import concurrent.futures
import os
import re
import subprocess
import sys

import api as headers
import claims as ratios
import words as language

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Room -> rooms that it may include in addition to itself. A room is the longest prefix listed here.
FLOOR = ["base", "solvers/device"]
MATRIX = FLOOR + ["mesh/graph", "solvers/parallel", "solvers/matrix"]
METHODS = MATRIX + ["solvers/distributed", "solvers/krylov", "solvers/preconditioner", "solvers/registry.hpp"]
SOLVERS = METHODS + ["solvers"]
FLOW = SOLVERS + ["solvers/adapters", "solvers/diagnosis", "physics", "mesh", "mesh/body", "inputs", "postproc", "miniapps/driver"]
MAY_INCLUDE = {
    "base": [],
    "solvers/device": ["base"],
    "solvers/parallel": FLOOR,
    "mesh/graph": ["base"],
    "solvers/matrix": MATRIX,
    "solvers/distributed": MATRIX,
    "solvers/krylov": METHODS,  # its preconditioner.hpp; those take vector operations from here
    "solvers/preconditioner": METHODS,
    "solvers/plugin": METHODS,
    "solvers/c": SOLVERS + ["inputs/case.hpp", "inputs/clients/weir_capture.h"],
    "solvers": METHODS,
    "solvers/diagnosis": SOLVERS,
    "solvers/adapters": SOLVERS,
    "physics": ["solvers/device/space.hpp"],
    "mesh": ["base", "mesh/graph"],
    "mesh/body": ["base", "mesh", "physics"],
    "inputs": ["base"],
    "postproc": FLOOR + ["solvers/parallel"],
    "miniapps/driver": SOLVERS + ["solvers/diagnosis", "postproc"],
    "miniapps/study": FLOW,  # the flows see of it the interface miniapps/driver/lab.hpp
    "miniapps/structured": FLOW,  # none of the schemes on it
    "miniapps/compressible": FLOW,
    "miniapps/incompressible": FLOW + ["miniapps/structured", "miniapps/artificial_compressibility"],
    "miniapps/artificial_compressibility": FLOW + ["miniapps/structured", "miniapps/incompressible"],
    "miniapps/immersed": FLOW + ["miniapps/structured", "miniapps/incompressible"],
    "miniapps/cli": FLOW + ["miniapps/study"],
    "miniapps": ["miniapps/" + name for name in ("cli", "compressible", "incompressible", "immersed")] + FLOOR,
}


def tracked(*patterns):
    try:
        out = subprocess.run(["git", "-C", ROOT, "ls-files", *patterns], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit("these checks look at the files that git tracks: they need git and a clone, not an archive (%s)" % error)
    return [f for f in out.split("\n") if f and os.path.exists(os.path.join(ROOT, f)) and not os.path.islink(os.path.join(ROOT, f))]


def sources():
    return tracked("*.hpp", "*.cpp", "*.cu")


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def room_of(path):
    return max((r for r in MAY_INCLUDE if path.startswith(r + "/")), key=len, default=None)


def included(path):
    """(line, file) of ours that `path` includes. backend/ is chosen by CMake, and is solvers/device."""
    for number, line in enumerate(text_of(path).split("\n"), 1):
        found = re.match(r'#include "([^"]+)"', line)
        if found and os.path.exists(os.path.join(ROOT, found[1])):
            yield number, found[1]


def may_include(path, other):
    room, theirs = room_of(path), room_of(other)
    return theirs == room or theirs in MAY_INCLUDE[room] or other in MAY_INCLUDE[room]


def includes():
    faults, graph = [], {}
    for path in sources():
        graph[path] = list(included(path))
        if path.startswith("tests/"):
            continue
        faults += [f"{path}:{number}: {room_of(path)} may not include {other}" for number, other in graph[path]
                   if not may_include(path, other)]
    done, way = set(), []

    def visit(path):
        if path in way:
            faults.append("a circle: " + " -> ".join(way[way.index(path):] + [path]))
        elif path not in done:
            way.append(path)
            for _, other in graph.get(path, []):
                visit(other)
            way.pop()
            done.add(path)

    for path in graph:
        visit(path)
    return faults


def folders():
    faults = []
    count = collections.Counter(os.path.dirname(f) for f in sources())
    faults += [f"{folder}: {n} source files in one folder, 25 are enough" for folder, n in count.items() if n > 25]
    for path in sources():
        if path.startswith("tests/") and re.search(r"^TE?ST(_F|_P)?\(|^TYPED_TEST\(", text_of(path), re.M):
            if not re.search(r"_test\.(cpp|cu)$", path):
                faults.append(f"{path}: a file of tests is called x_test")
        if not path.startswith("solvers/device/"):
            for number, line in enumerate(text_of(path).split("\n"), 1):
                if re.match(r"\s*#\s*(if|ifdef|ifndef|elif)\b", line):
                    faults.append(f"{path}:{number}: a conditional outside solvers/device")
    return faults


def headings(path):
    """GitHub's anchors of a page."""
    names = re.findall(r"^#+ (.*)$", text_of(path), re.M)
    return {re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", n)).strip().lower().replace(" ", "-") for n in names}


def api():
    is_new = os.path.exists(os.path.join(ROOT, headers.PAGE)) and text_of(headers.PAGE) == headers.page()
    return list(headers.undocumented()) + ([] if is_new else [f"{headers.PAGE}: stale; tests/tree/api.py --write writes it"])


def links():
    faults, used, files = [], set(), tracked()
    for page in (f for f in files if f.endswith(".md")):
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", text_of(page), flags=re.S)):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), name)) if name else page
            used.add(path)
            if not os.path.exists(os.path.join(ROOT, path)):
                faults.append(f"{page}: no file {target}")
            elif anchor and path.endswith(".md") and anchor not in headings(path):
                faults.append(f"{page}: no heading {target}")
    for path in files:  # code, cases and scripts name pages too
        if not path.endswith((".md", ".png", ".csv", ".h5", ".stl")):
            named = set(re.findall(r"\bdocs/[\w/]+\.md\b", text_of(path)))
            faults += [f"{path}: no page {p}" for p in named if not os.path.exists(os.path.join(ROOT, p))]
    return faults + [f"{f}: no page shows this picture" for f in files if f.startswith("docs/pictures/") and f not in used]


def pages():
    def lines(*patterns):
        return sum(text_of(page).count("\n") for page in tracked(*patterns))

    limits = [(1200, "README.md", "docs/tutorial.md", "docs/howto/*.md"), (120, "CHANGELOG.md")]
    return [f"{' '.join(names)}: {lines(*names)} lines, {most} are enough" for most, *names in limits if lines(*names) > most]


def claims():
    rows = ratios.rows_of(os.path.join(ROOT, ratios.TABLE))
    return [fault for page in tracked("README.md", "docs/*.md") for fault in ratios.faults_of(page, text_of(page), rows)]


def findings():
    files = tracked("*.md", "*.hpp", "*.cpp", "*.cu", "*.cuh", "*.h", "*.py", "*.js", "*.toml", "weir", "*.sh")
    return [(path, fault) for path in files for fault in language.faults_of(path, text_of(path))]


def words():
    return [fault for path, fault in findings() if language.is_enforced(path)]


def all_words():
    return [fault for _, fault in findings()]


def format():
    run = subprocess.run(["clang-format", "--dry-run", *sources()], cwd=ROOT, capture_output=True, text=True)
    wide = [f"{f}:{n}: wider than 120 columns" for f in tracked("*.c", "*.h", "*.hpp", "*.cpp", "*.cu", "*.f90", "*.js")
            if not f.startswith("tests/") and not f.endswith(".min.js")
            for n, line in enumerate(open(os.path.join(ROOT, f), encoding="utf-8"), 1) if len(line.rstrip("\n")) > 120]
    return wide + [line for line in run.stderr.split("\n") if "warning:" in line]


TIDY = "-*,bugprone-*,-bugprone-easily-swappable-parameters,-bugprone-narrowing-conversions,-bugprone-exception-escape," \
       "-bugprone-implicit-widening-of-multiplication-result,performance-*,-performance-no-int-to-ptr," \
       "-performance-enum-size,misc-unused-*,misc-redundant-expression,modernize-use-override"


def tidy():
    files = [f for f in sources() if re.match(r"(base|inputs)/[^/]*\.cpp$", f)]
    lint = ["clang-tidy", "--quiet", "--warnings-as-errors=*", f"--checks={TIDY}"]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = pool.map(lambda f: subprocess.run([*lint, f, "--", "-std=c++20", "-I" + ROOT], cwd=ROOT,
                                                 capture_output=True, text=True), files)
    lines = [line.replace(ROOT + "/", "") for run in runs for line in run.stdout.split("\n")]
    return [line for line in lines if re.search(r"(error|warning):", line)]


def main():
    checks = {f.__name__: f for f in (includes, folders, api, links, pages, claims, words, format, tidy, all_words)}
    named = sys.argv[1:] or [name for name in checks if name != "all_words"]
    failed = False
    for name in named:
        faults = checks[name]()
        failed = failed or bool(faults)
        print(f"{name}: " + ("\n  ".join([f"{len(faults)} faults", *faults]) if faults else "good"))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
