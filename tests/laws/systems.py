#!/usr/bin/env python3
"""Laws of `weir solve`: every matrix, changed in every way, by every solver.

    systems.py WEIR [--work FOLDER]

A "converged" solve leaves |b - A x| <= tolerance |b| for the system in the file, computed here. A solve that is not converged
ends with exit code 3. A regular system of a moderate condition is solved, and so is a singular one whose right-hand side is in
the range; one out of the range is not "converged". A regular matrix near a singular one is never projected.
"""
import argparse
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

TOLERANCE = 1e-8
SOLVERS = ("cg+jacobi", "gmres+block_ilu0", "bicgstab+jacobi", "idrs+block_ilu0")
SYMMETRIC = ("cg+jacobi",)
N = 7


def laplacian(n, weight=lambda i, j: 1.0, mass=0.0, closed=True):
    """A graph's on n x n points; closed: without boundary values, so that its rows sum to the mass."""
    A = {}
    for i in range(n * n):
        A[i, i] = mass
    for x in range(n):
        for y in range(n):
            for dx, dy in ((1, 0), (0, 1)):
                i, j = x + n * y, x + dx + n * (y + dy)
                if x + dx < n and y + dy < n:
                    w = weight(i, j)
                    A[i, j] = A[j, i] = -w
                    A[i, i] += w
                    A[j, j] += w
            if not closed:
                A[x + n * y, x + n * y] += (x in (0, n - 1)) + (y in (0, n - 1))
    return A


def convection(n):
    A = laplacian(n, closed=False)
    for i, j in list(A):
        if abs(i - j) == 1:
            A[i, j] += 0.4 if i > j else -0.4
    return A


def in_blocks(A, n):
    """Each entry a dense block of n x n, symmetric positive definite and the same everywhere."""
    B = [[2.0 if p == q else 1.0 / (2 + abs(p - q)) for q in range(n)] for p in range(n)]
    return {(i * n + p, j * n + q): a * B[p][q] for (i, j), a in A.items() for p in range(n) for q in range(n)}


def two_of(A, n):
    return {**A, **{(i + n, j + n): 2 * a for (i, j), a in A.items()}}


def rows_of(A):
    return 1 + max(i for i, j in A)


# name: (matrix, null vectors, symmetric)
def matrices():
    ones, size = [1.0] * (N * N), N * N
    closed = laplacian(N)
    yield "dirichlet", laplacian(N, closed=False), [], True
    yield "jumps", laplacian(N, lambda i, j: 1e3 if (i + j) % 3 else 1e-3, closed=False), [], True
    yield "convection", convection(N), [], False
    for n in (2, 3, 4, 6):
        yield "blocks_%d" % n, in_blocks(laplacian(4, closed=False), n), [], True
    for mass in (1e-3, 1e-6, 1e-9):
        yield "mass_%g" % mass, laplacian(N, mass=mass), [], True
    yield "closed", closed, [ones], True
    yield "two_closed", two_of(closed, size), [ones + [0.0] * size, [0.0] * size + ones], True


def changed(A, null, symmetric, rng):
    """(name, rows' factors, columns' factors, place of each row)"""
    n, same = rows_of(A), None
    order = list(range(n))
    rng.shuffle(order)
    wide = [10.0 ** rng.uniform(-3, 3) for _ in range(n)]
    yield "plain", [1.0] * n, [1.0] * n, range(n), symmetric
    yield "times 3e-150", [3e-150] * n, [1.0] * n, range(n), symmetric
    yield "times 7e120", [7e120] * n, [1.0] * n, range(n), symmetric
    yield "permuted", [1.0] * n, [1.0] * n, order, symmetric
    yield "rows scaled", wide, [1.0] * n, range(n), False
    yield "columns scaled", [1.0] * n, wide, range(n), False
    yield "both scaled", wide, wide, range(n), symmetric


def product(A, x):
    parts = [[] for _ in x]
    for (i, j), a in A.items():
        parts[i].append(a * x[j])
    return [math.fsum(p) for p in parts]


def norm(v):
    size = max(map(abs, v))
    return size * math.sqrt(math.fsum((x / size) ** 2 for x in v)) if 0 < size < math.inf else size


def write_matrix(path, A):
    n = rows_of(A)
    path.write_text("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n" % (n, n, len(A)) +
                    "".join("%d %d %.17g\n" % (i + 1, j + 1, a) for (i, j), a in A.items()))


def write_vector(path, v):
    path.write_text("%%%%MatrixMarket matrix array real general\n%d 1\n" % len(v) + "".join("%.17g\n" % x for x in v))


def read_vector(path):
    lines = [line for line in path.read_text().split("\n") if line and line[0] != "%"]
    return [float(line) for line in lines[1:]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weir")
    parser.add_argument("--work")
    a = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    rng, tried, wrong = random.Random(43), 0, []
    with tempfile.TemporaryDirectory(prefix="weir_systems_", dir=a.work) as name:
        folder = pathlib.Path(name)
        for matrix, plain, nulls, symmetric in matrices():
            for change, rows, columns, place, is_symmetric in changed(plain, nulls, symmetric, rng):
                A = {(place[i], place[j]): rows[i] * v * columns[j] for (i, j), v in plain.items()}
                left = [[0.0] * len(rows) for _ in nulls]  # null vectors of the transpose
                for v, out in zip(nulls, left):
                    for i, x in enumerate(v):
                        out[place[i]] = x / rows[i]
                x = [rng.uniform(-1, 1) for _ in rows]
                inside = product(A, x)
                write_matrix(folder / "A.mtx", A)
                sides = [("in the range", inside)]
                if nulls:
                    far = max(map(abs, inside)) / max(abs(v) for v in left[0])
                    sides.append(("out of the range", [b + 0.5 * far * v for b, v in zip(inside, left[0])]))
                for side, b in sides:
                    write_vector(folder / "b.mtx", b)
                    for solver in SOLVERS:
                        if solver in SYMMETRIC and not is_symmetric:
                            continue
                        tried += 1
                        told = told_by(a.weir, folder, solver)
                        why = look_at(A, b, folder, told, side, bool(nulls), matrix)
                        if why:
                            wrong.append("%s, %s, b %s, %s: %s" % (matrix, change, side, solver, why))
                            print(wrong[-1], flush=True)
    print("%d systems, %d wrong" % (tried, len(wrong)))
    return 1 if wrong else 0


def told_by(weir, folder, solver):
    return subprocess.run([weir, "solve", folder / "A.mtx", "--rhs", folder / "b.mtx", "--solver", solver, "--tolerance", str(TOLERANCE),
                           "--solution", folder / "x.mtx"], capture_output=True, text=True)


def look_at(A, b, folder, told, side, is_singular, matrix):
    if told.returncode not in (0, 3):
        return "exit code %d: %s" % (told.returncode, told.stderr[-200:])
    if told.returncode == 3:
        return "" if side == "out of the range" else "not solved: " + told.stdout.strip().splitlines()[-1]
    if not is_singular and "projected out" in told.stdout:
        return "a regular matrix is projected"
    residual = norm([p - q for p, q in zip(b, product(A, read_vector(folder / "x.mtx")))]) / norm(b)
    return "" if residual <= TOLERANCE * (1 + 1e-6) else "converged, but |b - A x| = %.3g |b|" % residual


if __name__ == "__main__":
    sys.exit(main())
