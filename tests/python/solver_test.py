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


class Lent:
    """An array that only DLPack reaches, in memory of the given kind: 1 the host's, 2 that of CUDA."""

    def __init__(self, array, kind=1):
        self.array, self.kind, self.asked = array, kind, 0

    def __dlpack__(self, **how):
        self.asked += 1
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.kind, 0


class OnDevice:
    """The attributes of an array of a GPU in CuPy and PyTorch."""

    def __init__(self, array):
        self.ndim, self.array = array.ndim, array
        self.__cuda_array_interface__ = {"shape": array.shape, "typestr": array.dtype.str, "data": (array.ctypes.data, False), "version": 3}

    def copy(self):
        return OnDevice(self.array.copy())


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

    def test_arrays_of_others(self):
        x = self.solves(weir.Solver(A, GMRES), A)
        parts = (A.data, A.indices, A.indptr)
        for rows in (parts, tuple(Lent(v) for v in parts), (A.data, A.indices.astype(np.int64), A.indptr.astype(np.int64))):
            solver = weir.Solver(rows, GMRES)
            lent, guess = Lent(b), Lent(np.zeros(n))
            y, result = solver.solve(lent, guess)
            self.assertTrue(result.converged and (x == y).all())
            self.assertEqual((lent.asked, guess.asked), (1, 1))
            self.assertTrue((solver.apply(Lent(b)) == solver.apply(b)).all())
        mine = (A.data.copy(), A.indices, A.indptr.astype(np.int64))
        solver = weir.Solver(tuple(Lent(v) for v in mine), GMRES, copy=False)
        self.assertTrue((self.solves(solver, A) == x).all())
        mine[0][:] *= 2  # the library uses the arrays that were lent
        solver.update(tuple(Lent(v) for v in mine))
        self.solves(solver, A * 2)

    def test_arrays_of_a_device(self):
        solver = weir.Solver(A, GMRES)
        for wrong in (Lent(b, 2), OnDevice(b)):
            self.refused("b is in the memory", solver.solve, wrong)
            self.refused("x0 is in the memory", solver.solve, b, wrong)
            self.refused("r is in the memory", solver.apply, wrong)
        self.refused("data is in the memory of a device", weir.Solver, (Lent(A.data, 2), A.indices, A.indptr))
        self.refused("indices is in the memory of the host", weir.Solver, (OnDevice(A.data), A.indices, OnDevice(A.indptr)))
        self.refused("type <f4", weir.Solver, (OnDevice(A.data.astype(np.float32)), OnDevice(A.indices), OnDevice(A.indptr)))
        self.refused("device", weir.Solver, tuple(OnDevice(v) for v in (A.data, A.indices, A.indptr)))

    def test_any_input_is_solved_or_refused(self):
        """Arrays with errors of every kind, at random: no call ends the process."""
        random, solved, refused = np.random.default_rng(47), 0, 0
        wrong = (np.nan, np.inf, 0.0, 1e300, -1.0)
        options = (GMRES, "", 'method = "cg"', 'method = "bicgstab"\npreconditioner = { type = "parilu" }', "method = 3", "[a", "\udcff")
        for _ in range(400):
            m = int(random.integers(2, 8))
            matrix = convection(m)
            data, indices, indptr = matrix.data.copy(), matrix.indices.copy(), matrix.indptr.copy()
            rhs, at = random.standard_normal(m * m), int(random.integers(len(data)))
            change = int(random.integers(16))
            if change == 0:
                data[at] = random.choice(wrong)
            elif change == 1:
                indices[at] = random.integers(-3, m * m + 3)
            elif change == 2:
                indptr[int(random.integers(len(indptr)))] = random.integers(-2, len(data) + 3)
            elif change == 3:
                data = data[:-1]
            elif change == 4:
                indptr = indptr[:-1]
            elif change == 5:
                data = data.astype(random.choice(["f4", "i8", "c16", "U4", "O"]))
            elif change == 6:
                rhs = rhs[: int(random.integers(m * m))]
            elif change == 7:
                rhs[0] = random.choice(wrong)
            elif change == 8:
                rhs = rhs.reshape(m, m)
            elif change == 9:
                rhs = np.asfortranarray(random.standard_normal((m * m, 3)))[:, ::2]
            elif change == 10:
                indices = indices[::-1]
            try:
                solver = weir.Solver((data, indices, indptr), options[int(random.integers(7)) if random.integers(3) == 0 else 0],
                                     threads=1, copy=bool(random.integers(2)))
                solver.solve(rhs, transposed=bool(random.integers(2)))
                solver.update((data, indices, indptr))
                solved += 1
            except (SolverError, UnicodeEncodeError):
                refused += 1
        self.assertGreater(solved, 100)
        self.assertGreater(refused, 50)

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
        self.refused("complex", weir.Solver(A).solve, b * 1j)
        self.refused("scipy.sparse", weir.Solver, A.toarray())
        self.refused("gmress", weir.Solver, A, 'method = "gmress"')
        self.refused("tolerance", weir.Solver, A, "tolerence = 1")
        self.refused("symmetric", weir.Solver, A, constant_null_space=True)
        outside = A.copy()
        outside.indices[0] = 10**6
        self.refused("an index is not between", weir.Solver, outside)
        zero = A.copy()
        zero.data[:] = 0
        self.assertRaises(SolverError, weir.Solver, zero)
        solver = weir.Solver(A, GMRES)
        self.refused("shape", solver.solve, b[:-1])
        self.refused("shape", solver.solve, b, x0=b[:-1])
        self.refused("shape", solver.apply, b[:-1])
        self.refused("real numbers", solver.solve, "b")
        self.refused("real numbers", solver.solve, None)
        self.refused("real numbers", solver.solve, b, x0="x0")
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
