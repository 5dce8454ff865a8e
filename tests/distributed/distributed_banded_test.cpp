// Bands and a remainder that reaches into other boxes, against the same matrix on one rank.
#include "solvers/distributed/distributed_banded.hpp"

#include <gtest/gtest.h>

#include "inputs/case.hpp"
#include "solvers/linear_solver.hpp"
#include "tests/distributed/world.hpp"
#include "tests/support/operators.hpp"
#include "tests/support/spaces.hpp"

namespace weir::test {
namespace {

template <class Space>
class DistributedBands : public ::testing::Test {};
TYPED_TEST_SUITE(DistributedBands, Spaces, SpaceName);

constexpr Extents cells = {7, 8, 18};

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A symmetric matrix of positive type with random couplings.
std::vector<double> bands_of(bool wraps_z) {
  const int n = cells.count();
  std::vector<double> v(7 * at(n), 0.0);
  const Numbers random = random_numbers(3 * n, 5);
  Banded<Host> shape(cells, {false, false, wraps_z});
  const BlockStencilView s = shape.stencil();
  for (int c = 0; c < n; ++c) v[at(slot::delta * n + c)] += 3;  // few iterations: more would magnify round-off
  for (int d = 0; d < 3; ++d)
    for (int c = 0; c < n; ++c) {
      const int to = s.neighbour(c, slot::delta + 1 + d);
      if (to < 0) continue;
      const double a = 1 + 0.5 * random[at(d * n + c)];
      v[at((slot::delta + 1 + d) * n + c)] = v[at((slot::delta - 1 - d) * n + to)] = -a;
      v[at(slot::delta * n + c)] += a;
      v[at(slot::delta * n + to)] += a;
    }
  return v;
}

// Rows near the middle of the grid that refer to cells up to five planes away.
RemainderData remainder() {
  RemainderData r;
  r.start.push_back(0);
  for (int k = 4; k < 14; ++k)
    for (const int i : {2, 5}) {
      r.row.push_back(cells.index(i, 3, k));
      for (const int away : {-4, 0, 5}) {
        r.column.push_back(cells.index(i, 4, (k + away + 18) % 18));
        r.value.push_back(0.05 * (away + 0.5));
      }
      r.start.push_back(static_cast<int>(r.column.size()));
    }
  return r;
}

std::array<int, 3> place(int c) { return {c % cells.nx, c / cells.nx % cells.ny, c / cells.nx / cells.ny}; }

int local(const RankBox& b, int c) {
  const auto p = place(c);
  return ((p[2] - b.low[2]) * b.size(1) + p[1] - b.low[1]) * b.size(0) + p[0] - b.low[0];
}

std::vector<int> cells_of(const RankBox& b) {
  std::vector<int> all;
  for (int k = b.low[2]; k < b.high[2]; ++k)
    for (int j = b.low[1]; j < b.high[1]; ++j)
      for (int i = b.low[0]; i < b.high[0]; ++i) all.push_back(cells.index(i, j, k));
  return all;
}

template <class Space>
struct Both {
  Both(Cutting cutting, bool wraps_z, bool with_remainder)
      : cuts(cuts_of(BlockPartition({cells.nx, cells.ny, cells.nz}, world().size(), cutting))),
        mine(cells_of(cuts.box(world().rank()))),
        alone(cells, {false, false, wraps_z}),
        spread(world(), cells, {false, false, wraps_z}, cuts),
        values(bands_of(wraps_z)) {
    if (with_remainder) {
      alone.set_remainder(remainder());
      set_remainder();
    }
    alone.upload(values);
    std::vector<double> own(7 * mine.size());
    for (std::size_t s = 0; s < 7; ++s)
      for (std::size_t q = 0; q < mine.size(); ++q)
        own[s * mine.size() + q] = values[s * at(cells.count()) + at(mine[q])];
    spread.own().upload(own);
    for (auto* m : {&alone, &spread.own()}) m->set_symmetric(!with_remainder);
    spread.finish_bands();
  }
  void set_remainder() {
    const RemainderData all = remainder();
    const RankBox box = cuts.box(world().rank());
    RemainderData own;
    std::vector<RemoteEntry> remote;
    own.start.push_back(0);
    for (std::size_t q = 0; q < all.row.size(); ++q) {
      if (owner(all.row[q]) != world().rank()) continue;
      own.row.push_back(local(box, all.row[q]));
      for (int e = all.start[q]; e < all.start[q + 1]; ++e) {
        const int column = all.column[at(e)], rank = owner(column);
        if (rank == world().rank()) {
          own.column.push_back(local(box, column));
          own.value.push_back(all.value[at(e)]);
        } else {
          remote.push_back({own.row.back(), rank, local(cuts.box(rank), column), all.value[at(e)]});
        }
      }
      own.start.push_back(static_cast<int>(own.column.size()));
    }
    spread.set_remainder(own, remote);
  }
  int owner(int c) const {
    const auto p = place(c);
    return cuts.owner(p[0], p[1], p[2]);
  }
  Numbers part(const Numbers& whole) const {
    Numbers v;
    for (const int c : mine) v.push_back(whole[at(c)]);
    return v;
  }
  BoxCuts cuts;
  std::vector<int> mine;
  Banded<Space> alone;
  DistributedBanded<Space> spread;
  std::vector<double> values;
};

double largest_difference(const Numbers& a, const Numbers& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return world().max(most);
}

TYPED_TEST(DistributedBands, ProductsAreThoseOfOneRankWhereverTheRemainderReaches) {
  for (const Cutting cutting : {Cutting::slabs, Cutting::blocks})
    for (const bool wraps : {false, true})
      for (const bool with_remainder : {false, true}) {
        const Both<TypeParam> s(cutting, wraps, with_remainder);
        const Numbers x = random_numbers(cells.count(), 11);
        const Numbers part = s.part(x);
        Array<double, TypeParam> wx(x), wy(cells.count()), px(part), py(s.spread.size());
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
    const Numbers b = random_numbers(cells.count(), 3);
    const Numbers part = s.part(b);
    Array<double, TypeParam> wb(b), wx(Numbers(b.size())), pb(part), px(Numbers(part.size()));
    const SolveResult one = alone.solve(s.alone, wb, wx), all = spread.solve(s.spread, pb, px);
    EXPECT_TRUE(one.converged() && all.converged()) << c.linear;
    EXPECT_EQ(one.iterations, all.iterations) << c.linear;
    EXPECT_LE(largest_difference(px.to_vector(), s.part(wx.to_vector())), 1e-8) << c.linear;  // the tolerance
  }
}

// A body that moves on takes other rows with it.
TYPED_TEST(DistributedBands, ARemainderThatGoesLeavesNothingBehind) {
  Both<TypeParam> s(Cutting::slabs, false, true);
  const Both<TypeParam> plain(Cutting::slabs, false, false);
  s.spread.set_remainder(RemainderData{{}, {0}, {}, {}}, {});
  s.spread.finish_bands();
  const Numbers part = s.part(random_numbers(cells.count(), 11));
  Array<double, TypeParam> x(part), y(s.spread.size()), z(s.spread.size());
  s.spread.apply(x, y);
  plain.spread.apply(x, z);
  EXPECT_LE(largest_difference(y.to_vector(), z.to_vector()), 1e-13);
}

}  // namespace
}  // namespace weir::test
