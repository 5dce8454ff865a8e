// Iterative refinement with solution and residual in twice double precision (Demmel, Hida, Kahan, Li, Mukherjee &
// Riedy 2006, "extra-precise iterative refinement"): x is a sum of two doubles, r = b - A x is accumulated in
// double-double (Dekker 1971, with fused multiply-add), A d = r is solved by any solver. It reaches tolerances that
// no x in single doubles can meet: eps ||A| |x|| may be far above tolerance |b|.
#pragma once
#include "solvers/adapters/any_solver.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

struct ExtendedSolution {
  SolveResult result;  // iterations of all inner solves; extended-precision residuals
  int steps = 0;       // refinement steps
  std::vector<double> x, low;
};

// Solves to |b - A x| <= tolerance |b|. inner: set up for A; it solves to its own tolerance relative to its
// right-hand side. If a step does not halve the residual, returns with the status of the inner solve.
ExtendedSolution solve_extended(const BlockCsrData& data, const BlockCsr<Host>& A, AnySolver<Host>& inner,
                                const std::vector<double>& b, double tolerance, int max_iterations);

}  // namespace weir
