#!/usr/bin/env python3
"""weir.Solver: scipy matrices in every form, and input of every wrong kind. Skipped without libweir.so (-DWEIR_SHARED=ON)."""
import pathlib
import sys
import tempfile
import threading
import unittest

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import weir
from weir.solver import SolverError, library_version

try:
    library_version()
except SolverError as error:
    print(f"skipped: {error}")
    sys.exit(77)

GMRES = 'method = "gmres"\ntolerance = 1e-12\npreconditioner = { type = "block_ilu0" }'


def convection(n):
    one = sp.diags([-1.4, 2.3, -0.6], [-1, 0, 1], shape=(n, n))
    two = sp.diags([-1.0, 2.3, -1.0], [-1, 0, 1], shape=(n, n))
    return sp.csr_matrix(sp.kron(sp.identity(n), one) + sp.kron(two, sp.identity(n)))


A = convection(20)
n = A.shape[0]
b = np.sin(np.arange(n, dtype=float))


class SolverTest(unittest.TestCase):
    def solves(self, solver, matrix, rhs=b, **how):
        x, result = solver.solve(rhs, **how)
        self.assertTrue(result.converged, result)
        self.assertLess(np.abs(matrix @ x - rhs).max(), 1e-9)
        return x

    def test_every_form_of_a_matrix(self):
        wide = sp.bsr_matrix(sp.kron(A, np.array([[2.0, 0.3], [0.1, 1.5]])), blocksize=(2, 2))
        for matrix in (A, A.tocoo(), A.tocsc(), wide, A.astype(np.float32).astype(np.float64), sp.csr_array(A)):
            with weir.Solver(matrix, GMRES) as solver:
                rhs = np.sin(np.arange(matrix.shape[0], dtype=float))
                self.solves(solver, matrix, rhs)
                self.solves(solver, matrix.T, rhs, transposed=True)
                solver.update(matrix * 2)
                self.solves(solver, matrix * 2, rhs)

    def test_unsorted_and_duplicate_entries_are_summed(self):
        shuffled = sp.csr_matrix((A.data, A.indices, A.indptr), shape=A.shape)
        shuffled.has_sorted_indices = False
        for i in range(n):
            part = slice(shuffled.indptr[i], shuffled.indptr[i + 1])
            shuffled.indices[part] = shuffled.indices[part][::-1].copy()
            shuffled.data[part] = shuffled.data[part][::-1].copy()
        self.solves(weir.Solver(sp.csr_matrix((shuffled.data, shuffled.indices, shuffled.indptr), shape=A.shape), GMRES), A)
        coo = A.tocoo()
        doubled = sp.coo_matrix((np.tile(coo.data / 2, 2), (np.tile(coo.row, 2), np.tile(coo.col, 2))), shape=A.shape)
        self.solves(weir.Solver(doubled, GMRES), A)

    def test_many_right_hand_sides(self):
        solver = weir.Solver(A, GMRES)
        B = np.random.default_rng(1).standard_normal((n, 3))
        X, results = solver.solve(B)
        for j in range(3):
            x, result = solver.solve(B[:, j])
            self.assertTrue((x == X[:, j]).all())
            self.assertEqual(result.iterations, results[j].iterations)
        for wrong in (B[:-1], B[:, :0]):
            self.assertRaises(SolverError, solver.solve, wrong)

    def test_borrowed_arrays(self):
        mine = A.copy()
        solver = weir.Solver(mine, GMRES, copy=False)
        x, y = self.solves(solver, A), self.solves(weir.Solver(A, GMRES), A)
        self.assertTrue((x == y).all())
        solver.update(mine * 3)
        self.solves(solver, A * 3)

    def test_scipy_methods(self):
        solver = weir.Solver(A, GMRES)
        x, info = scipy.sparse.linalg.gmres(A, b, M=solver.preconditioner(), atol=1e-9)
        self.assertEqual(info, 0)
        inverse = solver.aslinearoperator()
        self.assertLess(np.abs(A @ inverse.matvec(b) - b).max(), 1e-9)
        self.assertLess(np.abs(A.T @ inverse.rmatvec(b) - b).max(), 1e-9)
        u, v = b, np.cos(b)
        M = solver.preconditioner()
        self.assertAlmostEqual(M.rmatvec(u) @ v, u @ M.matvec(v), 10)
        self.assertGreater(len(solver.history), 1)

    def test_two_threads(self):
        found = {}

        def run(k):
            solver = weir.Solver(A * k, GMRES, threads=1)
            found[k] = [solver.solve(b)[0] for _ in range(5)]

        threads = [threading.Thread(target=run, args=(k,)) for k in (1, 2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for k in (1, 2):
            for x in found[k]:
                self.assertTrue((x == found[k][0]).all())

    def test_recorded_systems(self):
        with tempfile.TemporaryDirectory() as folder:
            solver = weir.Solver(A, GMRES)
            solver.record(f"{folder}/dump")
            solver.solve(b)
            solver.record(None)
            solver.solve(b)
            self.assertEqual(len(list(pathlib.Path(folder, "dump").glob("system_*.weir"))), 1)

    def refused(self, words, f, *arguments, **named):
        with self.assertRaises(SolverError) as caught:
            f(*arguments, **named)
        self.assertIn(words, str(caught.exception))

    def test_bad_input(self):
        nan = A.copy()
        nan.data[3] = np.nan
        self.refused("value[3]", weir.Solver, nan)
        self.refused("square", weir.Solver, A[:, :-1])
        self.refused("complex", weir.Solver, A * 1j)
        self.refused("scipy.sparse", weir.Solver, A.toarray())
        self.refused("gmress", weir.Solver, A, 'method = "gmress"')
        self.refused("tolerance", weir.Solver, A, "tolerence = 1")
        self.refused("symmetric", weir.Solver, A, constant_null_space=True)
        outside = A.copy()
        outside.indices[0] = 10**6
        with self.assertRaises((SolverError, ValueError)):
            weir.Solver(outside)
        zero = A.copy()
        zero.data[:] = 0
        self.assertRaises(SolverError, weir.Solver, zero)
        solver = weir.Solver(A, GMRES)
        self.refused("shape", solver.solve, b[:-1])
        self.refused("shape", solver.solve, b, x0=b[:-1])
        self.refused("shape", solver.apply, b[:-1])
        self.assertRaises((TypeError, ValueError), solver.solve, "b")
        self.refused("shape", solver.solve, None)
        infinite = b.copy()
        infinite[0] = np.inf
        try:
            self.assertEqual(solver.solve(infinite)[1].reason, "diverged")
        except SolverError as error:
            self.assertEqual(error.code, 4)
        solver.close()
        solver.close()
        for call in (lambda: solver.solve(b), lambda: solver.apply(b), lambda: solver.update(A), lambda: solver.history, solver.cancel):
            self.refused("closed", call)
        self.assertIn("closed", repr(solver))


if __name__ == "__main__":
    unittest.main()
