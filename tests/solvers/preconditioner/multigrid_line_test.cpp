// The 1D coarsening that multigrid is made of.
#include "solvers/preconditioner/multigrid/multigrid_hierarchy.hpp"

#include <gtest/gtest.h>

#include "mesh/structured/grid.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::multigrid::multigrid_line_test {
namespace {

using test::Numbers;

Line line_of(int n, double stretching, EndCondition low, EndCondition high) {
  const GridLine grid = make_grid_line(n, 0, 1, {"tanh", stretching});
  return make_line(cell_centred_direction(grid.faces, low, high));
}

TEST(MultigridLine, MergesOnlyWhereCellsAreNarrow) {
  const Line fine = line_of(64, 2, EndCondition::neumann, EndCondition::neumann);
  LineTransfer t;
  const double limit = 3 * fine.smallest_distance();
  const Line coarse = coarsen(fine, limit, t);
  EXPECT_EQ(coarse.size(), coarse_size(fine, limit));
  for (std::size_t I = 0; I < coarse.x.size(); ++I) {
    const bool pair = t.first[I + 1] - t.first[I] == 2;
    const double upper = fine.d.upper[static_cast<std::size_t>(t.first[I])];
    const bool last = I + 1 == coarse.x.size();
    EXPECT_TRUE(pair ? 1 / upper < limit : last || 1 / upper >= limit) << I;
  }
}

TEST(MultigridLine, InterpolationIsExactForLinearFunctionsWhereTheyMeetTheEnds) {
  const Line fine = line_of(37, 1.5, EndCondition::dirichlet, EndCondition::dirichlet);
  LineTransfer t;
  const Line coarse = coarsen(fine, 2.5 * fine.smallest_distance(), t);
  const double wall = 0.5 * fine.d.mass[0];
  for (std::size_t i = 0; i + 2 < fine.x.size(); ++i) {  // zero at the low wall; the high end does not vanish
    const auto value = [&](int I) { return coarse.x[static_cast<std::size_t>(I)] + wall; };
    const double e = t.weight_parent[i] * value(t.parent[i]) + t.weight_other[i] * value(t.other[i]);
    EXPECT_NEAR(e, fine.x[i] + wall, 1e-14);
  }
}

TEST(MultigridLine, RestrictionIsTheTransposeOfInterpolation) {
  for (const auto& end : test::all_ends)
    for (int n = 1; n <= 17; ++n) {
      const Line fine = line_of(n, 1, end[0], end[1]);
      LineTransfer t;
      const Line coarse = coarsen(fine, 1.5 * fine.smallest_distance(), t);
      EXPECT_TRUE(n == 1 || coarse.size() < n);
      const Numbers e = test::random_numbers(coarse.size(), 3), r = test::random_numbers(n, 4);
      double left = 0, right = 0;  // (P e, r)_M fine = (e, R r)_M coarse
      for (std::size_t i = 0; i < r.size(); ++i)
        left += fine.d.mass[i] * r[i] *
                (t.weight_parent[i] * e[static_cast<std::size_t>(t.parent[i])] +
                 t.weight_other[i] * e[static_cast<std::size_t>(t.other[i])]);
      for (int I = 0; I < coarse.size(); ++I)
        for (int s = 0; s < 4; ++s) {
          const auto c = static_cast<std::size_t>(I);
          const int i = ((t.first[c] - 1 + s) % n + n) % n;
          right += coarse.d.mass[c] * e[c] * t.restriction[4 * c + static_cast<std::size_t>(s)] *
                   r[static_cast<std::size_t>(i)];
        }
      EXPECT_NEAR(left, right, 1e-14) << n;
    }
}

TEST(MultigridLine, APeriodicLineStaysEvenSoThatItHasTwoColours) {
  for (int n = 2; n <= 40; ++n) {
    Line line = line_of(n, 1, EndCondition::periodic, EndCondition::periodic);
    for (LineTransfer t; line.size() > 1;) {
      const int size = line.size();
      line = coarsen(line, 2 * line.smallest_distance(), t);
      EXPECT_LT(line.size(), size);
      EXPECT_TRUE(line.size() % 2 == 0 || line.size() == 1) << n;
      double length = 0;
      for (const double m : line.d.mass) length += m;
      EXPECT_NEAR(length, 1, 1e-14);
    }
  }
}

}  // namespace
}  // namespace weir::multigrid::multigrid_line_test
