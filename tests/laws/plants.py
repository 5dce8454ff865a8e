#!/usr/bin/env python3
"""Violations planted in a copy of the tree: for each, a law that holds without it must fail.

    plants.py TREE [NAME ...] [--work FOLDER] [--jobs N]     --check: only whether the texts to be replaced are there

The copy is built in FOLDER for the host alone and takes some minutes; the next plant rebuilds only what it touches. Exit code 1: a
plant that no law has caught, or a law that fails without a plant.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

# name: file, text, the text planted in its place, and the check that must fail: cases and laws, or none for systems.py
PLANTS = {
    "a length in the limiter": ("miniapps/compressible/discretisation/discretisation.cu", "  arrays_->view.limiter_k /= gas.length;\n", "",
                                (["toro_1", "toro_4"], ["units"])),
    "a viscosity without the reference length": ("miniapps/compressible/case.cpp", "c.reference_length = c.gas.length =", "c.reference_length =",
                                                 (["flat_plate"], ["units"])),
    "a force term left out": ("miniapps/immersed/control_volume.cu", "- pressure + driven[c];", "- pressure + 0 * driven[c];", (["cylinder_re40"], ["rest"])),
    "an upper wall counted twice": ("miniapps/structured/diagnostics.cu", "if (c != d && is_at_side(d, face)) volume *= 0.5;",
                                    "if (c != d && is_at_side(d, face)) volume *= face == 0 ? 0 : 1;", (["cavity_re100"], ["mirror"])),
    "a time put back": ("miniapps/structured/run_structured.hpp", "scheme.flow.time = from.header.time;", "scheme.flow.time = 0;",
                        (["taylor_green_2d"], ["restart", "time"])),
    "a threshold on row sums": ("solvers/matrix/facts.cpp", "return 4 * std::sqrt(static_cast<double>(count)) * unit_roundoff * size;",
                                "return 1e-13 * size + 0 * static_cast<double>(count);", None),
}


def built(copy, jobs):
    """The program of the copy, built for the host alone."""
    subprocess.run([copy / "weir", "build", "run", "weir", "-j%d" % jobs], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return copy / "build-run/bin/weir"


def broken(copy, program, check):
    """The lines of a check that failed."""
    laws = copy / "tests/laws"
    if check is None:
        command = [laws / "systems.py", program]
    else:
        command = [laws / "laws.py", program, copy / "inputs", "--cases", *check[0], "--laws", *check[1]]
    done = subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True)
    lines = done.stdout.strip().splitlines()
    if done.returncode not in (0, 1) or not lines:
        raise SystemExit("%s ends with %d: %s" % (command[0], done.returncode, done.stderr[-400:]))
    return [line for line in lines if "FAILED" in line or check is None] if done.returncode else []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tree", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--work")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    a = parser.parse_args()
    failed, plants = 0, {name: plant for name, plant in PLANTS.items() if not a.names or name in a.names}
    for file, text, _, _ in plants.values():
        if (a.tree / file).read_text().count(text) != 1:
            raise SystemExit("%s: '%s' is there %d times" % (file, text.strip(), (a.tree / file).read_text().count(text)))
    if a.check:
        return 0
    with tempfile.TemporaryDirectory(prefix="weir_plants_", dir=a.work) as folder:
        copy = pathlib.Path(folder) / "weir"
        shutil.copytree(a.tree, copy, ignore=shutil.ignore_patterns("build", "build-*", ".git"), symlinks=True)
        program = built(copy, a.jobs)
        without = {name: broken(copy, program, check) for name, (_, _, _, check) in plants.items()}
        for name, (file, text, planted, check) in plants.items():
            before = (copy / file).read_text()
            (copy / file).write_text(before.replace(text, planted))
            caught = broken(copy, built(copy, a.jobs), check)
            (copy / file).write_text(before)
            is_caught = caught and not without[name]
            failed += not is_caught
            print("%s: %s" % (name, "caught: " + caught[0] if is_caught else "FAILED: " + (without[name] or ["no law has caught it"])[0]), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
