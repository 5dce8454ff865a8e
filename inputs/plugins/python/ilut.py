"""A preconditioner in Python: preconditioner = { type = "python", module = "ilut.py", drop = 1e-4 }.

Other keys of the table come as arguments. A is a scipy.sparse.csr_matrix of this rank's rows, r a numpy array."""
import scipy.sparse.linalg


class Ilut:
    def __init__(self, drop=1e-4, fill=10):
        self.drop, self.fill = drop, fill

    def setup(self, A):  # a new matrix
        self.factors = scipy.sparse.linalg.spilu(A.tocsc(), drop_tol=self.drop, fill_factor=self.fill)

    def apply(self, r):  # z = M^-1 r
        return self.factors.solve(r)
