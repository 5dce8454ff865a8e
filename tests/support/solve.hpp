// One preconditioner applied, and one solve with everything made from names, for tests.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "solvers/krylov/krylov.hpp"
#include "tests/support/systems/dense.hpp"

namespace weir::test {

// M^-1 r
template <class Space>
Numbers applied(const Preconditioner<Space>& M, const Numbers& r) {
  const Array<double, Space> R(r);
  Array<double, Space> Z(R.size());
  M.apply(R, Z);
  return Z.to_vector();
}

template <class Space>
SolveResult solve(const std::string& method, const Preconditioner<Space>& M, const Matrix<Space>& A, const Numbers& b,
                  Numbers& x, const KrylovOptions& options, Numbers* history = nullptr) {
  auto krylov = make_krylov<Space>(method, options);
  const Array<double, Space> B(b);
  Array<double, Space> X(x);
  const SolveResult result = krylov->solve(A, M, B, X);
  x = X.to_vector();
  EXPECT_TRUE(B.to_vector() == b || std::isnan(norm(b))) << "the right-hand side was changed";
  if (history) *history = krylov->history();
  return result;
}

template <class Space>
SolveResult solve(const std::string& method, const std::string& preconditioner, const Matrix<Space>& A,
                  const Numbers& b, Numbers& x, const KrylovOptions& options, Numbers* history = nullptr) {
  auto M = make_preconditioner<Space>(preconditioner, Table());
  M->setup(A);
  return solve<Space>(method, *M, A, b, x, options, history);
}

}  // namespace weir::test
