#!/usr/bin/env python3
"""Times a step on one core, on two threads and on two ranks, in turn: for a quiet machine with two cores.

    gains.py WEIR DIR [--pairs 5] [--cases NAME ...]

A time is that of the last step's wall clock less the first counted one's, divided by the steps between them. A gain is the
median over the pairs of (time on one core) / (time on two). The table goes to standard output, all times to DIR/gains.csv.
"""

import argparse
import csv
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

from counts import CASES, INPUTS

WAYS = {"one": (1, 1), "threads": (1, 2), "ranks": (2, 1)}  # ranks, threads
STEPS = {
    "cavity": (2, 12),
    "sphere": (2, 10),
    "aerofoil": (2, 7),
    "channel": (10, 60),
}  # last step not timed, last step
SMALL = {
    "aerofoil_59k": (
        "compressible/naca0012_laminar.toml",
        ["mesh.generator.refinement=2", "pseudo_time.coarse_meshes=0"],
        (2, 8),
    )
}


def seconds_per_step(weir, case, way, folder):
    path, settings, steps = SMALL.get(case) or (*CASES[case][:2], STEPS[case])
    ranks, threads = WAYS[way]
    shutil.rmtree(folder, ignore_errors=True)
    start = ["mpirun", "--bind-to", "none", "-n", str(ranks)] if ranks > 1 else []
    done = subprocess.run(
        [
            *start,
            weir,
            "run",
            INPUTS / path,
            "-o",
            folder,
            "--steps",
            str(steps[1]),
            "--threads",
            str(threads),
            *(part for setting in settings for part in ("--set", setting)),
        ],
        capture_output=True,
        text=True,
        env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
    )
    if done.returncode not in (0, 3):  # 3: a solve that did not converge
        sys.exit("gains.py: %s, %s ended with %d:\n%s" % (case, way, done.returncode, done.stderr[-2000:]))
    with open(folder / "history.csv") as file:
        wall = {int(row["step"]): float(row["wall"]) for row in csv.DictReader(file)}
    shutil.rmtree(folder)
    first, last = min(step for step in wall if step >= steps[0]), max(wall)
    return (wall[last] - wall[first]) / (last - first)


def main():
    names = [*CASES, *SMALL]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weir", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--cases", nargs="+", choices=names, default=names)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with open(arguments.folder / "gains.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["case", "pair", *WAYS])
        print(
            "| case | one core, ms | two threads, ms | two ranks, ms | gain of threads | gain of ranks |\n"
            + "|---" * 6
            + "|"
        )
        for case in arguments.cases:
            times = {way: [] for way in WAYS}
            for pair in range(arguments.pairs):
                for way in WAYS if pair % 2 == 0 else reversed(WAYS):
                    times[way].append(
                        seconds_per_step(arguments.weir.resolve(), case, way, arguments.folder.resolve() / "work")
                    )
                writer.writerow([case, pair, *("%.6g" % times[way][-1] for way in WAYS)])
                file.flush()
            ms = [1e3 * statistics.median(times[way]) for way in WAYS]
            gains = [statistics.median(a / b for a, b in zip(times["one"], times[way])) for way in ("threads", "ranks")]
            print("| %s | %.1f | %.1f | %.1f | %.2f | %.2f |" % (case, *ms, *gains), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
