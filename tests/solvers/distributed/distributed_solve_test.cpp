// Distributed systems against the same systems on one rank, which every rank solves for itself.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "solvers/distributed/distributed_block_stencil.hpp"
#include "solvers/distributed/distributed_stencil.hpp"
#include "solvers/linear_solver.hpp"
#include "tests/solvers/distributed/world.hpp"
#include "tests/support/larger.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test::distributed_solve_test {
namespace {

template <class Space>
class DistributedSolve : public ::testing::Test {};
TYPED_TEST_SUITE(DistributedSolve, Spaces, SpaceName);

SeparableOperator box_operator(std::array<int, 3> n, std::array<Ends, 3> ends, double shift) {
  SeparableOperator op;
  for (std::size_t d = 0; d < 3; ++d)
    op.direction[d] =
        cell_centred_direction(faces_of(n[d], 1, true, 3 + static_cast<unsigned>(d)), ends[d][0], ends[d][1]);
  op.shift = shift;
  op.scale = shift > 0 ? 0.01 : 1;
  return op;
}

constexpr Ends neumann = {EndCondition::neumann, EndCondition::neumann},
               dirichlet = {EndCondition::dirichlet, EndCondition::neumann},
               periodic = {EndCondition::periodic, EndCondition::periodic};

// One rank's part of a vector of the whole system.
Numbers part(const Numbers& whole, const SeparableOperator& op, const RankBox& b) {
  const Extents e = op.extents();
  Numbers v;
  for (int k = b.low[2]; k < b.high[2]; ++k)
    for (int j = b.low[1]; j < b.high[1]; ++j)
      for (int i = b.low[0]; i < b.high[0]; ++i) v.push_back(whole[static_cast<std::size_t>(e.index(i, j, k))]);
  return v;
}

template <class Space>
struct Both {
  Both(const SeparableOperator& op, Cutting cutting, HaloOptions options = {})
      : e(op.extents()),
        alone(op),
        spread(world(), op, cuts_of(BlockPartition({e.nx, e.ny, e.nz}, world().size(), cutting)), options),
        b(random_numbers(e.count(), 11)),
        part_of_b(part(b, op, spread.box())) {}
  Extents e;
  SeparableStencil<Space> alone;
  DistributedStencil<Space> spread;
  Numbers b, part_of_b;
};

double largest_difference(const Numbers& a, const Numbers& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = test::larger(most, std::abs(a[i] - b[i]));
  return world().max(most);
}

TYPED_TEST(DistributedSolve, ProductsAreThoseOfOneRankToRoundOff) {
  for (const Cutting cutting : {Cutting::slabs, Cutting::blocks})
    for (const auto& ends : {std::array<Ends, 3>{neumann, dirichlet, periodic}, {periodic, periodic, dirichlet}})
      for (const HaloStrategy strategy : all_halo_strategies) {
        const SeparableOperator op = box_operator({9, 8, 17}, ends, 0);
        const Both<TypeParam> s(op, cutting, {strategy, DevicePath::probe});
        Array<double, TypeParam> x(s.b), y(s.e.count()), px(s.part_of_b), py(s.spread.size());
        const double dot = s.alone.apply_dot(x, y);
        const double shared = world().sum(s.spread.apply_dot(px, py));
        const Numbers expected = part(y.to_vector(), op, s.spread.box());
        double size = 0;
        for (const double v : y.to_vector()) size = std::max(size, std::abs(v));
        EXPECT_LE(largest_difference(py.to_vector(), expected), 4e-15 * size) << to_string(strategy);
        EXPECT_NEAR(dot, shared, 1e-13 * std::abs(dot));
        EXPECT_EQ(s.spread.unknowns(), s.e.count());
      }
}

struct Solved {
  SolveResult alone, spread;
  double difference = 0;  // of the solutions, over the largest value
};

template <class Space>
Solved solve_both(const SeparableOperator& op, Cutting cutting, const std::string& linear) {
  Both<Space> s(op, cutting);
  const Table options = read_case_text(linear, "test");
  LinearSolver<Space> alone(options), spread(options);
  spread.spread_over_ranks();
  alone.setup(s.alone);
  spread.setup(s.spread);
  Array<double, Space> b(s.b), x(Numbers(s.b.size())), pb(s.part_of_b), px(Numbers(s.part_of_b.size()));
  Solved out;
  out.alone = alone.solve(s.alone, b, x);
  out.spread = spread.solve(s.spread, pb, px);
  double size = 0;
  for (const double v : x.to_vector()) size = std::max(size, std::abs(v));
  out.difference = largest_difference(px.to_vector(), part(x.to_vector(), op, s.spread.box())) / size;
  return out;
}

TYPED_TEST(DistributedSolve, GuessesFromEarlierSolutionsAreThoseOfOneRank) {
  const SeparableOperator op = box_operator({9, 8, 17}, {neumann, neumann, periodic}, 0);
  for (const char* method : {"cg", "gmres"})
    for (const char* guess : {"extrapolation:2", "projection:3"}) {
      const Table options =
          read_case_text("method = '" + std::string(method) + "'\nrestart = 80\ntolerance = 1e-6\ninitial_guess = '" +
                             guess + "'\npreconditioner = { type = 'jacobi' }",
                         "test");
      Both<TypeParam> s(op, Cutting::blocks);
      LinearSolver<TypeParam> alone(options), spread(options);
      spread.spread_over_ranks();
      alone.setup(s.alone);
      spread.setup(s.spread);
      Array<double, TypeParam> x(Numbers(s.b.size())), px(Numbers(s.part_of_b.size()));
      for (int step = 0; step < 7; ++step) {
        Numbers b = s.b;
        for (std::size_t i = 0; i < b.size(); ++i) b[i] += std::sin(0.1 * step + static_cast<double>(i));
        const SolveResult one = alone.solve(s.alone, Array<double, TypeParam>(b), x);
        const SolveResult many = spread.solve(s.spread, Array<double, TypeParam>(part(b, op, s.spread.box())), px);
        EXPECT_EQ(one.iterations, many.iterations) << method << guess << step;
        EXPECT_NEAR(one.residual0, many.residual0, 1e-7 * one.residual0) << method << guess << step;
      }
    }
}

// Methods whose iterates do not depend on the ranks: counts equal, solutions to round-off times the condition. (Without
// a preconditioner cg needs 125 iterations here, and its loss of orthogonality turns round-off into one or two more or
// less.)
TYPED_TEST(DistributedSolve, MethodsThatDoNotKnowTheRanksTakeTheSameIterations) {
  const SeparableOperator pressure = box_operator({9, 8, 17}, {neumann, neumann, periodic}, 0);
  const SeparableOperator momentum = box_operator({9, 8, 17}, {dirichlet, neumann, periodic}, 1);
  struct Case {
    const SeparableOperator& op;
    const char* linear;
  };
  const Case cases[] = {
      {pressure, "method = 'cg'\ntolerance = 1e-10\npreconditioner = { type = 'jacobi' }"},
      {pressure, "method = 'cg'\ntolerance = 1e-6\nnorm = 'max'\npreconditioner = { type = 'jacobi' }"},
      {pressure, "method = 'fast_poisson'"},
      {momentum, "method = 'bicgstab'\ntolerance = 1e-9\npreconditioner = { type = 'jacobi' }"},
      {momentum, "method = 'gmres'\nrestart = 7\ntolerance = 1e-9\npreconditioner = { type = 'block_jacobi' }"},
      {momentum, "method = 'correction'\ntolerance = 1e-8\npreconditioner = { type = 'jacobi' }"},
      {momentum, "method = 'chebyshev'\ntolerance = 1e-9"},
  };
  for (const Cutting cutting : {Cutting::slabs, Cutting::blocks})
    for (const Case& c : cases) {
      const Solved s = solve_both<TypeParam>(c.op, cutting, c.linear);
      EXPECT_TRUE(s.spread.converged()) << c.linear;
      EXPECT_EQ(s.spread.iterations, s.alone.iterations) << c.linear;
      EXPECT_LE(s.difference, 1e-9) << c.linear;  // round-off times the condition of the pressure system
      EXPECT_EQ(s.spread.transfer_bytes > 0, world().size() > 1);
    }
}

struct GridOfLevels {
  std::array<int, 3> n;
  std::array<Ends, 3> ends;
  Cutting cutting;
};

// One cycle, that after an update, and one for values that single precision does not hold; then iterations.
template <class Space>
void compare_cycles(const GridOfLevels& grid, const std::string& cycle, double tolerance) {
  const SeparableOperator op = box_operator(grid.n, grid.ends, 0);
  Both<Space> s(op, grid.cutting);
  const Table options = read_case_text(
      "method = 'cg'\ntolerance = 1e-6\npreconditioner = { type = 'multigrid', coarse_size = 8, gather_size = 40" +
          cycle + " }",
      "test");
  LinearSolver<Space> alone(options), spread(options);
  spread.spread_over_ranks(&s.spread);
  alone.setup(s.alone);
  spread.setup(s.spread);
  const auto apply = [&](double size) {
    Numbers b = s.b;
    for (double& v : b) v *= size;
    const Array<double, Space> r(b), part_of_r(part(b, op, s.spread.box()));
    Array<double, Space> z(r.size()), part_of_z(part_of_r.size());
    alone.preconditioner().apply(r, z);
    spread.preconditioner().apply(part_of_r, part_of_z);
    const Numbers expected = part(z.to_vector(), op, s.spread.box());
    double largest = 0;
    for (const double v : z.to_vector()) largest = std::max(largest, std::abs(v));
    EXPECT_GT(largest, 0);
    EXPECT_LE(largest_difference(part_of_z.to_vector(), expected), tolerance * largest) << cycle << " " << size;
  };
  apply(1);
  if (std::is_same_v<Space, Host>) apply(1e-60);
  s.alone.set_coefficients(1, 0.5);
  s.spread.set_coefficients(1, 0.5);
  alone.update(s.alone);
  spread.update(s.spread);
  apply(1);
  Array<double, Space> b(s.b), x(Numbers(s.b.size())), pb(s.part_of_b), px(Numbers(s.part_of_b.size()));
  const SolveResult one = alone.solve(s.alone, b, x), all = spread.solve(s.spread, pb, px);
  EXPECT_TRUE(one.converged() && all.converged()) << cycle;
  EXPECT_EQ(one.iterations, all.iterations) << cycle;
  if (world().size() > 1) {
    EXPECT_NE(spread.preconditioner().describe().find("distributed"), std::string::npos) << cycle;
  }
}

// In slabs and blocks, 3D and 2D, with periods across the ranks, also one of odd size, which has no two colours.
TYPED_TEST(DistributedSolve, LevelsOverRanksGiveTheCycleOfOneRank) {
  const GridOfLevels walls{{16, 12, 33}, {neumann, dirichlet, neumann}, Cutting::slabs};
  const std::string in_double = ", precision = 'double'";
  // Round-off of some hundred operations a value; the coarsest inverse multiplies it by its condition.
  const double round_off = 1e-12, single = 1e-5;
  compare_cycles<TypeParam>(walls, in_double, round_off);
  compare_cycles<TypeParam>(walls, "", single);
  compare_cycles<TypeParam>(walls, in_double + ", smoother = 'chebyshev', pre = 1, post = 1", round_off);
  compare_cycles<TypeParam>({{13, 16, 16}, {neumann, neumann, dirichlet}, Cutting::blocks},
                            in_double + ", pre = 1, post = 1", round_off);
  compare_cycles<TypeParam>({{20, 64, 1}, {dirichlet, neumann, neumann}, Cutting::slabs},
                            in_double + ", smoother = 'chebyshev'", round_off);
  compare_cycles<TypeParam>({{6, 5, 80}, {periodic, neumann, periodic}, Cutting::slabs}, in_double, round_off);
  compare_cycles<TypeParam>({{6, 5, 81}, {dirichlet, neumann, periodic}, Cutting::slabs}, in_double, round_off);
}

// In slabs and blocks, 3D and 2D, with x whole and cut.
TYPED_TEST(DistributedSolve, TransposesSolveAsOneRankDoes) {
  for (const GridOfLevels& grid : {GridOfLevels{{9, 8, 17}, {neumann, dirichlet, periodic}, Cutting::slabs},
                                   {{12, 16, 16}, {neumann, neumann, neumann}, Cutting::blocks},
                                   {{12, 16, 1}, {periodic, neumann, neumann}, Cutting::slabs},
                                   {{40, 3, 8}, {dirichlet, neumann, neumann}, Cutting::blocks}}) {
    const SeparableOperator op = box_operator(grid.n, grid.ends, 0);
    Both<TypeParam> s(op, grid.cutting);
    LinearSolver<TypeParam> alone(read_case_text("method = 'fast_poisson'", "test")),
        spread(read_case_text("method = 'fast_poisson'", "test"));
    spread.spread_over_ranks(&s.spread);
    alone.setup(s.alone);
    spread.setup(s.spread);
    const Array<double, TypeParam> b(s.b), pb(s.part_of_b);
    Array<double, TypeParam> x(b.size()), px(pb.size());
    for (const double shift : {0.0, 2.0}) {
      s.alone.set_coefficients(shift, 1);
      s.spread.set_coefficients(shift, 1);
      alone.update(s.alone);
      spread.update(s.spread);
      alone.preconditioner().apply(b, x);
      spread.preconditioner().apply(pb, px);
      double size = 0;
      for (const double v : x.to_vector()) size = std::max(size, std::abs(v));
      EXPECT_LE(largest_difference(px.to_vector(), part(x.to_vector(), op, s.spread.box())), 1e-12 * size)
          << grid.n[0] << " " << shift;  // round-off times the condition, below 1e3
    }
    if (world().size() > 1) {
      EXPECT_NE(spread.preconditioner().describe().find("transposes"), std::string::npos) << grid.n[0];
    }
  }
}

// A row is named as the whole matrix counts it, also by what works on a rank's own rows: where the last rank alone has
// one that cannot be inverted, and where each has (then the lowest rank's words are those of all ranks). All ranks hear
// the same.
TYPED_TEST(DistributedSolve, ARowThatCannotBeInvertedIsRefusedByAllRanksAsTheWholeMatrixKnowsIt) {
  const Extents e{3, 2, 24};
  const BoxCuts cuts = cuts_of(BlockPartition({e.nx, e.ny, e.nz}, world().size(), Cutting::slabs));
  DistributedBlockStencil<TypeParam> A(world(), e, {}, 2, cuts);
  const BlockStencilView v = A.own().stencil();
  const int last_rank = world().size() - 1;
  for (const int first : {0, last_rank}) {
    std::vector<double> values(static_cast<std::size_t>(A.own().values().size()), 0.0);
    const int sound = v.cells.count() - (world().rank() >= first ? 1 : 0);
    for (int c = 0; c < sound; ++c)
      for (int u = 0; u < 2; ++u) values[static_cast<std::size_t>(v.block(c, slot::delta) - v.values + 3 * u)] = 1;
    A.own().upload(values);
    A.finish_blocks();
    const std::string name = "cell (2, 1, " + std::to_string(cuts.box(first).high[2] - 1) + ")";
    for (const char* type : {"jacobi", "block_jacobi", "block_ilu0"}) {
      LinearSolver<TypeParam> solver(
          read_case_text("method = 'gmres'\npreconditioner = { type = '" + std::string(type) + "' }", "test"));
      solver.precondition_each_rank();
      try {
        solver.setup(A);
        ADD_FAILURE() << "accepted by " << type;
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
      }
    }
  }
}

TYPED_TEST(DistributedSolve, AdditiveSchwarzConvergesAndMoreOverlapNeedsFewerIterations) {
  const SeparableOperator pressure = box_operator({9, 8, 17}, {neumann, dirichlet, periodic}, 0);
  int before = 1000;
  for (const char* overlap : {"0", "1", "2"}) {
    const Solved s = solve_both<TypeParam>(
        pressure, Cutting::slabs,
        std::string("method = 'gmres'\ntolerance = 1e-8\npreconditioner = { type = 'additive_schwarz', overlap = ") +
            overlap + ", inner = { type = 'fast_poisson' } }");
    EXPECT_TRUE(s.spread.converged());
    EXPECT_LE(s.spread.iterations, before);
    EXPECT_LE(s.difference, 1e-6);
    before = s.spread.iterations;
    if (world().size() == 1) {
      EXPECT_EQ(s.spread.iterations, 1);  // the inner one is a direct solver
    }
  }
}

// Its coarse matrices take a stencil's coupling between ranks with the present scale, also of a singular system.
TEST(DistributedSolveOfStencils, AggregationConvergesOverRanks) {
  for (const Cutting cutting : {Cutting::slabs, Cutting::blocks})
    for (const Ends& end : {dirichlet, neumann}) {
      const SeparableOperator pressure = box_operator({9, 8, 17}, {neumann, end, periodic}, 0);
      const Solved s = solve_both<Host>(
          pressure, cutting,
          "method = 'gmres'\ntolerance = 1e-8\npreconditioner = { type = 'aggregation', gather_rows = 100 }");
      EXPECT_TRUE(s.spread.converged());
      EXPECT_LE(s.spread.iterations,
                2 * s.alone.iterations + 1);  // slabs cut strong couplings, 8 ranks have 150 cells each
      EXPECT_LE(s.difference, 1e-6);
    }
}

TEST(DistributedRefusal, WhatKnowsOneRankAloneIsRefusedWithAWayOut) {
  if (world().size() == 1) return;
  Both<Host> s(box_operator({9, 8, 17}, {neumann, dirichlet, periodic}, 0), Cutting::slabs);
  const HaloPattern none = make_halo_pattern(world(), {});
  const DistributedMatrix<Host> plain(world(), s.alone, none, {}, true, false);
  LinearSolver<Host> solver(read_case_text("method = 'cg'\npreconditioner = { type = 'multigrid' }", "test"));
  solver.spread_over_ranks();
  try {
    solver.setup(plain);
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("additive_schwarz"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace weir::test::distributed_solve_test
