#!/usr/bin/env python3
"""Has ptxas take all PTX of a build tree for sm_90 and writes what each kernel needs, as a table. A kernel that spills fails.

    registers.py BUILD_FOLDER TABLE
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

PTX = re.compile(rb"\.version \d+\.\d+\s[^\0]*")
KERNEL = re.compile(r"entry function '(\w+)'[^\0]*?(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads"
                    r"[^\0]*?Used (\d+) registers(?:.*?(\d+) bytes smem)?")


def ptxas(ptx):
    with tempfile.NamedTemporaryFile(suffix=".ptx") as file:
        file.write(ptx)
        file.flush()
        done = subprocess.run(["ptxas", "-arch=sm_90", "-v", file.name, "-o", "/dev/null"], capture_output=True, text=True)
    if done.returncode != 0:
        return ptx, [], done.stdout + done.stderr
    return ptx, [m.groups() for m in KERNEL.finditer(done.stderr)], ""


def main():
    objects = sorted(pathlib.Path(sys.argv[1]).rglob("*.cu.o"))
    modules = [text for o in objects for text in PTX.findall(o.read_bytes())]
    rows, faults = [], []
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for ptx, kernels, said in pool.map(ptxas, modules):
            if said or len(kernels) != ptx.count(b".entry "):
                faults.append(f"{len(kernels)} of {ptx.count(b'.entry ')} kernels: {said}")
            for name, stack, stores, loads, registers, shared in kernels:
                rows.append((int(registers), int(shared or 0), int(stack), name))
                if stores != "0" or loads != "0":
                    faults.append(f"{name} spills {stores} bytes")
    names = subprocess.run(["c++filt"], input="\n".join(r[3] for r in rows), capture_output=True, text=True).stdout.splitlines()
    with open(sys.argv[2], "w") as table:
        table.write("registers\tshared\tstack\tkernel\n")
        for (registers, shared, stack, _), name in sorted(zip(rows, names), key=lambda x: (-x[0][0], x[1])):
            table.write(f"{registers}\t{shared}\t{stack}\t{name}\n")
    if not rows:
        faults.append("no kernel in " + sys.argv[1])
    print("\n".join(faults) or f"{len(rows)} kernels of {len(modules)} modules, none spills: {sys.argv[2]}")
    sys.exit(1 if faults else 0)


main()
