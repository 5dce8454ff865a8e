#include "tests/benchmarks/anzt/problems.hpp"

#include <algorithm>

#include "tests/support/systems/anisotropic.hpp"

namespace weir::bench {

std::vector<AniProblem> ani_problems(bool quick, int count) {
  if (quick) return {{"ANI-like, small", test::anisotropic({.m = 30})}};
  std::vector<AniProblem> problems;
  const int nodes[] = {112, 225, 451};  // 12,544, 50,625 and 203,401 rows; ANI5 to 7: 12,561, 50,721 and 203,841
  for (int q = 0; q < std::min(count, 3); ++q)
    problems.push_back({"ANI" + std::to_string(5 + q) + "-like", test::anisotropic({.m = nodes[q]})});
  return problems;
}

SolveResult gmres(const BlockCsr<Host>& A, const Preconditioner<Host>& M) {
  KrylovOptions options;
  options.tolerance = 1e-10;
  options.restart = 200;
  options.max_iterations = 3000;
  Array<double, Host> ones(A.size()), b(A.size()), x(A.size());
  for (int i = 0; i < A.size(); ++i) ones.data()[i] = 1;
  A.apply(ones, b);
  return make_krylov<Host>("gmres", options)->solve(A, M, b, x);
}

}  // namespace weir::bench
