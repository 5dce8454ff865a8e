#!/usr/bin/env python3
"""Laminar NACA0012 to six orders with the settings of Kashi & Nadarajah 2020, beside orderings, preconditioners, factors,
methods and CFL rules of ours, one of them changed at a time:

    python3 tests/benchmarks/kashi/settings.py                       206,575 cells: minutes a row
    python3 tests/benchmarks/kashi/settings.py --refinement 2        51,953 cells
    python3 tests/benchmarks/kashi/settings.py --only paper,ours

Prints a row a run as it ends: steps, iterations, processor seconds of the whole program on one thread, drag, and the time
relative to the first row's. The rows are written to -o (default weir-runs/settings) as settings.csv. A run that is not through
after --limit processor seconds is stopped, and says how far it has come.
"""
import argparse
import csv
import os
import resource
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
CASE = os.path.join(ROOT, "inputs", "compressible", "naca0012_laminar.toml")

# The paper's section 2 and the list in its section 6. It does not publish the CFL number that runs start with; 470 agrees
# with the 4241 at a residual of 1.5e-4 that it tells of.
PAPER = ['pseudo_time.jacobian="first_order"', 'linear.flow.method="fgmres"', "linear.flow.restart=30", "linear.flow.tolerance=0.1",
         "linear.flow.max_iterations=60", 'linear.flow.matrix="double"', 'linear.flow.preconditioner={type="block_ilu0"}',
         'ordering.type="rcm"', "pseudo_time.cfl_max=1e4", "pseudo_time.exponent_down=0.25", "pseudo_time.exponent_up=0.3"]
ILU = 'linear.flow.preconditioner={type="block_ilu0",factors="float"}'
AGGREGATION = 'linear.flow.preconditioner={type="aggregation",coarse_matrices="float",smoother={type="block_ilu0",factors="float"}}'
# Backward Euler steps with the first-order Jacobian: what the rows of the second half change one thing of.
FIRST = ['pseudo_time.jacobian="first_order"', 'linear.flow.method="fgmres"', "linear.flow.restart=10", 'linear.flow.basis="float"',
         "linear.flow.tolerance=0.05", AGGREGATION]
VARIANTS = {
    "paper": ("the paper's settings, CFL from 50", PAPER + ["pseudo_time.cfl_start=50"]),
    "paper_470": ("the paper's settings, CFL from 470", PAPER + ["pseudo_time.cfl_start=470"]),
    "paper_async": ("the same, async_block_ilu0, 1 + 3 sweeps", PAPER + [
        "pseudo_time.cfl_start=50",
        'linear.flow.preconditioner={type="async_block_ilu0",build_sweeps=1,apply_sweeps=3,chunk=384}']),
    "paper_ramp": ("the paper's solver, our CFL rule", PAPER[:-2]),
    "ours": ("the case as it is, begun at the free stream: Newton's method", []),
    "coarse_2": ("begun on two coarser meshes", ["pseudo_time.coarse_meshes=2"]),
    "v_cycle": ("V cycles", ['linear.flow.preconditioner.cycle="V"']),
    "passes_3": ("aggregates of 8 instead of 4", ["linear.flow.preconditioner.passes=3"]),
    "diffusion_1": ("coarse levels as they are summed", ["linear.flow.preconditioner.diffusion=1.0"]),
    "newton_0.4": ("to 0.4", ["linear.flow.tolerance=0.4"]),
    "newton_0.1": ("to 0.1", ["linear.flow.tolerance=0.1"]),
    "newton_gmres": ("GMRES(60) to 0.1, V cycles", ['linear.flow.method="gmres"', "linear.flow.restart=60", "linear.flow.tolerance=0.1",
                                                    'linear.flow.preconditioner.cycle="V"']),
    "newton_ilu": ("GMRES(120) to 0.1, block ILU(0) in floats", ['linear.flow.method="gmres"', "linear.flow.restart=120",
                                                                  "linear.flow.tolerance=0.1", ILU]),
    "first_order": ("first-order Jacobian, FGMRES(10) + aggregation", FIRST),
    "bicgstab": ("BiCGSTAB to 0.1, block ILU(0) in floats", ['pseudo_time.jacobian="first_order"', 'linear.flow.method="bicgstab"',
                                                            "linear.flow.tolerance=0.1", ILU]),
    "gmres": ("GMRES(20) to 0.03, block ILU(0) in floats", ['pseudo_time.jacobian="first_order"', 'linear.flow.method="gmres"',
                                                           "linear.flow.restart=20", "linear.flow.tolerance=0.03", ILU]),
    "adaptive": ("first order: preconditioner renewed when it pays", FIRST + ['linear.flow.refresh="adaptive"']),
    "double_matrix": ("first order: Jacobian in doubles", FIRST + ['linear.flow.matrix="double"']),
    "tolerance_0.3": ("first order: to 0.3", FIRST + ["linear.flow.tolerance=0.3"]),
    "tolerance_0.1": ("first order: to 0.1", FIRST + ["linear.flow.tolerance=0.1"]),
    "tolerance_0.03": ("first order: to 0.03", FIRST + ["linear.flow.tolerance=0.03"]),
    "cfl_1e3": ("first order: CFL up to 1e3", FIRST + ["pseudo_time.cfl_max=1e3"]),
    "cfl_1e4": ("first order: CFL up to 1e4", FIRST + ["pseudo_time.cfl_max=1e4"]),
    "line_rcm": ("first order: line_rcm", FIRST + ['ordering.type="line_rcm"']),
    "line_1wd": ("first order: line_1wd", FIRST + ['ordering.type="line_1wd"']),
    "1wd": ("first order: 1wd", FIRST + ['ordering.type="1wd"']),
}


def run(program, folder, name, sets, options):
    """steps, iterations, processor seconds, drag, fall of the residual"""
    directory = os.path.join(folder, name)
    command = [program, "run", CASE, "-o", directory, "--overwrite", "--threads", "1"]
    for one in ['mesh.generator={type="naca0012",refinement=%g}' % options.refinement, "output.report=false",
                "pseudo_time.max_steps=10000", "pseudo_time.coarse_meshes=0", *sets, *options.set]:
        command += ["--set", one]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    limit = (options.limit, resource.getrlimit(resource.RLIMIT_CPU)[1])
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"},
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, limit))
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    with open(os.path.join(directory, "history.csv")) as file:
        rows = list(csv.DictReader(file))
    second = [r for r in rows if float(r["order"]) == 2]
    through = subprocess.run(["grep", "-q", '"reason": *"steady state', os.path.join(directory, "run.json")]).returncode == 0
    fall = "" if through else "not through: residual %s" % rows[-1]["residual_energy"]
    return len(second), int(float(rows[-1]["linear_iterations"])), seconds, float(rows[-1]["drag"]), fall


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--refinement", type=float, default=4, help="of the generator: 1 12,000, 2 51,953, 4 206,575 cells")
    parser.add_argument("--only", default="", help="names of rows: " + " ".join(VARIANTS))
    parser.add_argument("--set", action="append", default=[], help="KEY=VALUE of the case, for every row")
    parser.add_argument("--limit", type=int, default=900, help="processor seconds per run")
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "bin", "weir"))
    parser.add_argument("-o", "--output", default=os.path.join("weir-runs", "settings"))
    options = parser.parse_args()
    chosen = options.only.split(",") if options.only else list(VARIANTS)
    unknown = [name for name in chosen if name not in VARIANTS]
    if unknown:
        parser.error("no such row: %s; known: %s" % (", ".join(unknown), " ".join(VARIANTS)))
    os.makedirs(options.output, exist_ok=True)
    written = []
    for name in chosen:
        words, sets = VARIANTS[name]
        steps, iterations, seconds, drag, fall = run(options.program, options.output, name, sets, options)
        written.append({"name": name, "steps": steps, "iterations": iterations, "seconds": "%.2f" % seconds, "drag": drag,
                        "remark": fall})
        first = float(written[0]["seconds"])
        print("%-50s %5d steps %6d iterations %8.1f s  1/%-5.1f drag %.5f %s"
              % (words, steps, iterations, seconds, first / seconds, drag, fall), flush=True)
        with open(os.path.join(options.output, "settings.csv"), "w") as file:
            table = csv.DictWriter(file, written[0])
            table.writeheader()
            table.writerows(written)


if __name__ == "__main__":
    main()
