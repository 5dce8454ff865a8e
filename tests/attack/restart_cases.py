#!/usr/bin/env python3
"""The twelve longest cases, stopped in the middle and restarted: the same end, bit for bit, on one rank and on two.

    restart_cases.py WEIR INPUTS [--steps N] [--ranks 1 2] [--mpirun mpirun] [--cases NAME ...] [--work FOLDER]

--steps N: cut short after N steps, the middle is N / 2; 0 (hours): to the end of each case.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

CASES = ["immersed/left_ventricle", "immersed/sphere_re100", "immersed/sphere_stl_re100", "immersed/cylinder_re100",
         "immersed/oscillating_transverse_re185", "immersed/oscillating_inline_kc5", "immersed/dfg_2d2",
         "incompressible/cavity3d_re1000", "incompressible/taylor_green_3d_re1600", "incompressible/channel_cube_komega",
         "incompressible/channel_cube_laminar", "compressible/naca0012_transonic"]
ENDED = (0, 5)  # 5: [check], which a cut run may miss
COLUMNS = {"history.csv": -1, "solves.csv": 5}  # that a repetition has in common


def rows(path, columns):
    return [line.split(",")[:columns] for line in path.read_text().splitlines()]


def end_of(directory):
    end = json.loads((directory / "run.json").read_text())
    return {key: end[key] for key in ("state_hash", "steps", "time", "quantities")}


def attempt(a, case, ranks, work):
    """The words of what is wrong."""
    whole, cut = work / "whole", work / "cut"
    command = ([a.mpirun, "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []) + [a.weir]

    def weir(*arguments):
        done = subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True)
        return "" if done.returncode in ENDED else "%s ends with %d: %s" % (arguments[0], done.returncode, (done.stdout + done.stderr)[-300:])

    def run(directory, steps):
        more = ["--steps", steps] if steps else []
        return weir("run", pathlib.Path(a.inputs) / (case + ".toml"), "-o", directory, "--set", "output.report=false", *more)

    wrong = run(whole, a.steps)
    if wrong:
        return wrong
    steps = end_of(whole)["steps"]
    wrong = run(cut, max(1, steps // 2)) or weir("restart", cut, *(["--steps", a.steps] if a.steps else []))
    if wrong:
        return wrong
    for key, value in end_of(whole).items():
        if end_of(cut)[key] != value:
            return "%s is %s, not %s" % (key, end_of(cut)[key], value)
    for name, columns in COLUMNS.items():
        if rows(whole / name, columns) != rows(cut / name, columns):
            return name + " differs"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("inputs")
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--cases", nargs="+", default=CASES)
    parser.add_argument("--work")
    a = parser.parse_args()
    for name, value in {"OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}.items():
        os.environ.setdefault(name, value)
    failed = tried = 0
    with tempfile.TemporaryDirectory(prefix="weir_restart_", dir=a.work) as folder:
        for case in a.cases:
            for ranks in a.ranks:
                work, start = pathlib.Path(folder) / "case", time.time()
                shutil.rmtree(work, ignore_errors=True)
                work.mkdir()
                wrong = attempt(a, case, ranks, work)
                tried, failed = tried + 1, failed + bool(wrong)
                print("%s, %d rank(s): %s (%.0f s)" % (case, ranks, "FAILED: " + wrong if wrong else "equal", time.time() - start), flush=True)
    print("%d restarts, %d failed" % (tried, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
