#!/usr/bin/env python3
"""`weir corpus build | run | merge`: sequences of captured systems of all flows as a benchmark of solvers (docs/explanation/corpus.md)."""
import argparse
import concurrent.futures
import csv
import hashlib
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True  # the program's folder may belong to another user

from plots import corpus as page_of  # noqa: E402
from plots import output, page, records  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
STANDARD = ("bicgstab+jacobi", "gmres+block_ilu0", "fgmres+aggregation")  # described by their iterations to 1e-8
UNITS = {"u": "L/T", "v": "L/T", "w": "L/T", "p": "L2/T2", "T": "K", "k": "L2/T2", "omega": "1/T", "rho": "M/L3", "rho_u": "M/(L2 T)",
         "rho_v": "M/(L2 T)", "rho_E": "M/(L T2)", "rho_nu": "M/(L T)", "rho_k": "M/(L T2)", "rho_omega": "M/(L3 T)"}
LICENCE = ("CC-BY-4.0", "https://creativecommons.org/licenses/by/4.0/")
COLUMNS = ("corpus", "manifest", "processor", "threads", "commit", "solver", "settings", "sequence", "step", "solve", "repeats", "setup_ms",
           "solve_ms", "reference_ms", "iterations", "reason")
USAGE, FILE_IO, CHECK_FAILED = 2, 6, 5  # exit codes of weir


class Refused(Exception):
    def __init__(self, words, code=USAGE):
        super().__init__(words)
        self.code = code


def write(path, text):
    with output.aside(path) as partial, open(partial, "w", encoding="utf-8") as file:
        file.write(text)


def write_json(path, what):
    write(path, json.dumps(what, indent=1, ensure_ascii=False) + "\n")


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        raise Refused("%s: cannot be read: %s" % (path, error), FILE_IO) from None


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def call(weir, arguments, allowed=(0,)):
    """The output of the program."""
    done = subprocess.run([weir, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in allowed:
        raise Refused("weir %s: exit code %d\n%s" % (" ".join(arguments), done.returncode, done.stdout[-1000:]), max(done.returncode, 1))
    return done.stdout


def version_of(weir):
    """ "weir 0.3.0, commit 0123456789ab" """
    lines = call(weir, ["--version"]).split("\n")
    return "%s, commit %s" % (lines[0], lines[1].split()[-1])


# ---- build

def toml_value(value):
    return json.dumps(value) if not isinstance(value, dict) else "{ %s }" % ", ".join("%s = %s" % (k, toml_value(v)) for k, v in value.items())


def varied(value, low, high, draw):
    """A number, or each number of a list, times a factor between low and high; integers stay even integers."""
    factor = math.exp(draw.uniform(math.log(low), math.log(high)))

    def times(v):
        return 2 * max(1, round(v * factor / 2)) if isinstance(v, int) else float("%.4g" % (v * factor))
    return [times(v) for v in value] if isinstance(value, list) else times(value)


def recipe_of(entry, seed, version):
    """The run that makes the sequences of an entry of the list; seed 0: as listed."""
    changes, draw = dict(entry.get("set", {})), random.Random("%s %d" % (entry["name"], seed))
    if seed:
        for key, (low, high) in sorted(entry.get("vary", {}).items()):
            changes[key] = varied(changes[key], low, high, draw)
    first, count = entry["first"], entry.get("systems", 6)
    steps = range(first, first + count)
    return {"name": entry["name"], "case": entry["case"], "set": ["%s=%s" % (k, toml_value(v)) for k, v in changes.items()],
            "unset": entry.get("unset", []), "steps": list(steps), "seed": seed, **version}


def build_run(weir, recipe, folder):
    """Runs the case and sorts what it captured into folder/SYSTEM."""
    partial = folder + ".partial"
    shutil.rmtree(partial, ignore_errors=True)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    last = recipe["steps"][-1]
    command = ["run", os.path.join(HERE, "../../inputs", recipe["case"]), "-o", partial + "/run", "--steps", str(last), "--threads", "1", "--space", "host",
               "--deterministic", "-q"]
    with open(os.path.join(HERE, "../../inputs", recipe["case"]), "rb") as file:
        given = records.tomllib.load(file)
    for key in (*(k for k in ("check", "probe", "surface", "shadow", "relay", "select") if k in given), *recipe["unset"]):
        command += ["--unset", key]
    rule = ",".join(map(str, recipe["steps"]))
    capture = ["output.report=false", 'capture={ when = "steps:%s", answer = true, timings = false, most = 1000 }' % rule]
    for change in recipe["set"] + capture:
        command += ["--set", change]
    call(weir, command)
    found = os.path.join(partial, "run", "capsules")
    names = sorted(os.listdir(found)) if os.path.isdir(found) else []
    patterns = {name: int(name[8:24], 16).to_bytes(8, "little") for name in names if name.startswith("pattern_")}
    for name in names:
        match = re.fullmatch(r"(.+?)_(\d{8})_(\d+)\.h5", name)  # a further component, SYSTEM_1_..., is left out
        if name in patterns or not match or re.search(r"_\d$", match[1]):
            continue
        to = os.path.join(partial, "sequences", match[1])
        os.makedirs(to, exist_ok=True)
        with open(os.path.join(found, name), "rb") as file:
            data = file.read()
        for pattern, mark in patterns.items():
            if mark in data and not os.path.exists(os.path.join(to, pattern)):
                shutil.copy(os.path.join(found, pattern), to)
        shutil.move(os.path.join(found, name), to)
    if not os.path.isdir(partial + "/sequences"):
        raise Refused("%s captured nothing: the run ended before step %d" % (recipe["name"], recipe["steps"][0]))
    for system in sorted(os.listdir(partial + "/sequences")):
        shutil.copy(partial + "/run/config.effective.toml", os.path.join(partial, "sequences", system, "case.toml"))
    sequences = [described(weir, recipe, system, os.path.join(partial, "sequences", system)) for system in sorted(os.listdir(partial + "/sequences"))]
    write_json(partial + "/sequences/recipe.json", {"recipe": recipe, "sequences": sequences})
    shutil.rmtree(folder, ignore_errors=True)
    os.rename(partial + "/sequences", folder)
    shutil.rmtree(partial)


def number_in(text, pattern):
    found = re.search(pattern, text, re.M)
    return float(found[1]) if found else None


def described(weir, recipe, system, folder):
    """What matters of a sequence, from weir doctor and weir solve on its last system."""
    systems = [n for n in sorted(os.listdir(folder)) if n.endswith(".h5") and not n.startswith("pattern_")]
    last = os.path.join(folder, systems[-1])
    words = call(weir, ["doctor", last], (0, CHECK_FAILED))
    head = re.search(r"(\d+) unknowns in blocks of (\d+)", words)
    solver = re.search(r"^reference solver: (.*?), (\S+ (?:relative to .*|absolute) in the (?:l2|max) norm)", words, re.M)
    rows, violated = (number_in(words, r"^. dominance +strict in %s" % p) for p in (r"\d+ of (\d+)", r".*violated in (\d+)"))
    text = call(weir, ["solve", last, "--tolerance", "1e-8", "--max-iterations", "2000", *(w for s in STANDARD for w in ("--solver", s))], range(10))
    iterations = {}
    for name in STANDARD:
        row = re.search(r"^%s +\S+ +\S+ +(\d+) .* (\w+)$" % re.escape(name), text, re.M)
        iterations[name] = int(row[1]) if row and row[2] == "converged" else None
    condition = re.search(r"^. condition +(about|at least) (\S+)", words, re.M)
    return {"name": "%s.%s" % (recipe["name"], system), "folder": "%s/%s" % (recipe["name"], system), "case": recipe["case"], "system": system,
            "files": systems, "unknowns": int(head[1]), "block": int(head[2]), "entries": int(number_in(words, r"rows, (\d+) entries")),
            "solver": solver[1] if solver else "", "criterion": solver[2] if solver else "",
            "symmetric": " symmetry      symmetric" in words, "constant_null_space": "constant vectors are its null space" in words,
            "aspect_ratio_median": number_in(words, r"aspect ratio +median ([^,]+),"), "aspect_ratio": number_in(words, r"aspect ratio .*largest ([^:]+):"),
            "dominant_rows": 1 - violated / rows if rows and violated is not None else None,
            "condition": float(condition[2]) if condition else None, "condition_is_bound": bool(condition and condition[1] != "about"),
            "iterations": iterations}


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(root, name), folder) for root, _, names in os.walk(folder) for name in names)


def build(weir, a):
    path = a.tier if a.tier.endswith(".toml") else os.path.join(HERE, "corpus", a.tier + ".toml")
    if records.tomllib is None:
        raise Refused("weir corpus needs Python 3.11 or newer")
    if not os.path.exists(path):
        raise Refused("%s: no such list of cases" % path)
    with open(path, "rb") as file:
        listed = records.tomllib.load(file)
    directory = a.places[0]
    if os.path.isdir(directory) and os.listdir(directory) and not os.path.isdir(directory + "/data"):
        raise Refused("%s: exists and is not the folder of a corpus" % directory)
    words = version_of(weir)
    recipes = [recipe_of(entry, a.seed, {"weir": words}) for entry in listed["run"]]
    os.makedirs(directory + "/data", exist_ok=True)

    def make(recipe):
        folder = os.path.join(directory, "data", recipe["name"])
        kept = os.path.join(folder, "recipe.json")
        if not (os.path.exists(kept) and read_json(kept)["recipe"] == recipe):
            build_run(weir, recipe, folder)
        return recipe["name"]

    with concurrent.futures.ThreadPoolExecutor(a.jobs or os.cpu_count()) as pool:
        for k, job in enumerate(concurrent.futures.as_completed([pool.submit(make, r) for r in recipes])):
            print("[%d/%d] %s" % (k + 1, len(recipes), job.result()), flush=True)
    finish_build(directory, a, listed, recipes, words)
    return 0


def finish_build(directory, a, listed, recipes, words):
    wanted = {r["name"] for r in recipes}
    for other in set(os.listdir(directory + "/data")) - wanted:  # of an older list
        shutil.rmtree(os.path.join(directory, "data", other))
    sequences = [s for r in recipes for s in read_json(os.path.join(directory, "data", r["name"], "recipe.json"))["sequences"]]
    files = {"data/" + name: sha256(os.path.join(directory, "data", name)) for name in files_below(directory + "/data")}
    size = sum(os.path.getsize(os.path.join(directory, name)) for name in files)
    title = listed["title"] + (", held-out tier of seed %d" % a.seed if a.seed else "")
    tier = os.path.splitext(os.path.basename(a.tier))[0]
    write_json(directory + "/manifest.json", {
        "format": "weir-corpus", "schema": 1, "title": title, "tier": tier, "seed": a.seed, "weir": words, "licence": LICENCE[0], "bytes": size,
        "units": UNITS, "recipes": {r["name"]: r for r in recipes}, "sequences": sequences, "sha256": files})
    write(directory + "/SHA256SUMS", "".join("%s  %s\n" % (value, name) for name, value in files.items()))
    about = "%d sequences of linear systems from implicit flow solvers, %d systems." % (len(sequences), sum(len(s["files"]) for s in sequences))
    write_json(directory + "/schema.org.json", {
        "@context": "https://schema.org", "@type": "Dataset", "name": title, "description": about, "license": LICENCE[1], "version": words,
        "isAccessibleForFree": True, "keywords": ["sparse linear systems", "preconditioners", "computational fluid dynamics"],
        "measurementTechnique": "captured in the time loop", "contentSize": "%d bytes" % size,
        "creator": {"@type": "Organization", "name": "Weir"}})
    write_json(directory + "/datacite.json", {
        "data": {"type": "dois", "attributes": {
            "titles": [{"title": title}], "creators": [{"name": "Weir", "nameType": "Organizational"}], "publisher": "Weir", "version": words,
            "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Sequences of linear systems"}, "formats": ["application/x-hdf5"],
            "descriptions": [{"description": about, "descriptionType": "Abstract"}], "sizes": ["%d bytes" % size],
            "rightsList": [{"rights": LICENCE[0], "rightsUri": LICENCE[1]}], "subjects": [{"subject": "sparse linear systems"}]}}})
    page.make(directory + "/report.html", lambda: page_of.describe(directory, read_json(directory + "/manifest.json"), STANDARD), False)
    print("%s %.1f MB, %s/report.html" % (about, 1e-6 * size, directory))


# ---- run

def checked(directory):
    """The manifest of a corpus whose files are as they were built."""
    manifest = read_json(directory + "/manifest.json")
    if manifest.get("format") != "weir-corpus" or manifest.get("schema") != 1:
        raise Refused("%s/manifest.json: expected a weir-corpus of schema 1" % directory, FILE_IO)
    wrong = []
    for name, value in manifest["sha256"].items():
        path = os.path.join(directory, name)
        if not os.path.exists(path):
            wrong.append(path + ": is missing")
        elif sha256(path) != value:
            wrong.append(path + ": is damaged: its SHA-256 differs from the manifest")
    if wrong:
        raise Refused("\n".join(wrong), FILE_IO)
    return manifest


def run_sequence(weir, a, directory, sequence, common, folder):
    """Rows of the results: each solver on each system; a solver that was left out has one row."""
    study = os.path.join(folder, "study")
    shutil.rmtree(study, ignore_errors=True)
    log = call(weir, ["replay", os.path.join(directory, "data", sequence["folder"]), "--system", sequence["system"], "--solvers", a.solvers,
                      "--repeat", str(a.repeat), "--threads", "1", "-o", study], range(10))
    if not os.path.exists(study + "/shadow.csv"):
        raise Refused("%s: the study failed\n%s" % (sequence["name"], log[-1000:]), 1)
    with open(study + "/shadow.csv", newline="") as file:
        solved = list(csv.DictReader(file))
    run = read_json(study + "/run.json")
    common = {**common, "processor": run["processor"], "commit": run["build"]["commit"], "threads": run["threads"], "sequence": sequence["name"],
              "repeats": a.repeat}
    reference = {(r["step"], r["solve"]): float(r["setup_ms"]) + float(r["solve_ms"]) for r in solved if r["name"] == "leader"}
    rows = []
    for r in solved:
        if r["name"] == "in the flow" or (r["step"], r["solve"]) not in reference:
            continue
        name = {"leader": "solver in use", "leader again": "A/A control"}.get(r["name"], r["name"])
        rows.append({**common, "solver": name, "settings": r["solver"], "reference_ms": "%.9g" % reference[r["step"], r["solve"]],
                     **{k: r[k] for k in ("step", "solve", "setup_ms", "solve_ms", "iterations", "reason")}})
    for name, why in run.get("shadow", {}).get("left_out", {}).items():
        rows.append({**common, "solver": name, "settings": "", "step": "", "solve": "", "setup_ms": "", "solve_ms": "", "reference_ms": "",
                     "iterations": "", "reason": "left out: " + why})
    shutil.rmtree(study)
    return rows


def write_rows(path, rows):
    with output.aside(path) as partial, open(partial, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def read_rows(path):
    path = os.path.join(path, "results.csv") if os.path.isdir(path) else path
    try:
        with open(path, newline="", encoding="utf-8") as file:
            table = csv.DictReader(file)
            rows = list(table)
    except (OSError, ValueError) as error:
        raise Refused("%s: cannot be read: %s" % (path, error), FILE_IO) from None
    if tuple(table.fieldnames or ()) != COLUMNS:
        raise Refused("%s: expected the columns %s" % (path, ",".join(COLUMNS)))
    return rows


def run(weir, a):
    directory = a.places[0]
    if not a.solvers or not os.path.exists(a.solvers):
        raise Refused("weir corpus run needs --solvers FILE" if not a.solvers else "%s: no such file" % a.solvers)
    manifest = checked(directory)
    folder = a.output or os.path.join(directory, "results")
    os.makedirs(folder + "/parts", exist_ok=True)
    common = {"corpus": "%s, seed %d" % (manifest["tier"], manifest["seed"]), "manifest": sha256(directory + "/manifest.json")[:16]}
    with open(a.solvers, "rb") as file:
        asked = {"manifest": common["manifest"], "solvers": hashlib.sha256(file.read()).hexdigest(), "repeat": a.repeat,
                 "weir": version_of(weir)}
    if os.path.exists(folder + "/asked.json") and read_json(folder + "/asked.json") != asked:
        raise Refused("%s: holds the results of another corpus, list of solvers or version; choose another folder (-o)" % folder)
    write_json(folder + "/asked.json", asked)
    rows = []
    for k, sequence in enumerate(manifest["sequences"]):
        part = os.path.join(folder, "parts", sequence["name"] + ".csv")
        if not os.path.exists(part):
            write_rows(part, run_sequence(weir, a, directory, sequence, common, folder))
        rows += read_rows(part)
        print("[%d/%d] %s" % (k + 1, len(manifest["sequences"]), sequence["name"]), flush=True)
    return publish(folder, rows)


def publish(folder, rows):
    write_rows(folder + "/results.csv", rows)
    ranking = page_of.Ranking(rows)
    write(folder + "/ranking.csv", ranking.csv())
    page.make(folder + "/report.html", lambda: ranking.page(folder), False)
    print(ranking.text() + "%s/results.csv, %s/ranking.csv, %s/report.html" % (folder, folder, folder))
    return 0


def merge(weir, a):
    if not a.output:
        raise Refused("weir corpus merge needs -o DIR")
    rows = {}
    for place in a.places:
        for row in read_rows(place):
            rows[tuple(row[c] for c in COLUMNS)] = row
    corpora = sorted({row["manifest"] for row in rows.values()})
    if len(corpora) > 1:
        raise Refused("the results belong to several corpora (manifests %s)" % ", ".join(corpora))
    os.makedirs(a.output, exist_ok=True)
    return publish(a.output, list(rows.values()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("what", choices=("build", "run", "merge"))
    for name, kind in (("tier", str), ("seed", int), ("jobs", int), ("solvers", str), ("repeat", int), ("output", str)):
        parser.add_argument("--" + name, type=kind)
    parser.add_argument("places", nargs="+")
    a = parser.parse_args()
    try:
        if a.what != "merge" and len(a.places) != 1:
            raise Refused("weir corpus %s takes one folder" % a.what)
        return {"build": build, "run": run, "merge": merge}[a.what](a.weir, a)
    except Refused as error:
        print("weir: %s" % error, file=sys.stderr)
        return error.code
    except OSError as error:
        print("weir: %s" % error, file=sys.stderr)
        return FILE_IO
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
