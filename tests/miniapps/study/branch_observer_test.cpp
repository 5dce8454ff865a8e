// Observation of a solve on a branch, for waves of known length.
#include "miniapps/study/relay/branch_observer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "inputs/case.hpp"
#include "solvers/matrix/block/block_csr.hpp"

namespace weir::branch_observer_test {
namespace {

constexpr int rows = 400;

// Two variables that do not meet: 4 u_i - u_{i-1} - u_{i+1} of each.
BlockCsr<Host> chain() {
  BlockCsrData d;
  d.block = 2;
  d.row_start = {0};
  for (int i = 0; i < rows; ++i) {
    for (const int j : {i - 1, i, i + 1}) {
      if (j < 0 || j >= rows) continue;
      const double a = i == j ? 4 : -1;
      d.column.push_back(j);
      d.value.insert(d.value.end(), {a, 0, 0, a});
    }
    d.row_start.push_back(static_cast<std::int64_t>(d.column.size()));
  }
  return BlockCsr<Host>(d);
}

TEST(BranchObserver, TellsLongWavesFromShortOnesAndWhatThePreconditionerLeaves) {
  const auto observation = [](bool is_first_long, bool is_second_long) {
    const BlockCsr<Host> A = chain();
    std::vector<double> truth;
    for (int i = 0; i < rows; ++i)
      for (const bool is_long : {is_first_long, is_second_long}) {
        const double wave = is_long ? std::sin(std::numbers::pi * i / rows) : (i % 2 == 0 ? 1 : -1);
        truth.push_back(truth.size() % 2 == 0 ? 1e-6 * wave : 1e3 * wave);
      }
    const Array<double, Host> exact(truth);
    Array<double, Host> b(2 * rows), x(2 * rows);
    A.apply(exact, b);
    const Communicator alone;
    StudiedSolver<Host> solver(read_case_text(
        "method = \"gmres\"\ntolerance = 1e-10\npreconditioner = { type = \"block_jacobi\" }", "eye.toml"));
    BranchObserver<Host> observer(alone);
    observer.watch(solver, solver);
    solver.setup(A);
    observer.observe_next();
    solver.solve(A, b, x);
    double seconds = 0;
    return observer.take(seconds);
  };
  EXPECT_NEAR(observation(true, true).long_waves, 1, 0.01);
  EXPECT_NEAR(observation(false, false).long_waves, 1.0 / 9, 0.01) << "the mean of three that alternate";
  EXPECT_NEAR(observation(true, false).long_waves, 5.0 / 9, 0.01) << "each variable counts alike";
  EXPECT_NEAR(observation(true, true).left, 0.5, 0.01) << "r = 2 u, u / 4 taken off: 1 - 2 / 4";
  EXPECT_NEAR(observation(false, false).left, 0.5, 0.01) << "|1 - 6 / 4|";
}

}  // namespace
}  // namespace weir::branch_observer_test
