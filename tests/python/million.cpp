// The C++ interface as a function of million.py: a matrix of scipy, copied as weir_setup copies it.
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <weir/base/error.hpp>
#include <weir/inputs/case.hpp>
#include <weir/solvers/linear_solver.hpp>
#include <weir/solvers/matrix/facts.hpp>

using weir::Host;

extern "C" int solve_by_cpp(int rows, const std::int32_t* row_start, const std::int32_t* column, const double* value,
                            const double* b, double* x, const char* text, int* iterations) try {
  omp_set_num_threads(1);
  weir::BlockCsrData data;
  data.block = 1;
  data.row_start.assign(row_start, row_start + rows + 1);
  data.column.assign(column, column + row_start[rows]);
  data.value.assign(value, value + row_start[rows]);
  data.symmetric = weir::is_symmetric(data);
  data.constant_null_space = weir::has_constant_null_space(data);
  const weir::BlockCsr<Host> A(std::move(data));
  const weir::Table options = weir::read_case_text(text, "options");
  weir::LinearSolver<Host> solver(options);
  solver.setup(A);
  const weir::SolveResult result = solver.solve(A, weir::View<const double>(b, rows), weir::View<double>(x, rows));
  *iterations = result.iterations;
  return result.converged() ? 0 : 1;
} catch (const weir::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
