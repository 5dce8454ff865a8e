// Bands and a remainder that reaches into other boxes, against the same matrix on one rank.
#include <gtest/gtest.h>

#include "base/at.hpp"
#include "inputs/case.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/linear_solver.hpp"
#include "tests/solvers/distributed/both_bands.hpp"
#include "tests/support/larger.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test::distributed_banded_test {
namespace {

template <class Space>
class DistributedBands : public ::testing::Test {};
TYPED_TEST_SUITE(DistributedBands, Spaces, SpaceName);

double largest_difference(const Numbers& a, const Numbers& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = test::larger(most, std::abs(a[i] - b[i]));
  return world().max(most);
}

TYPED_TEST(DistributedBands, ProductsAreThoseOfOneRankWhereverTheRemainderReaches) {
  for (const Cutting cutting : {Cutting::slabs, Cutting::blocks})
    for (const bool wraps : {false, true})
      for (const bool with_remainder : {false, true}) {
        const BothBands<TypeParam> s(cutting, wraps, with_remainder);
        const Numbers x = random_numbers(s.cells.count(), 11);
        const Numbers part = s.part(x);
        Array<double, TypeParam> wx(x), wy(s.cells.count()), px(part), py(s.spread.size());
        const double dot = s.alone.apply_dot(wx, wy), shared = world().sum(s.spread.apply_dot(px, py));
        EXPECT_LE(largest_difference(py.to_vector(), s.part(wy.to_vector())), 1e-13);  // rows sum to below 20
        EXPECT_NEAR(dot, shared, 1e-12 * std::abs(dot));
        EXPECT_EQ(s.spread.is_symmetric(), !with_remainder);
      }
}

TYPED_TEST(DistributedBands, MethodsThatDoNotKnowTheRanksTakeTheSameIterations) {
  const struct {
    bool with_remainder;
    const char* linear;
  } cases[] = {{true, "method = 'bicgstab'\ntolerance = 1e-9\npreconditioner = { type = 'jacobi' }"},
               {false, "method = 'cg'\ntolerance = 1e-8\npreconditioner = { type = 'jacobi' }"},
               {false, "method = 'cg'\ntolerance = 1e-8\npreconditioner = { type = 'multigrid' }"},
               {true, "method = 'bicgstab'\ntolerance = 1e-9\npreconditioner = { type = 'block_ilu0' }"}};
  for (const auto& c : cases) {
    BothBands<TypeParam> s(Cutting::slabs, false, c.with_remainder);
    const Table options = read_case_text(c.linear, "test");
    LinearSolver<TypeParam> alone(options), spread(options);
    spread.spread_over_ranks();
    alone.setup(s.alone);
    spread.setup(s.spread);
    spread.update(s.spread);
    const Numbers b = random_numbers(s.cells.count(), 3);
    const Numbers part = s.part(b);
    Array<double, TypeParam> wb(b), wx(Numbers(b.size())), pb(part), px(Numbers(part.size()));
    const SolveResult one = alone.solve(s.alone, wb, wx), all = spread.solve(s.spread, pb, px);
    EXPECT_TRUE(one.converged() && all.converged()) << c.linear;
    EXPECT_EQ(one.iterations, all.iterations) << c.linear;
    EXPECT_LE(largest_difference(px.to_vector(), s.part(wx.to_vector())), 1e-8) << c.linear;  // the tolerance
  }
}

// In slabs and blocks, 2D too, with periods across the ranks; after an update too.
TYPED_TEST(DistributedBands, LevelsOverRanksGiveTheCycleOfOneRank) {
  const Table options = read_case_text(
      "method = 'cg'\ntolerance = 1e-8\npreconditioner = { type = 'multigrid', coarse_size = 20, gather_size = 60 }",
      "test");
  struct Shape {
    Extents cells;
    Cutting cutting;
    bool wraps;
  };
  for (const Shape& shape : {Shape{small_box, Cutting::slabs, false},
                             {{16, 12, 9}, Cutting::blocks, false},
                             {{4, 3, 80}, Cutting::slabs, true},
                             {{15, 36, 1}, Cutting::slabs, false},
                             {{24, 20, 1}, Cutting::blocks, false}}) {
    BothBands<TypeParam> s(shape.cutting, shape.wraps, false, shape.cells);
    LinearSolver<TypeParam> alone(options), spread(options);
    spread.spread_over_ranks(&s.spread);
    alone.setup(s.alone);
    spread.setup(s.spread);
    spread.update(s.spread);
    const Numbers b = random_numbers(s.cells.count(), 3), part = s.part(b);
    Array<double, TypeParam> wb(b), wx(Numbers(b.size())), pb(part), px(Numbers(part.size()));
    alone.preconditioner().apply(wb, wx);
    spread.preconditioner().apply(pb, px);
    EXPECT_LE(largest_difference(px.to_vector(), s.part(wx.to_vector())), 1e-6);  // single precision, values of 0.3
    for (auto* x : {&wx, &px}) x->upload(Numbers(static_cast<std::size_t>(x->size())));
    const SolveResult one = alone.solve(s.alone, wb, wx), all = spread.solve(s.spread, pb, px);
    EXPECT_TRUE(one.converged() && all.converged());
    EXPECT_EQ(one.iterations, all.iterations);
    EXPECT_LE(largest_difference(px.to_vector(), s.part(wx.to_vector())), 1e-8);  // the tolerance
    if (world().size() > 1) {
      EXPECT_NE(spread.preconditioner().describe().find("distributed levels"), std::string::npos) << shape.cells.nz;
    }
  }
}

// A body that moves to and fro: whatever rows cross the border, the arrays that have held as many once suffice.
TYPED_TEST(DistributedBands, ARemainderThatMovesAllocatesNothingOnceItHasBeenEverywhere) {
  BothBands<TypeParam> s(Cutting::slabs, false, true);
  const auto swing = [&] {
    for (const int plane : {4, 5, 6, 7, 6, 5, 4, 3, 2, 3}) {
      s.set_remainder(plane);
      s.spread.finish_bands();
    }
  };
  swing();
  const Ledger before = ledger();
  swing();
  EXPECT_EQ(ledger().host_allocations, before.host_allocations);
  EXPECT_EQ(ledger().device_allocations, before.device_allocations);
  BothBands<TypeParam> fresh(Cutting::slabs, false, true);
  fresh.set_remainder(3);
  fresh.spread.finish_bands();
  const Numbers part = s.part(random_numbers(small_box.count(), 11));
  Array<double, TypeParam> x(part), y(s.spread.size()), z(s.spread.size());
  s.spread.apply(x, y);
  fresh.spread.apply(x, z);
  EXPECT_LE(largest_difference(y.to_vector(), z.to_vector()), 1e-13);
}

// A body that moves on takes other rows with it.
TYPED_TEST(DistributedBands, ARemainderThatGoesLeavesNothingBehind) {
  BothBands<TypeParam> s(Cutting::slabs, false, true);
  const BothBands<TypeParam> plain(Cutting::slabs, false, false);
  s.spread.set_remainder(RemainderData{{}, {0}, {}, {}}, {});
  s.spread.finish_bands();
  const Numbers part = s.part(random_numbers(small_box.count(), 11));
  Array<double, TypeParam> x(part), y(s.spread.size()), z(s.spread.size());
  s.spread.apply(x, y);
  plain.spread.apply(x, z);
  EXPECT_LE(largest_difference(y.to_vector(), z.to_vector()), 1e-13);
}

}  // namespace
}  // namespace weir::test::distributed_banded_test
