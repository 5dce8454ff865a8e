#!/usr/bin/env python3
"""Makes a run directory without running: python3 fabricate_run.py DIR [2d|3d|study|empty|broken]. The flow is known: 2D a cavity-like
stream function, 3D Taylor-Green; the records have the columns and keys that the program writes."""
import json
import os
import struct
import sys
import zlib

import numpy as np

CASE = """[case]
miniapp = "incompressible"
title = "A made-up cavity, Re 1000"
[grid]
cells = [96, 96, 1]
stretching = [{type = "tanh", factor = 1.5}, {type = "tanh", factor = 1.5}, "uniform"]
[flow]
viscosity = 0.001
scheme = "fractional_step"
[linear.momentum]
method = "cg"
tolerance = 1e-8
preconditioner = { type = "jacobi" }
[linear.pressure]
method = "fast_poisson"
[[probe]]
name = "u_centreline"
from = [0.5, 0.0]
to = [0.5, 1.0]
points = 65
fields = ["u"]
reference = { file = "cavity_botella_peyret_Re1000_vertical.csv", coordinate = "y", column = "u" }
[check]
error_u_centreline = { value = 0.0, tolerance = 0.008 }
kinetic_energy = { value = 0.0445, tolerance = 0.0005 }
"""


def faces(n, factor=1.5):
    return 0.5 * (1 + np.tanh(factor * (2 * np.arange(n + 1) / n - 1)) / np.tanh(factor))


def write_vtr(path, time, grid, fields, compress):
    """Raw or zlib appended data; fields: name -> [z, y, x] or [z, y, x, 3]."""
    head, blob = [], b""

    def array(kind, name, values, dtype):
        nonlocal blob
        raw = np.ascontiguousarray(values, dtype).tobytes()
        components = values.shape[3] if values.ndim == 4 else 1
        head.append('<DataArray type="%s" Name="%s" NumberOfComponents="%d" format="appended" offset="%d"/>'
                    % (kind, name, components, len(blob)))
        if compress:
            pieces = [raw[i:i + 32768] for i in range(0, len(raw), 32768)]
            packed = [zlib.compress(p) for p in pieces]
            blob += struct.pack("<QQQ", len(pieces), 32768, len(raw) % 32768)
            blob += b"".join(struct.pack("<Q", len(p)) for p in packed) + b"".join(packed)
        else:
            blob += struct.pack("<Q", len(raw)) + raw

    extent = " ".join("0 %d" % (len(f) - 1) for f in grid)
    array("Float64", "TimeValue", np.array([time]), "<f8")
    field_data = head.pop()
    for name, values in fields.items():
        array("Float32", name, values, "<f4")
    cell_data, head = "".join(head), []
    for name, values in zip("xyz", grid):
        array("Float64", name, values, "<f8")
    compressor = ' compressor="vtkZLibDataCompressor"' if compress else ""
    text = ('<?xml version="1.0"?><VTKFile type="RectilinearGrid" version="1.0" byte_order="LittleEndian" '
            'header_type="UInt64"%s><RectilinearGrid WholeExtent="%s"><FieldData>%s</FieldData><Piece Extent="%s"><CellData>%s'
            '</CellData><Coordinates>%s</Coordinates></Piece></RectilinearGrid><AppendedData encoding="raw">_'
            % (compressor, extent, field_data, extent, cell_data, "".join(head)))
    with open(path, "wb") as file:
        file.write(text.encode() + blob + b"</AppendedData></VTKFile>")


def cavity(n=96):
    """A stream function psi that vanishes on the walls; u = dpsi/dy, v = -dpsi/dx by differences, so free of divergence."""
    x = faces(n)
    X, Y = np.meshgrid(x, x, indexing="xy")
    psi = -0.9 * (X * (1 - X)) ** 2 * Y ** 2 * (1 - Y) * 16 / (1 + 6 * (X - 0.8) ** 2)
    u = np.diff(psi, axis=0)
    v = -np.diff(psi, axis=1)
    u = 0.5 * (u[:, 1:] + u[:, :-1]) / np.diff(x)[:, None]
    v = 0.5 * (v[1:] + v[:-1]) / np.diff(x)[None, :]
    c = 0.5 * (x[1:] + x[:-1])
    p = 0.1 * np.hypot(*np.meshgrid(c - 0.5, c - 0.5)) ** 2
    velocity = np.stack([u, v, 0 * u], axis=-1)[None]
    return [x, x, np.array([0.0, 1.0])], {"velocity": velocity, "p": p[None]}


def taylor_green(n=32):
    f = np.linspace(0, 2 * np.pi, n + 1)
    c = 0.5 * (f[1:] + f[:-1])
    z, y, x = np.meshgrid(c, c, c, indexing="ij")
    u, v = np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z)
    w = 0.3 * np.sin(z) * np.cos(x)
    p = (np.cos(2 * x) + np.cos(2 * y)) * (np.cos(2 * z) + 2) / 16
    return [f, f, f], {"velocity": np.stack([u, v, w], axis=-1), "p": p}


def write_records(folder, steps):
    rng = np.random.default_rng(1)
    with open(os.path.join(folder, "history.csv"), "w") as file:
        file.write("step,time,dt,cfl,change,max_divergence,kinetic_energy,wall\n")
        for s in range(1, steps + 1):
            file.write("%d,%g,0.005,%g,%g,%g,%g,%g\n" % (s, 0.005 * s, 0.4 + 0.1 * np.exp(-s / 90), 0.1 * np.exp(-s / 40),
                       3e-12 * rng.random() + 1e-13, 0.0445 * (1 - np.exp(-s / 80)), 0.01 * s))
    with open(os.path.join(folder, "solves.csv"), "w") as file:
        file.write("step,system,solver,unknowns,iterations,reason,r0,r_true,setup_ms,solve_ms,apply_ms,target\n")
        for s in range(1, steps + 1):
            for name in ("momentum", "momentum"):
                file.write("%d,%s,cg+jacobi,9120,%d,converged,%g,%g,,%g,,2e-8\n" % (
                    s, name, 5 + 4 * np.exp(-s / 60) + rng.integers(0, 2), np.exp(-s / 50), 1e-9 * np.exp(-s / 50), 1.1))
            file.write("%d,pressure,fast_poisson,9216,1,converged,%g,%g,,2.2,,\n" % (s, np.exp(-s / 50), 2e-14 * np.exp(-s / 50)))
    with open(os.path.join(folder, "events.jsonl"), "w") as file:
        file.write(json.dumps({"step": steps, "kind": "steady", "message": "change below 1e-6"}) + "\n{\"step\": 3, \"ki")


def write_profile(folder):
    """The published profile plus a small known error."""
    os.makedirs(os.path.join(folder, "probes"))
    here = os.path.dirname(os.path.abspath(__file__))
    path = os.path.join(here, "../../../postproc/reference/cavity_botella_peyret_Re1000_vertical.csv")
    with open(path) as file:
        rows = np.array([list(map(float, line.split(",")[:2])) for line in file if line[0] in "01"])
    y = np.linspace(0, 1, 65)
    with open(os.path.join(folder, "probes/u_centreline.csv"), "w") as file:
        file.write("x,y,z,u\n" + "".join("0.5,%g,0.5,%g\n" % (s, np.interp(s, *rows.T) + 0.004 * np.sin(3 * s)) for s in y))
    with open(os.path.join(folder, "probes/u_centreline_reference.csv"), "w") as file:
        file.write("x,y,z,published,computed,difference\n")
        for s, u in rows:
            file.write("0.5,%g,0.5,%g,%g,%g\n" % (s, u, u + 0.004 * np.sin(3 * s), 0.004 * np.sin(3 * s)))


def write_summary(folder):
    run = {"schema": 1, "status": "finished", "exit_code": 0, "reason": "steady state", "case": "made_up_cavity",
           "miniapp": "incompressible", "cells": 9216, "unknowns": 27456, "steps": 400, "time": 2.0, "wall_seconds": 4.1,
           "space": "host", "device_name": "a processor", "threads": 2, "ranks": 1, "version": "0.1.0",
           "config_hash": "00ff", "state_hash": "12ab",
           "quantities": {"kinetic_energy": 0.04452, "max_divergence": 2.1e-13, "error_u_centreline": 0.004},
           "timings": {"momentum": {"rhs": 0.9, "solve": 0.8, "boundary": 0.04}, "pressure": {"solve": 1.2, "divergence": 0.2,
                       "correct": 0.3}, "output": {"field output": 0.2, "checkpoint": 0.1}},
           "memory": {"estimate": 9.1e6, "peak": 31.5e6}, "fom": {"cell_steps_per_second": 9.0e5}}
    with open(os.path.join(folder, "run.json"), "w") as file:
        json.dump(run, file)


def write_study(folder, steps):
    """Shadow solves whose truth is known: `quick` at half of the leader's time, `even` at the same, `slow` at three times;
    the noise is 2 %."""
    rng = np.random.default_rng(2)
    truth = {"leader": 1.0, "leader again": 1.0, "quick": 0.5, "even": 1.0, "slow": 3.0}
    solver = {"leader": "cg+multigrid", "leader again": "cg+multigrid", "quick": "multigrid", "even": "bicgstab+multigrid",
              "slow": "petsc:-ksp_type cg"}
    with open(os.path.join(folder, "shadow.csv"), "w") as file, open(os.path.join(folder, "shadow_curves.csv"), "w") as curves:
        file.write("step,solve,system,name,solver,place,iterations,reason,r0,r_true,setup_ms,solve_ms,apply_ms,spmv_ms,reduce_ms\n")
        curves.write("step,name,iteration,ms,residual\n")
        for s in range(10, steps + 1, 10):
            for place, name in enumerate(rng.permutation(list(truth))):
                ms = truth[name] * (2 + 0.5 * np.sin(s / 40)) * (1 + 0.02 * rng.standard_normal())
                parts = ",," if name == "slow" else "%g,%g,%g" % (0.6 * ms, 0.2 * ms, 0.1 * ms)
                file.write("%d,0,pressure,%s,%s,%d,%d,converged,1,1e-9,,%g,%s\n" % (s, name, solver[name], place, 5 + s // 100, ms, parts))
                if s == 20 and name != "leader":
                    curves.write("".join("%d,%s,%d,%g,%g\n" % (s, name, i, i * ms / 8, 10.0 ** -i) for i in range(9)))
    rows = [("leader", "", "", "", "", "", "leader", ""), ("leader again", 1.001, 0.995, 1.006, 19, 0.87, "control", ""),
            ("quick", 0.5, 0.495, 0.506, 40, 2e-12, "faster", ""), ("even", 1.001, 0.994, 1.007, 18, 0.64, "no difference", ""),
            ("slow", 3.0, 2.97, 3.03, 0, 2e-12, "slower", "")]
    with open(os.path.join(folder, "shadow_summary.csv"), "w") as file:
        file.write("name,solver,systems,iterations,median_ms,ratio,low,high,won,sign_test_p,failures,verdict,sums_ratio,sums_low,sums_high,"
                   "p95_ms,mean_ms,setup_ms,failed_ms,left_out\n")
        for name, ratio, low, high, won, p, verdict, why in rows:
            median, ms = ratio and 0.98 * ratio, 2 * truth[name]
            file.write("%s,%s,40,6.5,%g,%s,%s,%s,%s,%s,%d,%s,%s,%s,%s,%g,%g,%g,%g,%s\n" % (
                name, solver[name], ms, median, low, high, won, p, 3 if name == "slow" else 0, verdict, ratio, low, high, 1.3 * ms, ms,
                0.1 * ms, 0.2 * ms if name == "slow" else 0, why))
        file.write('square,,0,,,,,,,,,left out,,,,,,,,"it takes square matrices, not ""oblong"" ones"\n')
    with open(os.path.join(folder, "roofline.csv"), "w") as file:
        file.write("step,system,solver,kernel,bytes,flops,seconds,gb_per_s,gflop_per_s,triad_gb_per_s,triad_same_size_gb_per_s\n")
        kernels = [("matrix", "spmv"), ("cg+multigrid", "update"), ("cg+multigrid", "apply"), ("cg+multicolor", "apply")] + \
                  [("cg+multicolor", "colour %d" % i) for i in range(4)]
        for s in (100, 200):
            for i, (who, kernel) in enumerate(kernels):
                rate = 8 + i
                file.write("%d,pressure,%s,%s,%d,%d,%g,%g,%g,20,60\n" % (s, who, kernel, 1000 * rate, 250 * rate * (1 + i), 1e-6, rate,
                                                                        0.25 * rate * (1 + i)))


AB = "case,configuration,runs,failures,total_s,steps,iterations_a_step,ms_an_iteration,other_ms_a_step,pairs,ratio,low,high,won,sign_test_p," \
     "verdict,sums_ratio,sums_low,sums_high,noise,p95_solve_ms,setup_s,failed_s,stopped\n" \
     "cavity,direct,3,0,0.02,60,9,0.005,0.04,3,,,,,,baseline,,,,,0.01,1e-6,0,0\n" \
     "cavity,direct again,3,0,0.02,60,9,0.005,0.04,3,1.01,0.98,1.04,1,1,control,1.01,0.98,1.04,1.04,0.01,1e-6,0,0\n" \
     "cavity,multigrid,3,0,0.01,60,12,0.002,0.04,3,0.5,0.45,0.56,3,0.25,faster,0.5,0.45,0.56,1.04,0.07,1e-6,0,0\n" \
     "cavity,jacobi,3,0,0.08,60,120,0.01,0.06,3,4.7,2.5,,0,0.25,slower,4.7,2.5,,1.04,0.48,1e-6,0,1\n"


def write(folder, **files):
    for name, text in files.items():
        with open(os.path.join(folder, name.replace("__", ".")), "w") as file:
            file.write(text)


def write_ab(folder):
    write(folder, ab__txt="Solvers of a cavity\n12 whole runs, 3 repeats\n\ncavity\n  the baseline is reproducible\n", ab_summary__csv=AB,
          ab__csv="case,configuration,repeat,exit_code,counts,reason\ncavity,direct,1,0,1,end time\ncavity,jacobi,2,4,0,max_iterations\n",
          ab_quantities__csv="case,configuration,quantity,value,baseline,difference,spread_of_baseline\ncavity,jacobi,energy,2,1,1,0\n")


def write_map(folder):
    cells, rows = "x,y,winner,decided,second,margin\n", "x,y,configuration,runs,failures,stopped,pairs,ratio,low,high,noise,verdict,total_s\n"
    for n in (16, 32, 64):
        for nu in (0.1, 0.01):
            cells += '"[%d, %d]",%g,%s,%d,direct,1.5\n' % (n, n, nu, "jacobi" if n == 16 else "direct", n != 32)
            rows += '"[%d, %d]",%g,direct,3,0,0,3,,,,,baseline,1\n"[%d, %d]",%g,jacobi,3,0,0,3,0.7,0.6,0.8,1.1,faster,0.7\n' % (n, n, nu, n, n, nu)
    write(folder, map__txt="Cavity: which solver\ngrid.cells\nflow.viscosity\n", map_cells__csv=cells, map__csv=rows)


def main(folder, kind="2d"):
    os.makedirs(folder, exist_ok=True)
    if kind in ("ab", "map"):
        return write_ab(folder) if kind == "ab" else write_map(folder)
    if kind == "empty":
        return
    os.makedirs(os.path.join(folder, "vtk"))
    grid, fields = cavity() if kind != "3d" else taylor_green()
    write_vtr(os.path.join(folder, "vtk/run_00000400.vtr"), 2.0, grid, fields, compress=kind == "3d")
    with open(os.path.join(folder, "vtk/run.pvd"), "w") as file:
        file.write('<VTKFile type="Collection"><Collection><DataSet timestep="2" file="run_00000400.vtr"/></Collection></VTKFile>')
    write_records(folder, 400)
    write_profile(folder)
    write_summary(folder)
    if kind == "study":
        write_study(folder, 400)
    with open(os.path.join(folder, "config.effective.toml"), "w") as file:
        file.write(CASE)
    if kind == "broken":
        for name in ("run.json", "config.effective.toml", "history.csv", "solves.csv", "vtk/run_00000400.vtr",
                     "probes/u_centreline.csv"):
            path = os.path.join(folder, name)
            with open(path, "r+b") as file:
                file.truncate(os.path.getsize(path) // 3)


if __name__ == "__main__":
    main(*sys.argv[1:])
