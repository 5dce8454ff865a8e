"""ginkgo.json as Ginkgo's benchmarks take it (BENCHMARKING.md): one array of test cases, each with its matrix, the right-hand side
and the format to multiply in; the files are read by scipy, relative to here. Exit code 77: no scipy."""
import json
import sys

try:
    from scipy.io import mmread
except ImportError:
    sys.exit(77)

for case in json.load(open("ginkgo.json")):
    assert case["optimal"]["spmv"] == "csr"
    A, b = mmread(case["filename"]).tocsr(), mmread(case["rhs"])
    assert b.shape == (A.shape[0], 1), b.shape
    print(case["filename"].removesuffix(".mtx"), A.shape[0], A.nnz)
