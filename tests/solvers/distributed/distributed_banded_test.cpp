// Bands and a remainder that reaches into other boxes, against the same matrix on one rank.
#include "solvers/distributed/distributed_banded.hpp"

#include <gtest/gtest.h>

#include "base/at.hpp"
#include "inputs/case.hpp"
#include "solvers/device/ledger.hpp"
#include "solvers/linear_solver.hpp"
#include "tests/solvers/distributed/world.hpp"
#include "tests/support/larger.hpp"
#include "tests/support/spaces.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test::distributed_banded_test {
namespace {

template <class Space>
class DistributedBands : public ::testing::Test {};
TYPED_TEST_SUITE(DistributedBands, Spaces, SpaceName);

constexpr Extents small = {7, 8, 18};

// A symmetric matrix of positive type with random couplings; its slots side by side.
std::vector<double> bands_of(Extents cells, bool wraps_z) {
  const int n = cells.count();
  const Numbers random = random_numbers(3 * n, 5);
  Banded<Host> shape(cells, {false, false, wraps_z});
  const BlockStencilView s = shape.stencil();
  std::vector<double> v(at(s.slots) * at(n), 0.0);
  const auto value = [&](int slot, int c) -> double& { return v[at((slot - s.first) * n + c)]; };
  for (int c = 0; c < n; ++c) value(slot::delta, c) += 3;  // few iterations: more would magnify round-off
  for (int d = 0; d < (cells.nz > 1 ? 3 : 2); ++d)
    for (int c = 0; c < n; ++c) {
      const int to = s.neighbour(c, slot::delta + 1 + d);
      if (to < 0) continue;
      const double a = 1 + 0.5 * random[at(d * n + c)];
      value(slot::delta + 1 + d, c) = value(slot::delta - 1 - d, to) = -a;
      value(slot::delta, c) += a;
      value(slot::delta, to) += a;
    }
  return v;
}

// Rows near the middle of the grid that refer to cells up to five planes away.
RemainderData remainder(int first_plane = 4) {
  RemainderData r;
  r.start.push_back(0);
  for (int k = first_plane; k < first_plane + 10; ++k)
    for (const int i : {2, 5}) {
      r.row.push_back(small.index(i, 3, k));
      for (const int away : {-4, 0, 5}) {
        r.column.push_back(small.index(i, 4, (k + away + 18) % 18));
        r.value.push_back(0.05 * (away + 0.5));
      }
      r.start.push_back(static_cast<int>(r.column.size()));
    }
  return r;
}

int local(const RankBox& b, const std::array<int, 3>& p) {
  return ((p[2] - b.low[2]) * b.size(1) + p[1] - b.low[1]) * b.size(0) + p[0] - b.low[0];
}

template <class Space>
struct Both {
  Both(Cutting cutting, bool wraps_z, bool with_remainder, Extents whole = small)
      : cells(whole),
        cuts(cuts_of(BlockPartition({cells.nx, cells.ny, cells.nz}, world().size(), cutting))),
        mine(places_of(cells, cuts.box(world().rank()))),
        alone(cells, {false, false, wraps_z}),
        spread(world(), cells, {false, false, wraps_z}, cuts),
        values(bands_of(cells, wraps_z)) {
    if (with_remainder) {
      alone.set_remainder(remainder());
      set_remainder();
    }
    alone.upload(values);
    const auto slots = at(alone.stencil().slots);
    std::vector<double> own(slots * mine.size());
    for (std::size_t s = 0; s < slots; ++s)
      for (std::size_t q = 0; q < mine.size(); ++q)
        own[s * mine.size() + q] = values[s * at(cells.count()) + at(mine[q])];
    spread.own().upload(own);
    for (auto* m : {&alone, &spread.own()}) m->set_symmetric(!with_remainder);
    spread.finish_bands();
  }
  void set_remainder(int first_plane = 4) {
    const RemainderData all = remainder(first_plane);
    const RankBox box = cuts.box(world().rank());
    RemainderData own;
    std::vector<RemoteEntry> remote;
    own.start.push_back(0);
    for (std::size_t q = 0; q < all.row.size(); ++q) {
      if (owner(all.row[q]) != world().rank()) continue;
      own.row.push_back(local(box, place(all.row[q])));
      for (int e = all.start[q]; e < all.start[q + 1]; ++e) {
        const int column = all.column[at(e)], rank = owner(column);
        if (rank == world().rank()) {
          own.column.push_back(local(box, place(column)));
          own.value.push_back(all.value[at(e)]);
        } else {
          remote.push_back({own.row.back(), rank, local(cuts.box(rank), place(column)), all.value[at(e)]});
        }
      }
      own.start.push_back(static_cast<int>(own.column.size()));
    }
    spread.set_remainder(own, remote);
  }
  int owner(int c) const {
    const auto p = place(c);
    return cuts.owner(p);
  }
  Numbers part(const Numbers& whole) const {
    Numbers v;
    for (const int c : mine) v.push_back(whole[at(c)]);
    return v;
  }
  std::array<int, 3> place(int c) const { return cell_of({{0, 0, 0}, {cells.nx, cells.ny, cells.nz}}, c); }
  Extents cells;
  BoxCuts cuts;
  std::vector<int> mine;
  Banded<Space> alone;
  DistributedBanded<Space> spread;
  std::vector<double> values;
};

double largest_difference(const Numbers& a, const Numbers& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = test::larger(most, std::abs(a[i] - b[i]));
  return world().max(most);
}

TYPED_TEST(DistributedBands, ProductsAreThoseOfOneRankWhereverTheRemainderReaches) {
  for (const Cutting cutting : {Cutting::slabs, Cutting::blocks})
    for (const bool wraps : {false, true})
      for (const bool with_remainder : {false, true}) {
        const Both<TypeParam> s(cutting, wraps, with_remainder);
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
    Both<TypeParam> s(Cutting::slabs, false, c.with_remainder);
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
  for (const Shape& shape : {Shape{small, Cutting::slabs, false},
                             {{16, 12, 9}, Cutting::blocks, false},
                             {{4, 3, 80}, Cutting::slabs, true},
                             {{15, 36, 1}, Cutting::slabs, false},
                             {{24, 20, 1}, Cutting::blocks, false}}) {
    Both<TypeParam> s(shape.cutting, shape.wraps, false, shape.cells);
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
  Both<TypeParam> s(Cutting::slabs, false, true);
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
  Both<TypeParam> fresh(Cutting::slabs, false, true);
  fresh.set_remainder(3);
  fresh.spread.finish_bands();
  const Numbers part = s.part(random_numbers(small.count(), 11));
  Array<double, TypeParam> x(part), y(s.spread.size()), z(s.spread.size());
  s.spread.apply(x, y);
  fresh.spread.apply(x, z);
  EXPECT_LE(largest_difference(y.to_vector(), z.to_vector()), 1e-13);
}

// A body that moves on takes other rows with it.
TYPED_TEST(DistributedBands, ARemainderThatGoesLeavesNothingBehind) {
  Both<TypeParam> s(Cutting::slabs, false, true);
  const Both<TypeParam> plain(Cutting::slabs, false, false);
  s.spread.set_remainder(RemainderData{{}, {0}, {}, {}}, {});
  s.spread.finish_bands();
  const Numbers part = s.part(random_numbers(small.count(), 11));
  Array<double, TypeParam> x(part), y(s.spread.size()), z(s.spread.size());
  s.spread.apply(x, y);
  plain.spread.apply(x, z);
  EXPECT_LE(largest_difference(y.to_vector(), z.to_vector()), 1e-13);
}

}  // namespace
}  // namespace weir::test::distributed_banded_test
