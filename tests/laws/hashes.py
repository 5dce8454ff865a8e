#!/usr/bin/env python3
"""State hashes of every case of inputs/ in a short form: a change of the code that should not change a flow changes none of them.

    hashes.py WEIR INPUTS [--record] [--cases NAME ...] [--jobs N]

A case runs three steps on the host, on two and on four ranks, and one step on the device, which is emulated and slow. Its hashes
are compared with state_hashes.json, which keeps one table per kind of machine: processor, compiler, flags and numerical libraries
decide the last bits. Where the file has no table for this kind of machine, the test is skipped (exit code 77). --record writes
this machine's table: do so only in a commit that adds a case or says why hashes change. Changed hashes are no longer known for
the other kinds of machine: their tables get null. What a table does not know is reported and not compared.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib

import changes
import laws

STEPS = 3
MOST_CELLS = 300  # on the device
# Half a minute each; k_omega_channel_test.cpp compares the spaces.
NOT_ON_DEVICE = {"channel_retau180_komega", "channel_retau550_komega"}
VARIANTS = {"host": ([], ["--space", "host"]), "device": ([], ["--space", "device"])}
for ranks in (2, 4):
    VARIANTS["%d ranks" % ranks] = (["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)], [])
TABLES = pathlib.Path(__file__).with_name("state_hashes.json")


def kind_of_machine(run):
    lines = [line.split(":", 1) for line in open("/proc/cpuinfo") if ":" in line]
    processor = {name.strip(): value.strip() for name, value in reversed(lines)}  # the first one
    build = run["build"]
    libraries = ["%s %s" % (k, build["libraries"][k]) for k in ("FFTW", "Eigen", "METIS") if k in build["libraries"]]
    parts = [processor.get(k, "") for k in ("vendor_id", "cpu family", "model")]
    return ", ".join([" ".join(parts), build["compiler"], build["flags"], *libraries, os.confstr("CS_GNU_LIBC_VERSION")])


def hash_of(weir, case, variant, folder):
    """(hash or "exit CODE", run.json) after the steps of this variant."""
    launcher, options = VARIANTS[variant]
    out = folder / variant.replace(" ", "_")
    steps = 1 if variant == "device" else STEPS
    done = subprocess.run([*launcher, weir, "run", case, "-o", out, "--deterministic", "--steps", str(steps), *options],
                          capture_output=True, text=True)
    if done.returncode not in laws.ENDED:
        return "exit %d" % done.returncode, None
    run = json.loads((out / "run.json").read_text())
    return run["state_hash"], run


def hashes_of(weir, path, variants):
    with tempfile.TemporaryDirectory(prefix="weir_hashes_") as name:
        folder = pathlib.Path(name)
        for other in path.parent.glob("*.stl"):
            (folder / other.name).symlink_to(other.resolve())
        changes.write(changes.short_form(tomllib.loads(path.read_text()), STEPS, path.parent), folder / "case.toml")
        found = {}
        for variant in variants:
            cells = (found["host"][1] or {"cells": 0})["cells"] if variant == "device" else 0
            if cells <= MOST_CELLS and not (variant == "device" and path.stem in NOT_ON_DEVICE):
                found[variant] = hash_of(weir, folder / "case.toml", variant, folder)
        return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("inputs", type=pathlib.Path)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--cases", nargs="+")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    a = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["OMPI_MCA_mpi_yield_when_idle"] = "1"  # other tests share the cores
    files = sorted(p for kind in ("compressible", "immersed", "incompressible") for p in (a.inputs / kind).glob("*.toml"))
    files = [p for p in files if not a.cases or p.stem in a.cases]
    variants = [v for v in VARIANTS if not VARIANTS[v][0] or shutil.which("mpirun")]

    tables = json.loads(TABLES.read_text()) if TABLES.exists() else {}
    kind = kind_of_machine(hashes_of(a.weir, next(p for p in files if p.stem == files[0].stem), ["host"])["host"][1])
    if kind not in tables and not a.record:
        print("no state hashes of this kind of machine (%s); hashes.py --record writes them" % kind)
        return 77
    table = tables.setdefault(kind, {})

    differ = count = 0
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        for path, found in zip(files, pool.map(lambda p: hashes_of(a.weir, p, variants), files)):
            expected = table.get(path.stem, {})
            count += len(found)
            for variant in found:
                now, before = found[variant][0], expected.get(variant)
                if before is None:
                    print("%s, %s: %s, not known for this kind of machine" % (path.stem, variant, now), flush=True)
                elif now != before:
                    differ += 1
                    print("%s, %s: %s, not %s" % (path.stem, variant, now, before), flush=True)
                    for other in tables.values():
                        if other is not table and variant in other.get(path.stem, {}):
                            other[path.stem][variant] = None
            if a.record:
                table[path.stem] = {v: found[v][0] for v in found}
    if a.record:
        TABLES.write_text(json.dumps(tables, indent=1) + "\n")
    print("%d hashes of %d cases, %d differ%s" % (count, len(files), differ, ", recorded" if a.record else ""))
    return 1 if differ and not a.record else 0


if __name__ == "__main__":
    sys.exit(main())
