"""pyamg as it is: preconditioner = { type = "python", module = "amg.py" }. A function of the matrix does as well as a class: it
returns what has aspreconditioner(), a LinearOperator, or a function of r."""
import pyamg


def solver(A):
    return pyamg.smoothed_aggregation_solver(A)
