// The systems of the anzt suites: what ANI5, ANI6 and ANI7 of the paper's Table II are, generated.
#pragma once
#include <string>
#include <vector>

#include "solvers/krylov/krylov.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir::bench {

struct AniProblem {
  std::string name;  // "ANI5-like"
  BlockCsrData data;
};
// quick: one small one. Else the first `count` of ANI5, ANI6, ANI7.
std::vector<AniProblem> ani_problems(bool quick, int count);

// GMRES(200) from zero to 1e-10 relative, b = A (1, 1, ...): the paper's stopping test.
SolveResult gmres(const BlockCsr<Host>& A, const Preconditioner<Host>& M);

}  // namespace weir::bench
