"""8. Convection and diffusion -u_xx - u_yy + 40 u_x = f on the unit square by scipy.sparse and weir.Solver: a sequence of
systems with one pattern, many right-hand sides, and Weir's preconditioner in a method of scipy.

    PYTHONPATH=PREFIX/share/weir/python python3 8_convection.py
"""
import numpy as np
import scipy.sparse
import scipy.sparse.linalg
import weir


def matrix(n: int, wind: float) -> scipy.sparse.csr_matrix:
    """Central differences on n x n inner points."""
    h = 1 / (n + 1)
    second = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n)) / h**2
    first = scipy.sparse.diags([-1.0, 1.0], [-1, 1], shape=(n, n)) / (2 * h)
    one = scipy.sparse.identity(n)
    return scipy.sparse.csr_matrix(scipy.sparse.kron(one, second + wind * first) + scipy.sparse.kron(second, one))


def main() -> None:
    n = 127
    x = np.arange(1, n + 1) / (n + 1)
    X, Y = np.meshgrid(x, x)
    exact = (np.sin(np.pi * X) * np.sin(np.pi * Y)).ravel()
    slope = (np.pi * np.cos(np.pi * X) * np.sin(np.pi * Y)).ravel()
    options = 'method = "bicgstab"\ntolerance = 1e-10\npreconditioner = { type = "block_ilu0" }'

    with weir.Solver(matrix(n, 0), options) as solver:
        for wind in (10.0, 20.0, 40.0):  # new values, the same pattern
            A = matrix(n, wind)
            solver.update(A)
            u, result = solver.solve(2 * np.pi**2 * exact + wind * slope)
            assert result.converged, result
        error = np.abs(u - exact).max()
        print(f"{solver!r}: {A.shape[0]} unknowns, {result.iterations} iterations, largest error {error:.1e}")
        assert error < 2e-3  # second order: 1e-3 at n = 127

        B = np.random.default_rng(1).standard_normal((n * n, 4))
        U, results = solver.solve(B)
        assert all(r.converged for r in results) and np.abs(A @ U - B).max() < 1e-6

        b = B[:, 0]
        v, failed = scipy.sparse.linalg.gmres(A, b, M=solver.preconditioner(), atol=0)  # to 1e-5 of |b|
        assert not failed and np.linalg.norm(A @ v - b) < 1e-4 * np.linalg.norm(b)


main()
