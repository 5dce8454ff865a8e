#!/usr/bin/env python3
"""`weir corpus build | run | merge`: sequences of captured systems of all flows as a benchmark of solvers
(docs/explanation/corpus.md)."""
import argparse
import csv
import hashlib
import os
import shutil
import signal
import sys

sys.dont_write_bytecode = True  # the program's folder may belong to another user

from corpus_build import (FILE_IO, Refused, build, call, damaged, lock, manifest_of, read_json, sha256, version_of,  # noqa: E402
                          write, write_json)
from plots import corpus as page_of  # noqa: E402
from plots import output, page  # noqa: E402

COLUMNS = ("corpus", "manifest", "processor", "threads", "commit", "solver", "settings", "sequence", "step", "solve",
           "repeats", "setup_ms", "solve_ms", "reference_ms", "iterations", "reason")
INTERRUPTED = 130


def run_sequence(weir, a, directory, sequence, common, folder):
    """Rows of the results: each solver on each system; a solver that was left out has one row."""
    study = os.path.join(folder, "study")
    shutil.rmtree(study, ignore_errors=True)
    files = [os.path.join(directory, sequence["folder"], name) for name in sequence["files"]]
    log = call(weir, ["replay", *files, "--solvers", a.solvers, "--repeat", str(a.repeat), "--threads", "1", "-o", study],
               range(10))
    if not os.path.exists(study + "/shadow.csv"):
        raise Refused("%s: the study failed\n%s" % (sequence["name"], log[-1000:]))
    with open(study + "/shadow.csv", newline="", encoding="utf-8") as file:
        solved = list(csv.DictReader(file))
    run = read_json(study + "/run.json")
    common = {**dict.fromkeys(COLUMNS, ""), **common, "processor": run["processor"], "commit": run["build"]["commit"],
              "threads": run["threads"], "sequence": sequence["name"], "repeats": a.repeat}
    reference = {(r["step"], r["solve"]): float(r["setup_ms"]) + float(r["solve_ms"]) for r in solved if r["name"] == "leader"}
    rows = []
    for r in solved:
        if r["name"] == "in the flow" or (r["step"], r["solve"]) not in reference:
            continue
        name = {"leader": page_of.IN_USE, "leader again": page_of.CONTROL}.get(r["name"], r["name"])
        rows.append({**common, "solver": name, "settings": r["solver"], "reference_ms": "%.9g" % reference[r["step"], r["solve"]],
                     **{k: r[k] for k in ("step", "solve", "setup_ms", "solve_ms", "iterations", "reason")}})
    for name, why in run.get("shadow", {}).get("left_out", {}).items():
        rows.append({**common, "solver": name, "reason": page_of.LEFT_OUT + why})
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
        raise Refused("%s: no such file" % a.solvers if a.solvers else "weir corpus run needs --solvers FILE")
    manifest = manifest_of(directory)
    if not manifest["is_finished"]:
        raise Refused("%s: is not finished; repeat weir corpus build, which continues" % directory)
    if wrong := damaged(directory, manifest["sha256"]):
        raise Refused("\n".join([*wrong, "weir corpus build builds these sequences again"]), FILE_IO)
    folder = a.output or os.path.join(directory, "results")
    os.makedirs(folder + "/parts", exist_ok=True)
    lock(folder)
    common = {"corpus": "%s, seed %d" % (manifest["tier"], manifest["seed"]), "manifest": sha256(directory + "/manifest.json")[:16]}
    with open(a.solvers, "rb") as file:
        asked = {"manifest": common["manifest"], "solvers": hashlib.sha256(file.read()).hexdigest(), "repeat": a.repeat,
                 "weir": version_of(weir)}
    if os.path.exists(folder + "/asked.json") and read_json(folder + "/asked.json") != asked:
        raise Refused("%s: holds the results of another corpus, list of solvers, number of repeats or version; "
                      "choose another folder (-o)" % folder)
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
    for name, kind in (("tier", str), ("seed", int), ("jobs", int), ("solvers", str), ("repeat", int),
                       ("output", str)):
        parser.add_argument("--" + name, type=kind)
    parser.add_argument("places", nargs="+")
    a = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
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
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
