// Solvers of other libraries over ranks: their solutions against those of ours on one rank. Libraries that are not in
// this build, or that run on one rank only, are left out.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/adapters/library_solver.hpp"
#include "solvers/adapters/peer.hpp"
#include "solvers/distributed/distributed_stencil.hpp"
#include "solvers/linear_solver.hpp"
#include "tests/solvers/distributed/both_bands.hpp"
#include "tests/solvers/distributed/both_block_stencils.hpp"
#include "tests/solvers/distributed/spread_rows.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/block_matrices.hpp"

namespace weir::test::distributed_libraries_test {
namespace {

template <class Space>
class LibrariesOverRanks : public ::testing::Test {
 protected:
  LibrariesOverRanks() { offer_library_solvers(); }
};
TYPED_TEST_SUITE(LibrariesOverRanks, Spaces, SpaceName);

enum class Kind { any, symmetric, singular };

// Over ranks: only these libraries.
std::vector<std::string> methods(Kind kind) {
  std::vector<std::string> all = {"petsc:-ksp_type gmres -pc_type bjacobi -sub_pc_type ilu",
                                  "petsc:-ksp_type bcgs -pc_type asm -sub_pc_type ilu", "hypre:gmres+ilu",
                                  "hypre:fgmres+boomeramg"};
  if (kind == Kind::singular) all.clear();  // exact factors of a rank alone have a pivot of rounding size
  if (kind != Kind::any)
    all.insert(all.end(), {"petsc:-ksp_type cg -pc_type jacobi", "hypre:cg+jacobi", "hypre:cg+boomeramg"});
  const std::vector<std::string> there = peer_libraries();
  std::erase_if(all, [&](const std::string& method) {
    return std::find(there.begin(), there.end(), peer_name(method).library) == there.end();
  });
  return all;
}

Table options(const std::string& method, const std::string& more = "") {
  return read_case_text("method = \"" + method + "\"\ntolerance = 1e-10\n" + more, method);
}

template <class Space>
LinearSolver<Space> over_ranks(const std::string& method, const Matrix<Space>& A) {
  LinearSolver<Space> solver(options(method));
  if (A.ranks()->size() > 1) solver.spread_over_ranks(&A);
  solver.setup(A);
  return solver;
}

// The solution by our gmres or cg on one rank.
template <class Space>
struct Expected {
  Expected(const Matrix<Space>& A, const Numbers& b) : x(b.size()) {
    const std::string method = A.is_symmetric() ? "cg" : "gmres";
    LinearSolver<Space> solver(read_case_text(
        "method = '" + method + "'\nrestart = 200\ntolerance = 1e-12\npreconditioner = { type = 'jacobi' }", "ours"));
    solver.setup(A);
    Array<double, Space> X(x);
    result = solver.solve(A, Array<double, Space>(b), X);
    EXPECT_TRUE(result.converged());
    x = X.to_vector();
  }
  SolveResult result;
  Numbers x;
};

template <class Space>
SolveResult expect_solved(LinearSolver<Space>& solver, const Matrix<Space>& A, const Numbers& b, const Numbers& x) {
  Array<double, Space> X(Numbers(b.size()));
  const SolveResult result = solver.solve(A, Array<double, Space>(b), X);
  EXPECT_TRUE(result.converged()) << solver.name() << ": " << to_string(result.reason);
  EXPECT_GE(result.iterations, 1) << solver.name();
  double off = 0, most = 0;
  const Numbers found = X.to_vector();
  for (std::size_t i = 0; i < x.size(); ++i) {
    off = std::max(off, std::abs(found[i] - x[i]));
    most = std::max(most, std::abs(x[i]));
  }
  EXPECT_LE(world().max(off), 1e-7 * world().max(most)) << solver.name();  // tolerance times the condition
  return result;
}

TYPED_TEST(LibrariesOverRanks, SolveBlockRowsAndNewValues) {
  for (const int B : {1, 4}) {
    BlockCsrData A = random_blocks(90, B, 3);
    const Parts parts = parts_of(A.rows(), [](int i) { return i / 7 % world().size(); });
    const Numbers b = random_numbers(A.rows() * B, 2);
    const Expected<TypeParam> before(BlockCsr<TypeParam>(A), b);
    BlockCsrData changed = A;
    for (std::size_t e = 0; e < changed.value.size(); ++e) changed.value[e] *= e % 3 == 0 ? 1.0 : 0.8;
    const Expected<TypeParam> after(BlockCsr<TypeParam>(changed), b);
    for (const std::string& method : methods(Kind::any)) {
      Spread<TypeParam> s(A, parts);
      LinearSolver<TypeParam> solver = over_ranks<TypeParam>(method, s.matrix);
      expect_solved(solver, s.matrix, s.mine(b), s.mine(before.x));
      s.update(changed, parts);
      solver.update(s.matrix);
      expect_solved(solver, s.matrix, s.mine(b), s.mine(after.x));
    }
  }
}

TYPED_TEST(LibrariesOverRanks, SolveWithARankWithoutRows) {
  const BlockCsrData A = random_blocks(40, 2, 3, true);
  const Parts parts = parts_of(A.rows(), [](int i) { return i % std::max(1, world().size() - 1); });
  const Numbers b = random_numbers(80, 2);
  const Expected<TypeParam> expected(BlockCsr<TypeParam>(A), b);
  for (const std::string& method : methods(Kind::symmetric)) {
    Spread<TypeParam> s(A, parts);
    LinearSolver<TypeParam> solver = over_ranks<TypeParam>(method, s.matrix);
    expect_solved(solver, s.matrix, s.mine(b), s.mine(expected.x));
  }
}

TYPED_TEST(LibrariesOverRanks, SolveBlockStencils) {
  for (const Cutting cutting : {Cutting::slabs, Cutting::blocks}) {
    const BothBlockStencils<TypeParam> s({5, 4, 16}, 4, {false, true, true}, cutting);
    const Numbers b = random_numbers(static_cast<int>(s.alone.size()), 2);
    const Expected<TypeParam> expected(s.alone, b);
    for (const std::string& method : methods(Kind::any)) {
      LinearSolver<TypeParam> solver = over_ranks<TypeParam>(method, s.spread);
      expect_solved(solver, s.spread, s.part(b), s.part(expected.x));
    }
  }
}

// The pattern changes with the remainder.
TYPED_TEST(LibrariesOverRanks, SolveBandsWithAMovingRemainder) {
  for (const std::string& method : methods(Kind::any)) {
    BothBands<TypeParam> s(Cutting::blocks, true, true);
    LinearSolver<TypeParam> solver = over_ranks<TypeParam>(method, s.spread);
    const Numbers b = random_numbers(s.cells.count(), 2);
    for (const int first_plane : {4, 6}) {
      s.alone.set_remainder(remainder(first_plane));
      s.set_remainder(first_plane);
      s.spread.finish_bands();
      solver.update(s.spread);
      const Expected<TypeParam> expected(s.alone, b);
      expect_solved(solver, s.spread, s.part(b), s.part(expected.x));
    }
  }
}

template <class Space>
struct BothStencils {
  explicit BothStencils(EndCondition end)
      : op(box({9, 8, 17}, end, true)),
        cuts(cuts_of(BlockPartition({9, 8, 17}, world().size(), Cutting::blocks))),
        mine(places_of(op.extents(), cuts.box(world().rank()))),
        alone(op),
        spread(world(), op, cuts) {}
  Numbers part(const Numbers& whole) const {
    Numbers v;
    for (const int c : mine) v.push_back(whole[at(c)]);
    return v;
  }
  SeparableOperator op;
  BoxCuts cuts;
  std::vector<int> mine;
  SeparableStencil<Space> alone;
  DistributedStencil<Space> spread;
};

// With other coefficients after the set-up; cg with the diagonal has the iterations of ours.
TYPED_TEST(LibrariesOverRanks, SolveStencils) {
  BothStencils<TypeParam> s(EndCondition::dirichlet);
  const Numbers b = random_numbers(static_cast<int>(s.alone.size()), 2);
  for (const std::string& method : methods(Kind::symmetric)) {
    s.spread.set_coefficients(0, 1);
    LinearSolver<TypeParam> solver = over_ranks<TypeParam>(method, s.spread);
    s.alone.set_coefficients(2, 0.5);
    s.spread.set_coefficients(2, 0.5);
    solver.update(s.spread);
    const Expected<TypeParam> expected(s.alone, b);
    expect_solved(solver, s.spread, s.part(b), s.part(expected.x));
    if (!method.ends_with("jacobi")) continue;
    LinearSolver<TypeParam> ours(options("cg", "preconditioner = { type = 'jacobi' }"));
    ours.setup(s.alone);
    Array<double, TypeParam> x(Numbers(b.size()));
    const int iterations = ours.solve(s.alone, Array<double, TypeParam>(b), x).iterations;
    EXPECT_EQ(expect_solved(solver, s.spread, s.part(b), s.part(expected.x)).iterations, iterations) << method;
  }
}

TYPED_TEST(LibrariesOverRanks, SolveSingularSystemsFreeOfConstants) {
  const BothStencils<TypeParam> s(EndCondition::neumann);
  const Numbers b = random_numbers(static_cast<int>(s.alone.size()), 2);
  const Expected<TypeParam> expected(s.alone, b);
  for (const std::string& method : methods(Kind::singular)) {
    LinearSolver<TypeParam> solver = over_ranks<TypeParam>(method, s.spread);
    expect_solved(solver, s.spread, s.part(b), s.part(expected.x));
  }
}

template <class F>
void expect_refused(const std::string& words, const F& f) {
  try {
    f();
    ADD_FAILURE() << "accepted: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Exit::usage);
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TYPED_TEST(LibrariesOverRanks, RefuseWhatTheyCannotDoOnAllRanks) {
  const BlockCsrData A = random_blocks(40, 1, 3);
  const Spread<TypeParam> s(A, slabs(A.rows()));
  const std::vector<std::string> there = peer_libraries();
  const auto is_there = [&](const char* name) { return std::find(there.begin(), there.end(), name) != there.end(); };
  if (is_there("eigen") && world().size() > 1)
    expect_refused("runs on one rank only", [&] { over_ranks<TypeParam>("eigen:bicgstab+ilut", s.matrix); });
  if (is_there("petsc")) {
    const std::string method = "petsc:-ksp_type gmres -pc_type ";
    if (world().size() > 1)
      expect_refused("-pc_type bjacobi -sub_pc_type ilu", [&] { over_ranks<TypeParam>(method + "ilu", s.matrix); });
    expect_refused("did not use the option -pc_magic",
                   [&] { over_ranks<TypeParam>(method + "jacobi -pc_magic 3", s.matrix); });
    expect_refused("the l2 norm only", [&] { LinearSolver<TypeParam>(options(method + "jacobi", "norm = 'max'")); });
    expect_refused("\"always\" only",
                   [&] { LinearSolver<TypeParam>(options(method + "jacobi", "refresh = 'every:2'")); });
    expect_refused("names its preconditioner itself", [&] {
      LinearSolver<TypeParam>(options(method + "jacobi", "preconditioner = { type = 'jacobi' }"));
    });
  }
}

}  // namespace
}  // namespace weir::test::distributed_libraries_test
