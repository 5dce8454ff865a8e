#!/usr/bin/env python3
"""A scipy matrix with a million unknowns by weir.Solver and, in turns, by the C++ interface on the same arrays.

    million.py [LIBRARY [PAIRS]]     LIBRARY: made of million.cpp; without it weir.Solver alone

Of each pair one call is the first in turn. A call is set-up, solve and the end of the solver; the ratio of
its processor times is the median over the pairs, with the smallest and the largest."""
import ctypes
import statistics
import sys
import time

import numpy as np
import scipy.sparse as sp
import weir

OPTIONS = 'method = "bicgstab"\ntolerance = 1e-8\npreconditioner = { type = "block_ilu0" }'


def convection(m):
    """Convection and diffusion on m^3 points, upwind."""
    one, second = sp.identity(m), sp.diags([-1.0, 2.05, -1.0], [-1, 0, 1], shape=(m, m))
    wind = sp.diags([-1.3, 2.35, -1.0], [-1, 0, 1], shape=(m, m))
    return sp.csr_matrix(sp.kron(one, sp.kron(one, wind)) + sp.kron(one, sp.kron(second, one)) + sp.kron(second, sp.kron(one, one)))


def by_python(A, b):
    with weir.Solver(A, OPTIONS, threads=1) as solver:
        return solver.solve(b)


def by_cpp(library, A, b):
    x, iterations = np.zeros_like(b), ctypes.c_int()
    address = [ctypes.c_void_p(v.ctypes.data) for v in (A.indptr, A.indices, A.data, b, x)]
    failed = library.solve_by_cpp(ctypes.c_int(A.shape[0]), *address, OPTIONS.encode(), ctypes.byref(iterations))
    assert not failed
    return x, iterations.value


def main():
    A = convection(100)
    b = np.sin(np.arange(A.shape[0], dtype=float))
    x, result = by_python(A, b)
    far = np.linalg.norm(A @ x - b) / np.linalg.norm(b)
    print(f"{A.shape[0]} unknowns, {A.nnz} entries: {result.reason} after {result.iterations} iterations, |b - A x| / |b| = {far:.1e}")
    assert result.converged and far < 2e-8
    if len(sys.argv) < 2:
        return
    library, ratios = ctypes.CDLL(sys.argv[1]), []
    y, iterations = by_cpp(library, A, b)
    assert iterations == result.iterations and (x == y).all()
    calls = {"python": lambda: by_python(A, b), "cpp": lambda: by_cpp(library, A, b)}
    for pair in range(int(sys.argv[2]) if len(sys.argv) > 2 else 9):
        seconds = {}
        for name in sorted(calls, reverse=pair % 2 == 1):
            begun = time.process_time()
            calls[name]()
            seconds[name] = time.process_time() - begun
        ratios.append(seconds["python"] / seconds["cpp"])
        print(f"python {seconds['python']:.3f} s, C++ {seconds['cpp']:.3f} s, ratio {ratios[-1]:.4f}", flush=True)
    print(f"ratio {statistics.median(ratios):.4f} ({min(ratios):.4f} to {max(ratios):.4f}), {len(ratios)} pairs")


main()
