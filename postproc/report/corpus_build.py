"""`weir corpus build`: sequences of captured systems of all flows (docs/explanation/corpus.md)."""
import concurrent.futures
import fcntl
import hashlib
import json
import math
import os
import random
import re
import shutil
import subprocess

from plots import corpus as page_of
from plots import output, page, records

HERE = os.path.dirname(os.path.abspath(__file__))
INPUTS = os.path.join(HERE, "../../inputs")
STANDARD = ("bicgstab+jacobi", "gmres+block_ilu0", "fgmres+aggregation")  # described by their iterations to 1e-8
STUDIES = ("check", "probe", "surface", "shadow", "relay", "select", "capture")  # tables of a case that are left out
UNITS = {"u": "L/T", "v": "L/T", "w": "L/T", "p": "L2/T2", "T": "K", "k": "L2/T2", "omega": "1/T", "rho": "M/L3",
         "rho_u": "M/(L2 T)", "rho_v": "M/(L2 T)", "rho_E": "M/(L T2)", "rho_nu": "M/(L T)", "rho_k": "M/(L T2)",
         "rho_omega": "M/(L3 T)"}
LICENCE = ("CC-BY-4.0", "https://creativecommons.org/licenses/by/4.0/")
USAGE, CHECK_FAILED, FILE_IO = 2, 5, 6  # exit codes of weir


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


def damaged(folder, sums):
    """The files that are not as they were built, in words."""
    paths = [(os.path.join(folder, name), value) for name, value in sums.items()]
    return [p + (": is damaged: its SHA-256 is not the one of the manifest" if os.path.exists(p) else ": is missing")
            for p, value in paths if not os.path.exists(p) or sha256(p) != value]


def call(weir, arguments, allowed=(0,)):
    """The output of the program."""
    done = subprocess.run([weir, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          stdin=subprocess.DEVNULL, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode not in allowed:
        raise Refused("weir %s: exit code %d\n%s" % (" ".join(arguments), done.returncode, done.stdout[-1000:]),
                      max(done.returncode, 1))
    return done.stdout


def version_of(weir):
    """ "weir 0.3.0, commit 0123456789ab" """
    lines = call(weir, ["--version"]).split("\n")
    return "%s, commit %s" % (lines[0], lines[1].split()[-1])


def manifest_of(directory):
    manifest = read_json(directory + "/manifest.json")
    if not isinstance(manifest, dict) or manifest.get("format") != "weir-corpus" or manifest.get("schema") != 1:
        raise Refused("%s/manifest.json: expected a weir-corpus of schema 1" % directory, FILE_IO)
    return manifest


def toml_value(value):
    if isinstance(value, dict):
        return "{ %s }" % ", ".join("%s = %s" % (k, toml_value(v)) for k, v in value.items())
    return "[%s]" % ", ".join(map(toml_value, value)) if isinstance(value, list) else json.dumps(value)


def varied(value, draw):
    """A number, or each number of a list, times a factor of 0.7 to 1.4; integers become even integers."""
    factor = math.exp(draw.uniform(math.log(0.7), math.log(1.4)))

    def times(v):
        return 2 * max(1, round(v * factor / 2)) if isinstance(v, int) else float("%.4g" % (v * factor))
    return [times(v) for v in value] if isinstance(value, list) else times(value)


def recipe_of(entry, seed, version):
    """The run that makes the sequences of an entry of the list; seed 0: as listed."""
    draw = random.Random("%s %d" % (entry["name"], seed))
    changes = {k: varied(v, draw) if seed else v for k, v in sorted(entry["set"].items())} | entry.get("fixed", {})
    first = entry.get("first", 10)
    steps = range(first, first + entry.get("steps", 4))
    return {"name": entry["name"], "case": entry["case"], "set": ["%s=%s" % (k, toml_value(v)) for k, v in changes.items()],
            "unset": entry.get("unset", []), "steps": list(steps), "seed": seed, "weir": version}


def run_case(weir, recipe, folder):
    """Runs the case in a folder and captures its systems there."""
    case = os.path.join(INPUTS, recipe["case"])
    with open(case, "rb") as file:
        given = records.tomllib.load(file)
    command = ["run", case, "-o", folder, "--steps", str(recipe["steps"][-1]), "--threads", "1", "--space", "host",
               "--deterministic", "-q"]
    for key in (*(k for k in STUDIES if k in given), *recipe["unset"]):
        command += ["--unset", key]
    capture = 'capture={ when = "steps:%s", answer = true, timings = false, most = 1000, most_mb = 5000 }' % ",".join(
        map(str, recipe["steps"]))
    for change in (*recipe["set"], "output.report=false", capture):
        command += ["--set", change]
    call(weir, command)


def keep_systems(found, to):
    """Moves the captured systems and their patterns, without further components (SYSTEM_1_...). SYSTEM -> files."""
    names = sorted(os.listdir(found)) if os.path.isdir(found) else []
    marks = {name: int(name[8:24], 16).to_bytes(8, "little") for name in names if name.startswith("pattern_")}
    systems, used = {}, set()
    for name in names:
        match = re.fullmatch(r"(.+?)(_\d+)?_\d{8}_\d+\.h5", name)
        if name in marks or not match or match[2]:
            continue
        with open(os.path.join(found, name), "rb") as file:
            data = file.read()
        used.update(pattern for pattern, mark in marks.items() if mark in data)
        systems.setdefault(match[1], []).append(name)
    for name in (*used, *(name for files in systems.values() for name in files)):
        os.rename(os.path.join(found, name), os.path.join(to, name))
    return systems


def build_run(weir, recipe, folder):
    """Runs the case and keeps what it captured in folder; a folder of that name is complete."""
    partial = folder + ".partial"
    for old in (partial, folder):
        shutil.rmtree(old, ignore_errors=True)
    os.makedirs(partial)
    run = partial + "/run"
    run_case(weir, recipe, run)
    systems = keep_systems(run + "/capsules", partial)
    if not systems:
        raise Refused("%s captured nothing: the run ended before step %d" % (recipe["name"], recipe["steps"][0]))
    os.rename(run + "/config.effective.toml", partial + "/case.toml")
    shutil.rmtree(run)
    sequences = [described(weir, recipe, system, partial, files) for system, files in systems.items()]
    sums = {name: sha256(os.path.join(partial, name)) for name in sorted(os.listdir(partial))}
    write_json(partial + "/recipe.json", {"recipe": recipe, "sequences": sequences, "sha256": sums})
    os.rename(partial, folder)


def number_in(text, pattern):
    found = re.search(pattern, text, re.M)
    return float(found[1]) if found else None


def described(weir, recipe, system, folder, files):
    """The properties of a sequence in the report, by weir doctor and weir solve on its last system."""
    last = os.path.join(folder, files[-1])
    words = call(weir, ["doctor", last], (0, CHECK_FAILED))
    head = re.search(r"(\d+) unknowns in blocks of (\d+)", words)
    criterion = r"\S+ (?:relative to .*|absolute) in the (?:l2|max) norm"
    solver = re.search(r"^reference solver: (.*?), (%s)" % criterion, words, re.M)
    rows = number_in(words, r"^. dominance +strict in \d+ of (\d+)")
    violated = number_in(words, r"^. dominance +strict in .*violated in (\d+)")
    text = call(weir, ["solve", last, "--tolerance", "1e-8", "--max-iterations", "2000",
                       *(w for s in STANDARD for w in ("--solver", s))], range(10))
    iterations = {}
    for name in STANDARD:
        row = re.search(r"^%s +\S+ +\S+ +(\d+) .* (\w+)$" % re.escape(name), text, re.M)
        refused = re.search(r"^%s +refused" % re.escape(name), text, re.M)
        iterations[name] = "refused" if refused else int(row[1]) if row and row[2] == "converged" else "not in 2000"
    null_space = ("constants" if "constant vectors are its null space" in words else
                  "others" if "\nThe matrix is singular" in words else "none")
    condition = None if null_space == "others" else re.search(r"^. condition +(about|at least) (\S+)", words, re.M)
    return {"name": "%s.%s" % (recipe["name"], system), "folder": "data/" + recipe["name"], "case": recipe["case"],
            "system": system, "files": files, "unknowns": int(head[1]), "block": int(head[2]),
            "entries": int(number_in(words, r"rows, (\d+) entries")),
            "solver": solver[1] if solver else "", "criterion": solver[2] if solver else "",
            "symmetric": " symmetry      symmetric" in words,
            "null_space": null_space,
            "aspect_ratio_median": number_in(words, r"aspect ratio +median ([^,]+),"),
            "aspect_ratio": number_in(words, r"aspect ratio .*largest ([^:]+):"),
            "dominant_rows": 1 - violated / rows if rows and violated is not None else None,
            "condition": float(condition[2]) if condition else None,
            "condition_is_bound": bool(condition and condition[1] != "about"), "iterations": iterations}


def lock(directory):
    """Until the end of this process no other one works in the folder."""
    try:
        fcntl.flock(os.open(directory, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Refused("%s: another weir corpus works in this folder" % directory) from None


def listed_cases(tier):
    """The medium tier has the cases of the small one, with more cells."""
    name = "small" if tier == "medium" else tier
    path = name if name.endswith(".toml") else os.path.join(HERE, "corpus", name + ".toml")
    if records.tomllib is None:
        raise Refused("weir corpus needs Python 3.11 or newer")
    try:
        with open(path, "rb") as file:
            listed = records.tomllib.load(file)
    except OSError as error:
        raise Refused("no tier '%s': expected tiny, small, medium or a list of cases (FILE.toml): %s"
                      % (tier, error.strerror)) from None
    except ValueError as error:
        raise Refused("%s: no list of cases: %s" % (path, error)) from None
    for number, entry in enumerate(listed.get("run", [{}]), 1):
        missing = [key for key in ("name", "case", "set") if not isinstance(entry, dict) or key not in entry]
        if missing:
            raise Refused("%s: [[run]] %d: missing '%s'" % (path, number, missing[0]))
    if tier == "medium":
        for entry in listed["run"]:
            entry["set"] |= entry["medium"]
    return listed


def take_directory(directory, identity):
    """Nothing is written or deleted in a folder that is not of this corpus."""
    os.makedirs(directory, exist_ok=True)
    lock(directory)
    if not os.listdir(directory):
        write_json(directory + "/manifest.json", {"format": "weir-corpus", "schema": 1, **identity, "is_finished": False})
    elif not os.path.exists(directory + "/manifest.json"):
        raise Refused("%s: is not empty and has no manifest.json of a corpus" % directory)
    known = manifest_of(directory)
    other = ["%s %s, not %s" % (k, known.get(k), v) for k, v in identity.items() if known.get(k) != v]
    if other:
        raise Refused("%s: holds another corpus (%s); choose another folder" % (directory, "; ".join(other)))


def build(weir, a):
    listed, directory = listed_cases(a.tier), a.places[0]
    tier = os.path.splitext(os.path.basename(a.tier))[0]
    title = "Flows, %s tier%s" % (tier, ", held out by seed %d" % a.seed if a.seed else "")
    identity = {"title": title, "tier": tier, "seed": a.seed, "weir": version_of(weir)}
    recipes = [recipe_of(entry, a.seed, identity["weir"]) for entry in listed["run"]]
    take_directory(directory, identity)

    def make(recipe):
        folder = os.path.join(directory, "data", recipe["name"])
        if os.path.exists(folder + "/recipe.json"):
            kept = read_json(folder + "/recipe.json")
            wrong = damaged(folder, kept["sha256"])
            if kept["recipe"] == recipe and not wrong:
                return recipe["name"] + ": kept"
            print("\n".join([*wrong, recipe["name"] + ": is built again"]))
        build_run(weir, recipe, folder)
        return recipe["name"]

    with concurrent.futures.ThreadPoolExecutor(a.jobs or os.cpu_count()) as pool:
        jobs, failed = [pool.submit(make, r) for r in recipes], []
        try:
            for k, job in enumerate(concurrent.futures.as_completed(jobs)):
                if isinstance(job.exception(), (Refused, OSError)):
                    failed.append(str(job.exception()))
                print("[%d/%d] %s" % (k + 1, len(recipes), job.exception() or job.result()), flush=True)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    if failed:
        raise Refused("%s: is not finished, because %d cases failed" % (directory, len(failed)))
    finish_build(directory, identity, recipes)
    return 0


def finish_build(directory, identity, recipes):
    sequences, files = [], {}
    for r in recipes:
        folder = "data/" + r["name"]
        kept = read_json(os.path.join(directory, folder, "recipe.json"))
        sequences += kept["sequences"]
        files.update({folder + "/" + name: value for name, value in kept["sha256"].items()})
        files[folder + "/recipe.json"] = sha256(os.path.join(directory, folder, "recipe.json"))
    size = sum(os.path.getsize(os.path.join(directory, name)) for name in files)
    write(directory + "/SHA256SUMS", "".join("%s  %s\n" % (value, name) for name, value in files.items()))
    about = "%d sequences of linear systems from implicit flow solvers, %d systems" % (
        len(sequences), sum(len(s["files"]) for s in sequences))
    write_metadata(directory, identity, about, size)
    manifest = {"format": "weir-corpus", "schema": 1, **identity, "is_finished": True, "licence": LICENCE[0],
                "licence_url": LICENCE[1], "bytes": size,
                "units": UNITS, "recipes": {r["name"]: r for r in recipes}, "sequences": sequences, "sha256": files}
    page.make(directory + "/report.html", lambda: page_of.describe(manifest, STANDARD), False)
    write_json(directory + "/manifest.json", manifest)  # last: the corpus is complete
    print("%s, %.1f MB, %s/report.html" % (about, 1e-6 * size, directory))


def write_metadata(directory, identity, about, size):
    title, version, year = identity["title"], identity["weir"], 2026
    write_json(directory + "/schema.org.json", {
        "@context": "https://schema.org", "@type": "Dataset", "name": title, "description": about, "license": LICENCE[1],
        "version": version, "isAccessibleForFree": True, "contentSize": "%d bytes" % size, "encodingFormat": "application/x-hdf5",
        "keywords": ["sparse linear systems", "preconditioners", "computational fluid dynamics"],
        "measurementTechnique": "captured in the time loop",
        "creator": {"@type": "Organization", "name": "The Weir authors"}})
    write_json(directory + "/datacite.json", {"data": {"type": "dois", "attributes": {
        "titles": [{"title": title}], "creators": [{"name": "The Weir authors", "nameType": "Organizational"}],
        "publisher": "The Weir authors", "publicationYear": year, "version": version,
        "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Sequences of linear systems"},
        "formats": ["application/x-hdf5"], "sizes": ["%d bytes" % size],
        "descriptions": [{"description": about, "descriptionType": "Abstract"}],
        "rightsList": [{"rightsIdentifier": LICENCE[0], "rightsUri": LICENCE[1]}],
        "subjects": [{"subject": "sparse linear systems"}, {"subject": "computational fluid dynamics"}]}}})
