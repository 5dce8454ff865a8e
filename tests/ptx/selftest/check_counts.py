#!/usr/bin/env python3
"""Checks what the interpreter counts of kernels whose costs are known (counted.cu).

    check_counts.py PROGRAM LIBRARIES        PROGRAM: ptx_bugs; LIBRARIES: the folder of the interpreter's libcudart
"""
import os
import subprocess
import sys
import tempfile

MEMORY, L2 = 128, 58  # units of the clock: machine/counts.hpp

# Kernel -> columns and their values, or the least and the most.
EXPECTED = {
    # 32 lanes read four sectors each, one after the other; no lane shares one.
    "chain": {"launches": 1, "threads": 32, "load_depth": 4, "chain": (4 * MEMORY, 4 * MEMORY + 40), "sectors": 160,
              "memory_read": 4096, "warps": 1},
    "independent": {"load_depth": 1, "chain": (MEMORY, MEMORY + 30), "l2_sectors": 128 + 8},
    "strided": {"sectors": 32 + 8, "fewest_sectors": 8 + 8, "bytes": 512},
    "conflicts": {"bank_conflicts": 62, "shared_accesses": 4, "shared_passes": 4, "blocks": 2, "block_threads": 32},
    "read_twice": {"memory_read": 65536 * 8, "bytes": 2 * 65536 * 8},
    # The reader sees the flag one write and one read of L2 after the last of four reads, whatever the order of the blocks.
    "wait": {"chain": (4 * MEMORY + 2 * L2, 4 * MEMORY + 2 * L2 + 40), "warp_chains": (4 * MEMORY + L2, 4 * MEMORY + 2 * L2 + 40),
             "poll_sectors": (9, 10)},
    "divide": {"doubles": 10 + 2},
    "copies": {"synchronisations": 2, "small_copies": 2, "large_copies": 1, "large_bytes": 65536, "fills": 1},
}
# The same under other settings. Where the buffer lies decides which sectors share a set: some sets hold all of their few.
SMALL_L2 = {"read_twice": {"memory_read": (0.99 * 2 * 65536 * 8, 2 * 65536 * 8)}}
TORN = {"wait": {"chain": EXPECTED["wait"]["chain"]}}


def counts(name, settings):
    with tempfile.TemporaryDirectory() as folder:
        stats = os.path.join(folder, "stats")
        environment = {**os.environ, **settings, "LD_LIBRARY_PATH": sys.argv[2], "WEIR_PTX_STATS": stats}
        subprocess.run([sys.argv[1], name], env=environment, capture_output=True, text=True, timeout=120)
        rows, names = [], []
        for line in open(stats):
            cells = line.rstrip("\n").split("\t")
            if line.startswith("#"):
                names = cells
            else:
                rows.append(dict(zip(names[1:], map(float, cells[1:]))))
    return {k: v for row in rows for k, v in row.items()}, len(rows)


# A listing as nvdisasm writes it, in which each line of PTX has become two instructions, and what must not be counted: where a
# warp's lanes have parted, a routine that ptxas adds, padding.
LISTING = r"""#!/bin/sh
echo '.text.kernel:'
n=0
while [ $n -lt 20000 ]; do
  n=$((n + 1))
  printf '\t//## File ".nv_debug_ptx_txt", line %d\n        /*0010*/  IADD3 R1, R2 ;\n        /*0020*/  @P0 LDG.E R3 ;\n' $n
done
printf '\t//## File ".nv_debug_ptx_txt", line 20001\n        /*0030*/  @!P1 BRA.DIV UR4, `(.L_x_7) ;\n        /*0040*/  NOP;\n.L_x_7:\n'
printf '\t//## File ".nv_debug_ptx_txt", line %d\n        /*0050*/  SHFL.IDX P0, R1 ;\n' $(seq 1 500)
printf '        /*0060*/  BRA `(.L_x_1) ;\n$__internal_0_$division:\n'
printf '\t//## File ".nv_debug_ptx_txt", line %d\n        /*0070*/  DFMA R1 ;\n' $(seq 1 500)
"""


def machine_instructions_are_counted(faults):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "disassembler")
        with open(program, "w") as file:
            file.write(LISTING)
        os.chmod(program, 0o755)
        for name in ("chain", "conflicts", "divide"):
            plain, _ = counts(name, {})
            twice, _ = counts(name, {"WEIR_PTX_DISASSEMBLER": program, "WEIR_PTX_CACHE": folder})
            if twice["instructions"] != 2 * plain["instructions"]:
                faults.append(f"{name}: {twice['instructions']} machine instructions, expected twice {plain['instructions']}")


def main():
    faults = []
    machine_instructions_are_counted(faults)
    for expected, settings in [(EXPECTED, {}), (SMALL_L2, {"WEIR_PTX_L2": "131072"}),
                               (TORN, {"WEIR_PTX_ORDER": "warps", "WEIR_PTX_REVERSE": "1"})]:
        for name, columns in expected.items():
            found, rows = counts(name, settings)
            if rows != (1 if name == "copies" else 2):
                faults.append(f"{name}: {rows} lines: what lies outside of the window counts")
            for column, value in columns.items():
                least, most = value if isinstance(value, tuple) else (value, value)
                if not least <= found.get(column, -1) <= most:
                    faults.append(f"{name} {settings}: {column} is {found.get(column)}, expected {value}")
    print("\n".join(faults) or f"{len(EXPECTED)} kernels and programs counted as they must be")
    sys.exit(1 if faults else 0)


main()
