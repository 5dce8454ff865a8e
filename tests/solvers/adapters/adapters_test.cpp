// Properties of every AnySolver, ours and those of other libraries: the norm, the count of iterations,
// the verdict. Libraries that are not in this build are left out.
#include "solvers/adapters/any_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/adapters/peer.hpp"
#include "tests/support/solve.hpp"
#include "tests/support/systems/block_matrices.hpp"

namespace weir::test::adapters_test {
namespace {

const std::vector<std::string> own = {"cg+jacobi", "bicgstab+jacobi", "gmres+block_ilu0", "fgmres+multicolor",
                                      "block_jacobi"};
const std::vector<std::string> foreign = {"petsc:-ksp_type cg -pc_type jacobi",
                                          "petsc:-ksp_type gmres -pc_type ilu",
                                          "petsc:-ksp_type bcgs -pc_type ilu",
                                          "petsc:-ksp_type fgmres -pc_type sor",
                                          "petsc:-ksp_type preonly -pc_type lu",
                                          "hypre:cg+boomeramg",
                                          "hypre:cg+jacobi",
                                          "hypre:gmres+ilu",
                                          "hypre:fgmres+ilut",
                                          "hypre:bicgstab+ilu",
                                          "hypre:boomeramg",
                                          "eigen:bicgstab+ilut",
                                          "eigen:bicgstab+jacobi",
                                          "eigen:cg+jacobi",
                                          "eigen:sparse_lu",
                                          "suitesparse:cholmod",
                                          "suitesparse:umfpack",
                                          "amgcl:cg+smoothed_aggregation",
                                          "amgcl:bicgstab+ruge_stuben",
                                          "ginkgo:cg+jacobi",
                                          "ginkgo:cg+multigrid",
                                          "ginkgo:bicgstab+ilu",
                                          "ginkgo:gmres+parilut"};

bool is_built(const std::string& name) {
  const std::vector<std::string> there = peer_libraries();
  return !is_peer(name) || std::find(there.begin(), there.end(), peer_name(name).library) != there.end();
}
std::vector<std::string> everyone() {
  std::vector<std::string> names = own;
  for (const std::string& name : foreign)
    if (is_built(name)) names.push_back(name);
  return names;
}
bool is_direct(const std::string& name) {  // amgcl's multigrid: of fewer than 3000 rows it is one level, factorised
  return name.ends_with("sparse_lu") || name.ends_with("-pc_type lu") || name.starts_with("suitesparse:") ||
         name.starts_with("amgcl:");
}

std::unique_ptr<AnySolver<Host>> make(const std::string& name, const std::string& keys = "tolerance = 1e-9\n") {
  const std::size_t plus = is_peer(name) ? std::string::npos : name.find('+');
  std::string text = keys + "method = \"" + name.substr(0, plus) + "\"\n";
  if (plus != std::string::npos) text += "preconditioner = { type = \"" + name.substr(plus + 1) + "\" }\n";
  return make_any_solver<Host>(read_case_text(text, name));
}

struct Solved {
  SolveResult result;
  Numbers x;
};
Solved run(AnySolver<Host>& solver, const Matrix<Host>& A, const Numbers& b, const Numbers& guess) {
  const Array<double, Host> B(b);
  Array<double, Host> X(guess);
  Solved s{solver.solve(A, B, X), {}};
  s.x = X.to_vector();
  return s;
}
Solved run(const std::string& name, const BlockCsrData& data, const Numbers& b, const std::string& keys) {
  const BlockCsr<Host> A(data);
  const auto solver = make(name, keys);
  solver->setup(A);
  return run(*solver, A, b, Numbers(b.size()));
}

// -u'' with a shift, rows of one scalar.
BlockCsrData chain(int n, double shift) {
  BlockCsrData d;
  d.symmetric = true;
  d.row_start.push_back(0);
  for (int i = 0; i < n; ++i) {
    for (const int j : {i - 1, i, i + 1}) {
      if (j < 0 || j >= n) continue;
      d.column.push_back(j);
      d.value.push_back(i == j ? 2 + shift + 0.5 * i / n : -1);
    }
    d.row_start.push_back(static_cast<std::int64_t>(d.column.size()));
  }
  return d;
}

TEST(Adapters, TheTrueResidualMeetsTheToleranceOfTheUnpreconditionedNorm) {
  for (const int B : {1, 3}) {
    const BlockCsrData data = random_blocks(60, B, 4, true);
    const Dense D = dense(data);
    const Numbers b = random_numbers(D.n, 2);
    for (const std::string& name : everyone()) {
      const Solved s = run(name, data, b, "tolerance = 1e-9\n");
      EXPECT_TRUE(s.result.converged()) << name << ": " << to_string(s.result.reason);
      const double left = norm(minus(b, D * s.x));
      EXPECT_LE(left, 1.02e-9 * norm(b)) << name;
      EXPECT_NEAR(s.result.true_residual, left, 1e3 * eps * norm(b)) << name;
      EXPECT_NEAR(s.result.residual0, norm(b), 1e3 * eps * norm(b)) << name;
      EXPECT_GE(s.result.iterations, 1) << name;
    }
  }
}

TEST(Adapters, AGuessIsTakenUpAndAnExactOneNeedsNoIteration) {
  const BlockCsrData data = random_blocks(40, 2, 4, true);
  const Numbers b = random_numbers(80, 2), exact = dense_solve(dense(data), b);
  const BlockCsr<Host> A(data);
  for (const std::string& name : everyone()) {
    const auto solver = make(name);
    solver->setup(A);
    const Solved s = run(*solver, A, b, exact);
    EXPECT_TRUE(s.result.converged()) << name;
    EXPECT_EQ(s.result.iterations, 0) << name;
    EXPECT_EQ(s.x, exact) << name;
    const Solved from_far = run(*solver, A, b, random_numbers(80, 7));
    EXPECT_TRUE(from_far.result.converged()) << name;
    EXPECT_LE(norm(minus(b, dense(data) * from_far.x)), 1.02e-9 * norm(b)) << name;
  }
}

TEST(Adapters, AZeroRightHandSideGivesZeroInNoIterations) {
  const BlockCsrData data = random_blocks(40, 2, 4, true);
  const BlockCsr<Host> A(data);
  for (const std::string& name : everyone()) {
    const auto solver = make(name);
    solver->setup(A);
    const Solved s = run(*solver, A, Numbers(80), random_numbers(80, 1));
    EXPECT_TRUE(s.result.converged()) << name;
    EXPECT_EQ(s.result.iterations, 0) << name;
    EXPECT_EQ(s.x, Numbers(80)) << name;
  }
}

TEST(Adapters, IterationsAreCountedExactlyAndNoneAllowedMeansNoneDone) {
  const BlockCsrData data = chain(200, 0.01);
  const Numbers b = random_numbers(200, 3);
  for (const std::string& name : everyone()) {
    if (is_direct(name) || name.find("ilu") != std::string::npos) continue;  // exact on a chain
    for (const int allowed : {0, 1, 2, 5}) {
      const Solved s = run(name, data, b, "tolerance = 1e-14\nmax_iterations = " + std::to_string(allowed) + "\n");
      EXPECT_EQ(s.result.iterations, allowed) << name;
      EXPECT_EQ(s.result.reason, Reason::max_iterations) << name << ": " << to_string(s.result.reason);
      EXPECT_NEAR(s.result.true_residual, norm(minus(b, dense(data) * s.x)), 1e3 * eps * norm(b)) << name;
    }
  }
}

// The same method with the same preconditioner is the same sequence in exact arithmetic.
TEST(Adapters, TheSameMethodTakesTheSameIterationsInEveryLibrary) {
  const BlockCsrData data = random_blocks(150, 1, 6, true);
  const Numbers b = random_numbers(150, 3);
  const std::vector<std::vector<std::string>> same = {
      {"cg+jacobi", "petsc:-ksp_type cg -pc_type jacobi", "hypre:cg+jacobi", "eigen:cg+jacobi"},
      {"gmres+block_ilu0", "petsc:-ksp_type gmres -pc_type ilu", "petsc:-ksp_type fgmres -pc_type ilu",
       "hypre:gmres+ilu", "hypre:fgmres+ilu"}};
  for (const auto& group : same) {
    const int ours = run(group[0], data, b, "tolerance = 1e-9\n").result.iterations;
    for (const std::string& name : group)
      if (is_built(name)) {
        EXPECT_EQ(run(name, data, b, "tolerance = 1e-9\n").result.iterations, ours) << name;
      }
  }
}

TEST(Adapters, NewValuesOnTheSamePatternAreTakenUpByAnUpdate) {
  BlockCsrData data = random_blocks(60, 2, 4, true);
  const Numbers b = random_numbers(120, 2);
  for (const std::string& name : everyone()) {
    BlockCsrData changed = data;
    const BlockCsr<Host> A(data);
    const auto solver = make(name);
    solver->setup(A);
    run(*solver, A, b, Numbers(120));
    for (double& v : changed.value) v *= 1.5;
    for (int i = 0; i < 60; ++i)
      for (auto e = changed.row_start[static_cast<std::size_t>(i)];
           e < changed.row_start[static_cast<std::size_t>(i) + 1]; ++e)
        if (changed.column[static_cast<std::size_t>(e)] == i) changed.value[static_cast<std::size_t>(4 * e)] += 3;
    const BlockCsr<Host> C(changed);
    solver->update(C);
    const Solved updated = run(*solver, C, b, Numbers(120));
    EXPECT_TRUE(updated.result.converged()) << name;
    const Solved fresh = run(name, changed, b, "tolerance = 1e-9\n");
    EXPECT_EQ(updated.result.iterations, fresh.result.iterations) << name;
    EXPECT_LE(norm(minus(b, dense(changed) * updated.x)), 1.02e-9 * norm(b)) << name;
  }
}

TEST(Adapters, SingularSystemsWithConstantsAreSolvedFreeOfThem) {
  BlockCsrData data = chain(50, 0);
  for (int i = 0; i < 50; ++i)
    for (auto e = data.row_start[static_cast<std::size_t>(i)]; e < data.row_start[static_cast<std::size_t>(i) + 1]; ++e)
      if (data.column[static_cast<std::size_t>(e)] == i)
        data.value[static_cast<std::size_t>(e)] = i == 0 || i == 49 ? 1 : 2;
  data.constant_null_space = true;
  const Numbers b = random_numbers(50, 3);
  const Numbers compatible = minus(b, Numbers(b.size(), mean(b)));
  for (const std::string& name : everyone()) {
    const bool holds_one = name.starts_with("suitesparse:") || name.starts_with("amgcl:");
    const bool needs_a_pivot =
        name.find("ilu") != std::string::npos || (is_direct(name) && !holds_one) || name == "fgmres+multicolor";
    if (needs_a_pivot) continue;  // exact on a chain, whose last pivot is zero
    const Solved s = run(name, data, b, "tolerance = 1e-9\n");
    const double left = norm(minus(compatible, dense(data) * s.x));
    EXPECT_TRUE(s.result.converged() || !name.starts_with("c")) << name << ": " << to_string(s.result.reason);
    if (s.result.converged()) {
      EXPECT_LE(left, 1e-8 * norm(compatible)) << name;
      EXPECT_LE(std::abs(mean(s.x)), 1e2 * eps * max_norm(s.x)) << name;
    }
  }
}

TEST(Adapters, AnInconsistentSystemIsNeverCalledSolved) {
  BlockCsrData data = chain(20, 1);
  for (auto e = data.row_start[7]; e < data.row_start[8]; ++e) data.value[static_cast<std::size_t>(e)] = 0;
  const Numbers b(20, 1.0);
  for (const std::string& name : everyone()) {
    try {
      const Solved s = run(name, data, b, "tolerance = 1e-9\nmax_iterations = 200\n");
      EXPECT_FALSE(s.result.converged()) << name;
      EXPECT_GE(s.result.true_residual, 0.99) << name;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Exit::solver_failed) << name << ": " << e.what();  // it refuses, and says why
    }
  }
}

TEST(Adapters, NotANumberIsReportedAndTheGuessIsKept) {
  const BlockCsrData data = chain(20, 1);
  Numbers b(20, 1.0);
  b[3] = NAN;
  for (const std::string& name : everyone()) {
    const Solved s = run(name, data, b, "tolerance = 1e-9\n");
    EXPECT_EQ(s.result.reason, Reason::not_finite) << name;
    EXPECT_EQ(s.x, Numbers(20)) << name;
  }
}

TEST(Adapters, WordsThatNobodyKnowsAreRefused) {
  for (const char* name : {"hypre:cg+magic", "hypre:cg", "hypre:ilu", "eigen:magic", "eigen:bicgstab+ilut:x",
                           "petsc:-ksp_type cg -pc_type jacobi -pc_magic 3", "petsc:-ksp_type magic", "cusparse:magic",
                           "cusparse:gmres+ilu0", "suitesparse:magic", "amgcl:cg", "amgcl:cg+magic", "ginkgo:cg",
                           "ginkgo:cg+magic", "amgx:magic"}) {
    const BlockCsr<Host> A(chain(5, 1));
    EXPECT_THROW(make(name)->setup(A), Error) << name;
  }
  EXPECT_THROW(make("eigen:sparse_lu", "norm = \"max\"\n"), Error);
  EXPECT_THROW(make("cg2"), Error);
}

}  // namespace
}  // namespace weir::test::adapters_test
