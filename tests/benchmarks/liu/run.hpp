// One solver on one system, ours or a peer's, timed.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "solvers/matrix/block/block_csr.hpp"
#include "solvers/matrix/stencil/banded.hpp"

namespace weir::bench {

// The same entries in block rows of one, as other libraries want them; ghost rows with what their remainder adds.
BlockCsrData to_csr(const Banded<Host>& A);
// 0 where the bands point out of the grid: a cell's own value, then west, east, south, north, below, above.
std::vector<double> to_seven(const Banded<Host>& A);

struct Run {
  std::string solver;
  double setup_seconds = 0, solve_seconds = 0;
  int iterations = 0;
  double residual = 0;  // |b - A x| / |b|, the true one
  bool converged = false;
};

// `solver`: "method", "method+preconditioner" or "library:what", from x = 0. Best of `repeats` solves; one set-up.
Run run(const std::string& solver, const Matrix<Host>& A, std::span<const double> b, double tolerance,
        int max_iterations, int repeats);

bool has_peer(const std::string& library);

}  // namespace weir::bench
