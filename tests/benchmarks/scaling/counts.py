#!/usr/bin/env python3
"""Counts what ranks cost, also on a machine with fewer cores than ranks: iterations, messages and bytes per step, memory.

    counts.py WEIR DIR [--ranks 1 2 4 ...] [--cases NAME ...]

Each case runs twice on each number of ranks, for a few steps and for some more: the difference, divided by the steps, is the
cost per step. Open MPI's own monitoring counts the messages (pml_monitoring); it does not see persistent requests, so the halos
are sent by MPI_Isend here, which are the same messages. A rank's memory is its peak resident set. The table goes to standard
output, all values to DIR/counts.csv. Times are not measured: ranks that share a core say nothing about time.
"""
import argparse
import csv
import os
import pathlib
import resource
import shutil
import subprocess
import sys

INPUTS = pathlib.Path(__file__).resolve().parents[3] / "inputs"
# name: (case, settings, steps of the first and of the second run)
CASES = {
    "cavity": ("incompressible/cavity3d_re1000.toml", ["grid.cells=[128,128,128]"], (1, 3)),
    "sphere": ("immersed/sphere_re100.toml", ["grid.cells=[128,128,128]", "ranks.partition=\"blocks\""], (1, 3)),
    "aerofoil": ("compressible/naca0012_laminar.toml",
                 ["mesh.generator.refinement=4", "pseudo_time.coarse_meshes=0"], (1, 4)),
    "channel": ("incompressible/channel_retau180_komega.toml", ["grid.cells=[64,192]"], (4, 14)),
}
COLUMNS = ["case", "ranks", "iterations", "messages", "bytes", "reductions", "memory_root_mb", "memory_others_mb"]


def one_rank(command):
    """Each rank runs the program and writes its peak memory to a file."""
    code = subprocess.run(command[1:]).returncode
    kb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    pathlib.Path("%s.%s.kb" % (command[0], os.environ.get("OMPI_COMM_WORLD_RANK", "0"))).write_text(str(kb))
    return code


def run(weir, case, ranks, steps, folder):
    """(linear iterations, largest messages, bytes and reductions of a rank, MB of each rank) of a run of these steps."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path, settings, _ = CASES[case]
    changes = [part for setting in settings + ['ranks.halo="naive"'] for part in ("--set", setting)]
    monitoring = [part for name, value in (("enable", 2), ("enable_output", 3), ("filename", folder / "rank"))
                  for part in ("--mca", "pml_monitoring_" + name, str(value))]
    done = subprocess.run(
        ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), *monitoring, sys.executable, __file__,
         "--one-rank", folder / "memory", weir, "run", INPUTS / path, "-o", folder / "run", "--steps", str(steps),
         "--threads", "1", *changes], capture_output=True, text=True,
        env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
    if done.returncode == 2:  # too many ranks for the grid, for instance
        return None
    if done.returncode not in (0, 3):  # 3: a solve that did not converge
        sys.exit("counts.py: %s on %d ranks ended with %d:\n%s" % (case, ranks, done.returncode, done.stderr[-2000:]))
    with open(folder / "run" / "solves.csv") as file:
        iterations = sum(int(row["iterations"]) for row in csv.DictReader(file))
    most = [0, 0, 0]
    for file in folder.glob("rank.*.prof"):
        of_rank = [0, 0, 0]
        for line in file.read_text().splitlines():
            kind, *fields = line.split("\t")
            if kind == "E":  # to one other rank
                of_rank[0] += int(fields[3].split()[0])
                of_rank[1] += int(fields[2].split()[0])
            elif kind == "A2A":  # calls in one communicator
                of_rank[2] += int(fields[2].split()[0])
        most = [max(pair) for pair in zip(most, of_rank)]
    memory = [int((folder / ("memory.%d.kb" % rank)).read_text()) / 1024 for rank in range(ranks)]
    return iterations, most, memory


def main():
    if sys.argv[1:2] == ["--one-rank"]:
        return one_rank(sys.argv[2:])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weir", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4, 8, 16, 32, 64])
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with open(arguments.folder / "counts.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|")
        for case in arguments.cases:
            few, more = CASES[case][2]
            for ranks in arguments.ranks:
                folder = arguments.folder.resolve() / "work"
                first = run(arguments.weir.resolve(), case, ranks, few, folder)
                last = run(arguments.weir.resolve(), case, ranks, more, folder)
                if not first or not last:
                    print("| %s | %d | refused |" % (case, ranks), flush=True)
                    continue
                per_step = [(b - a) / (more - few) for a, b in zip([first[0], *first[1]], [last[0], *last[1]])]
                row = [case, ranks, *("%.0f" % value for value in per_step), "%.0f" % last[2][0],
                       "%.0f" % max(last[2][1:], default=0)]
                writer.writerow(row)
                file.flush()
                print("| " + " | ".join(map(str, row)) + " |", flush=True)
                shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
