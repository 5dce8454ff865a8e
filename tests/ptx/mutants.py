#!/usr/bin/env python3
"""Leaves ordering out of all kernels and checks that a test of each protocol that waits then fails under some seed.

    mutants.py PROGRAMS LIBRARIES        the folders of the test programs and of the interpreter's libcudart
"""
import os
import subprocess
import sys

SEEDS = 6
SETTINGS = {"WEIR_PTX_ORDER": "lanes", "WEIR_PTX_WEAK": "1", "WEIR_PTX_REVERSE": "1", "WEIR_PTX_STEPS": "3e7", "OMP_NUM_THREADS": "1"}
# Test -> what it cannot do without.
TESTS = {
    ("device_kernels_test", "Flags.HandDataFromBlockToBlock"): ["release"],
    ("device_kernels_test", "Atomics.MakeALock"): ["fence"],
    ("device_kernels_test", "Grid.MeetsAtItsBarrier"): ["acquire", "barrier"],
    ("device_kernels_test", "Block.SharesMemoryBetweenBarriers"): ["barrier"],
    ("device_arrays_test", "*Reduc*"): ["barrier"],
    # one launch of block ILU(0) on a grid, its sweeps with flags (n = 4, 5, 6 wait for values); levels of triangular factors
    ("solvers_test", "BlockIlu0Of/device.EqualsTheTextbookOnCubes*"): ["release", "barrier"],
    ("solvers_test", "BlockIlu0Of/device.EqualsTheTextbookForEveryBlockSize*"): ["acquire"],
    ("solvers_test", "CsrIlu0Of/device.*WhereALevelTakesSeveralWorkgroups"): ["release", "acquire"],
}


def fails(program, test, **settings):
    environment = {**os.environ, **SETTINGS, **settings, "LD_LIBRARY_PATH": sys.argv[2]}
    command = [os.path.join(sys.argv[1], program), "--gtest_brief=1", "--gtest_filter=" + test]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode == 99 or " 0 tests from" in done.stdout:
        sys.exit(f"{program} {test}: {done.stdout}{done.stderr}")
    return done.returncode != 0


def main():
    faults, caught = [], 0
    for (program, test), mutants in TESTS.items():
        if fails(program, test):
            faults.append(f"{test} fails as it is")
        for mutant in mutants:
            if any(fails(program, test, WEIR_PTX_SEED=str(seed), WEIR_PTX_MUTANT=mutant) for seed in range(1, SEEDS + 1)):
                caught += 1
            else:
                faults.append(f"{test} passes without {mutant} under {SEEDS} seeds")
    print("\n".join(faults) or f"{caught} mutants caught")
    sys.exit(1 if faults else 0)


main()
