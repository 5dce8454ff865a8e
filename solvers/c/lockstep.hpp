// Solves with the same matrix and preconditioner in turn on one thread, each on a stack of its own. Where all wait for
// a product or an application of the preconditioner, one pass over the matrix serves them all
// (solvers/matrix/many.hpp). Each solve gets the same bits as alone; its times include those of the others.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "solvers/krylov/krylov.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir {

// solve(j, A', M') for j = 0 .. count - 1, with A' and M' in the place of A and M.
using SolveOne = std::function<SolveResult(int j, const Matrix<Host>& A, const Preconditioner<Host>& M)>;
std::vector<SolveResult> solve_in_lockstep(const BlockCsr<Host>& A, const Preconditioner<Host>& M, int count,
                                           const SolveOne& solve);
// Methods that use no more of a matrix than its products.
bool runs_in_lockstep(const std::string& method);

}  // namespace weir
