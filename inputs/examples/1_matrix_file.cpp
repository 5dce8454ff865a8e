// 1. Solves a system from a file with the method and preconditioner given as text, using the keys of [linear.SYSTEM]
// in a case file (docs/reference/solvers.md).
//
//   ./1_matrix_file A.mtx
//   ./1_matrix_file A.mtx 'method = "gmres"
//                          preconditioner = { type = "multicolor", sweeps = 2 }'
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <weir/base/error.hpp>
#include <weir/inputs/case.hpp>
#include <weir/solvers/linear_solver.hpp>
#include <weir/solvers/matrix/facts.hpp>
#include <weir/solvers/matrix/io/matrix_market.hpp>

using weir::Host;  // weir::Device is the GPU, or its much slower emulator in a CPU build

int main(int argc, char** argv) try {
  if (argc < 2) throw weir::Error(weir::Exit::usage, "1_matrix_file A.mtx [OPTIONS]");
  const std::string text = argc > 2 ? argv[2] : R"(
method = "cg"
tolerance = 1e-10     # of |b - A x| / |b|
preconditioner = { type = "block_ilu0" })";

  // A file states few properties; read_matrix_market determines those that methods rely on from the values.
  weir::BlockCsrData data = weir::read_matrix_market(argv[1]);
  data.symmetric = weir::is_symmetric(data);
  data.constant_null_space = weir::has_constant_null_space(data);
  const weir::BlockCsr<Host> A(data);

  // b = A * ones, so that the solution is known. Vectors have A.size() values.
  const weir::Array<double, Host> ones(std::vector<double>(A.size(), 1.0));
  weir::Array<double, Host> b(A.size()), x(A.size());  // zeros
  A.apply(ones, b);

  // Unknown keys and incompatible combinations throw weir::Error.
  const weir::Table options = weir::read_case_text(text, "options");
  weir::LinearSolver<Host> solver(options);
  options.refuse_unknown();
  solver.setup(A);
  const weir::SolveResult result = solver.solve(A, b, x);  // from x = 0

  double error = 0;
  for (double value : x.to_vector()) error = std::max(error, std::abs(value - 1));
  std::printf("%s: %d unknowns\n", argv[1], A.size());
  std::printf("%s: %s after %d iterations, |b - A x| / |b| = %.1e, set up in %.3f s, solved in %.3f s\n",
              solver.describe().c_str(), weir::to_string(result.reason), result.iterations,
              result.true_residual / result.residual0, solver.setup_info().seconds, result.solve_seconds);
  std::printf("largest error %.1e\n", error);
  return result.converged() ? 0 : 1;  // a failure to converge is a result, not an exception
} catch (const weir::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
