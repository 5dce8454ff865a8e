// Iterative refinement with the solution and its residual in twice double's precision (Demmel, Hida, Kahan, Li, Mukherjee
// & Riedy 2006, "extra-precise iterative refinement"): x is kept as the sum of two doubles, r = b - A x is accumulated in
// double-double (Dekker 1971, with fused multiply-add), A d = r is solved by any solver. It reaches tolerances at which
// no x of single doubles exists: eps ||A| |x|| may be far above tolerance |b|.
#pragma once
#include "solvers/adapters/any_solver.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

struct ExtendedSolution {
  SolveResult result;  // iterations of all inner solves; residuals in twice the precision
  int steps = 0;       // of refinement
  std::vector<double> x, low;
};

// |b - A x| <= tolerance |b|. inner: set up for A; each of its solves is to its own tolerance, relative to its own
// right-hand side. Ends as inner says where a step does not halve the residual any more.
ExtendedSolution solve_extended(const BlockCsrData& data, const BlockCsr<Host>& A, AnySolver<Host>& inner,
                                const std::vector<double>& b, double tolerance, int max_iterations);

}  // namespace weir
