// Squares underflow below 1e-154 and overflow above 1e154; products of two squares already below 1e-77 and above 1e77.
// Right-hand sides below 1e-70 or above 1e70 are scaled by a power of two, which is exact, and the solution is scaled
// back.
#pragma once
#include <algorithm>
#include <cmath>

#include "solvers/device/vector_ops.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

// solve(b, x) -> SolveResult, to a tolerance relative to |b|. The second solve is done only for right-hand sides of
// such a size.
template <class Space, class Solve>
SolveResult solve_scaled(const Matrix<Space>& A, View<const double> b, View<double> x, Solve solve) {
  constexpr double small = 1e-70, large = 1e70;
  SolveResult result = solve(b, x);
  const bool fits = result.residual0 > small && result.residual0 < large;
  if (fits && result.iterations > 0) return result;
  const double mine = max_norm<Space>(b), most = A.ranks() ? A.ranks()->max(mine) : mine;
  if (most == 0 || !std::isfinite(most) || (most > small && most < large)) return result;
  // In two steps: the reciprocal of a denormal number overflows.
  const int exponent = -std::ilogb(most);
  const double first = std::ldexp(1.0, exponent / 2), second = std::ldexp(1.0, exponent - exponent / 2);
  Array<double, Space> scaled_b(b.size()), scaled_x(x.size());
  scaled<Space>(first, b, scaled_b);
  scaled<Space>(second, scaled_b, scaled_b);
  scaled<Space>(0, scaled_b, scaled_x);
  result = solve(scaled_b, scaled_x);
  scaled<Space>(1 / first, scaled_x, x);
  scaled<Space>(1 / second, x, x);
  const double mine_of_x = max_norm<Space>(x), most_of_x = A.ranks() ? A.ranks()->max(mine_of_x) : mine_of_x;
  if (!std::isfinite(most_of_x)) result.reason = Reason::not_finite;  // the solution exceeds the range of double
  for (double* norm : {&result.residual0, &result.residual, &result.true_residual}) *norm = *norm / first / second;
  return result;
}

}  // namespace weir
