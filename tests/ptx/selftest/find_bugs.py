#!/usr/bin/env python3
"""Runs each planted bug under the interpreter and checks that it is found, and that correct programs pass.

    find_bugs.py PROGRAM LIBRARIES        PROGRAM: ptx_bugs; LIBRARIES: the folder of the interpreter's libcudart
"""
import os
import signal
import subprocess
import sys

SEEDS = 12
TORN = {"WEIR_PTX_ORDER": "lanes", "WEIR_PTX_WEAK": "1", "WEIR_PTX_REVERSE": "1"}
STEPS = {"WEIR_PTX_STEPS": "200000"}

# Bug -> a part of what the interpreter says. Found in every run.
SAID = {
    "past_the_end": "byte 8000 of allocation",
    "shared_past_the_end": " of 256 in ",
    "wrong_mask": "that does not take part",
    "two_barriers": "reached by one warp at two places",
    "barrier_for_some": "deadlock",
    "misaligned": "misaligned address",
    "wait_for_ever": "too many steps",
    "freed_memory": "of freed allocation",
    "host_memory": "no allocation",
    "too_many_registers": "1024 threads of",
    "too_much_shared": "60000 bytes of dynamic shared memory",
    "too_large_grid": "grid 1,70000,1",
    "copy_past_the_end": "leaves an allocation",
    "copy_wrong_way": "pointer of the wrong space",
    "too_large_cooperative_grid": "4225 blocks",
    "freed_twice": "cudaFree of what is not allocated",
}
# Wrong numbers under one seed at least.
WRONG = ["no_barrier", "no_syncwarp", "add_without_atomic", "two_streams", "changed_under_copy", "flag_relaxed_store",
         "flag_relaxed_load", "last_block_no_fence", "grid_barrier_left_out", "tree_no_barrier"]
# No complaint under any seed.
CORRECT = ["none", "two_streams_and_event", "flag", "last_block", "grid_barrier", "tree"]


def run(name, **settings):
    environment = {**os.environ, **STEPS, **settings, "LD_LIBRARY_PATH": sys.argv[2]}
    done = subprocess.run([sys.argv[1], name], env=environment, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def main():
    faults = []
    for name, said in SAID.items():
        for settings in ({}, TORN):
            code, text = run(name, **settings)
            if said not in text:
                faults.append(f"{name}: '{said}' expected, exit code {code}: {text.strip()}")
    if run("host_reads_device")[0] != -signal.SIGSEGV:
        faults.append("host_reads_device: the host got through")
    for name in WRONG:
        if not any(run(name, WEIR_PTX_SEED=str(seed), **TORN)[0] == 2 for seed in range(1, SEEDS + 1)):
            faults.append(f"{name}: right numbers under {SEEDS} seeds")
    for name in CORRECT:
        for settings in [{}] + [{"WEIR_PTX_SEED": str(seed), **TORN} for seed in range(1, SEEDS + 1)]:
            code, text = run(name, **settings)
            if code != 0:
                faults.append(f"{name}, {settings}: exit code {code}: {text.strip()}")
    print("\n".join(faults) or f"{len(SAID) + 1 + len(WRONG)} bugs found, {len(CORRECT)} correct programs passed")
    sys.exit(1 if faults else 0)


main()
