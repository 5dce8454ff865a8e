#!/usr/bin/env python3
"""Leaves ordering out of kernels, of all at once and in each place alone (ordering.py), and checks that a test then fails under some seed.

    mutants.py PROGRAMS LIBRARIES [PART/PARTS]       the folders of the test programs and of the interpreter's libcudart

With everything in its place the tests pass under the first seed.
"""
import os
import subprocess
import sys

import ordering

SEEDS = 6
SETTINGS = {"WEIR_PTX_ORDER": "lanes", "WEIR_PTX_WEAK": "2", "WEIR_PTX_REVERSE": "1", "WEIR_PTX_STEPS": "3e7", "OMP_NUM_THREADS": "1"}
# Needed for all kernels at once.
OF_ALL = {
    ("device_kernels_test", "Flags.HandDataFromBlockToBlock"): ["release"],
    ("device_kernels_test", "Atomics.MakeALock"): ["fence"],
    ("device_kernels_test", "Grid.MeetsAtItsBarrier"): ["acquire", "barrier"],
    ("device_kernels_test", "Block.SharesMemoryBetweenBarriers"): ["barrier"],
    ("device_arrays_test", "ReductionsOnDevice.*"): ["barrier"],
    # one launch of block ILU(0) on a grid, its sweeps with flags (n = 4, 5, 6 wait for values); levels of triangular factors
    ("solvers_test", "BlockIlu0Of/device.EqualsTheTextbookOnCubes*"): ["release", "barrier"],
    ("solvers_test", "BlockIlu0Of/device.EqualsTheTextbookForEveryBlockSize*"): ["acquire"],
    ("solvers_test", "CsrIlu0Of/device.*WhereALevelTakesSeveralWorkgroups"): ["release", "acquire"],
    ordering.TESTS["fixed_point"]: ["warp"],
    ordering.TESTS["mesh_order"]: ["warp"],
    ordering.TESTS["thresholds"]: ["fence"],
}


def fails(program, test, mutant, seed):
    environment = {**os.environ, **SETTINGS, "WEIR_PTX_SEED": str(seed), "WEIR_PTX_MUTANT": mutant, "LD_LIBRARY_PATH": sys.argv[2]}
    command = [os.path.join(sys.argv[1], program), "--gtest_brief=1", "--gtest_filter=" + test]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode == 99 or " 0 tests from" in done.stdout:
        sys.exit(f"{program} {test}: {done.stdout}{done.stderr}")
    return done.returncode != 0


def main():
    wanted = [(test, mutant, 1) for test, mutants in OF_ALL.items() for mutant in mutants]
    wanted += [(ordering.TESTS[name], mutant, seed) for name, mutant, seed in ordering.mutants()]
    part, parts = (int(n) for n in (sys.argv[3] if len(sys.argv) > 3 else "1/1").split("/"))
    faults, mine = [], wanted[part - 1::parts]
    for program, test in sorted({test for test, _, _ in wanted})[part - 1::parts]:
        if fails(program, test, "", 1):
            faults.append(f"{test} fails as it is")
    for (program, test), mutant, first in mine:
        seeds = [first] + [seed for seed in range(1, SEEDS + 1) if seed != first]
        if not any(fails(program, test, mutant, seed) for seed in seeds):
            faults.append(f"{test} passes without {mutant} under {SEEDS} seeds")
    print("\n".join(faults) or f"{len(mine)} mutants caught")
    sys.exit(1 if faults else 0)


main()
