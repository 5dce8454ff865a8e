// The exact solutions against tables.
#include "miniapps/compressible/exact/riemann.hpp"
#include "tests/miniapps/compressible/flow_case.hpp"

namespace weir::test::exact_flow_test {
namespace {

TEST(ExactFlow, SodsStarRegionIsTheTextbooks) {
  ExactFlow f{.kind = FlowKind::sod};
  const PrimitiveState s = f.at(0.1, 0, 0.2);  // between fan and contact
  EXPECT_NEAR(s[3], 0.3031301781, 1e-9);       // Toro, table 4.2
  EXPECT_NEAR(s[1], 0.9274526200, 1e-9);
}

// Toro, tables 4.1 and 4.2, as printed. The data of test 5 are the results of tests 3 and 4 in six digits.
TEST(ExactFlow, StarRegionsOfTorosTestsAreTheTextbooks) {
  struct Row {
    PrimitiveState left, right;
    double p, u, of_p, of_u;  // and half a unit of the last printed digit
  };
  const Row rows[] = {{{1, 0, 0, 1}, {0.125, 0, 0, 0.1}, 0.30313, 0.92745, 6e-6, 6e-6},
                      {{1, -2, 0, 0.4}, {1, 2, 0, 0.4}, 0.00189, 0, 6e-6, 1e-12},
                      {{1, 0, 0, 1000}, {1, 0, 0, 0.01}, 460.894, 19.5975, 6e-4, 6e-5},
                      {{1, 0, 0, 0.01}, {1, 0, 0, 100}, 46.0950, -6.19633, 6e-5, 6e-6},
                      {{5.99924, 19.5975, 0, 460.894}, {5.99242, -6.19633, 0, 46.0950}, 1691.64, 8.68975, 1e-2, 3e-5}};
  for (const Row& row : rows) {
    const StarRegion star = star_region(row.left, row.right, 1.4);
    EXPECT_NEAR(star.p, row.p, row.of_p);
    EXPECT_NEAR(star.u, row.u, row.of_u);
  }
}

// Seen from the other side: left and right change places, velocities and speeds their signs.
TEST(ExactFlow, ARiemannProblemAndItsMirrorImageHaveTheSameSolution) {
  const PrimitiveState left{1, 0.75, 0.1, 1}, right{0.125, 0, -0.2, 0.1};
  for (double speed = -3; speed < 3; speed += 0.01) {
    const PrimitiveState a = riemann_solution(left, right, 1.4, speed);
    const PrimitiveState b = riemann_solution({0.125, 0, -0.2, 0.1}, {1, -0.75, 0.1, 1}, 1.4, -speed);
    for (std::size_t k : {0, 2, 3}) EXPECT_NEAR(a[k], b[k], 1e-12);
    EXPECT_NEAR(a[1], -b[1], 1e-12);
  }
}

// Across the left shock of Toro's test 5 momentum and energy balance in the frame in which mass does.
TEST(ExactFlow, TheShockOfARiemannProblemKeepsRankineAndHugoniot) {
  const PrimitiveState left{5.99924, 19.5975, 0, 460.894}, right{5.99242, -6.19633, 0, 46.0950};
  const PrimitiveState behind = riemann_solution(left, right, 1.4, star_region(left, right, 1.4).u - 1e-9);
  const double shock = (behind[0] * behind[1] - left[0] * left[1]) / (behind[0] - left[0]);
  const double before_it = left[1] - shock, after_it = behind[1] - shock;
  const auto enthalpy = [](const PrimitiveState& s, double u) { return 3.5 * s[3] / s[0] + 0.5 * u * u; };
  EXPECT_NEAR(behind[3] - left[3], left[0] * before_it * (before_it - after_it), 1e-9 * behind[3]);
  EXPECT_NEAR(enthalpy(behind, after_it), enthalpy(left, before_it), 1e-9 * enthalpy(left, before_it));
}

TEST(ExactFlow, TwoSidesThatPartTooFastMakeAVacuum) {
  EXPECT_FALSE(makes_vacuum({1, -2, 0, 0.4}, {1, 2, 0, 0.4}, 1.4));
  EXPECT_TRUE(makes_vacuum({1, -4, 0, 0.4}, {1, 4, 0, 0.4}, 1.4));  // 10 sqrt(0.56) = 7.5 is the limit
}

TEST(ExactFlow, RinglebsFlowHasTheTabulatedPoints) {
  ExactFlow f{.kind = FlowKind::ringleb, .mach = 1};
  // k = 0.7, q = 0.5 and 0.575 of the hodograph solution, upper branch
  const PrimitiveState a = f.at(0.3288696547, 2.273162711, 0), b = f.at(0.8235317842, 1.681219043, 0);
  EXPECT_NEAR(a[0], 0.8796481896, 1e-8);
  EXPECT_NEAR(a[3], 0.5969041287, 1e-8);
  EXPECT_NEAR(std::hypot(b[1], b[2]), 0.575, 1e-8);
  EXPECT_NEAR(std::atan2(-b[2], b[1]), 0.9639114161, 1e-7);
}

TEST(ExactFlow, TheWeakShockOfTenDegreesAtMachTwo) {
  EXPECT_NEAR(weak_shock_angle(2, 10 * M_PI / 180, 1.4) * 180 / M_PI, 39.31393184, 1e-6);  // NACA Report 1135
  EXPECT_EQ(weak_shock_angle(2, 30 * M_PI / 180, 1.4), 0);                                 // detached
  ExactFlow f{.kind = FlowKind::oblique_shock, .mach = 2, .wedge_angle = 10 * M_PI / 180};
  f.prepare();
  EXPECT_NEAR(f.at(1, 0.3, 0)[3] / f.at(-1, 0, 0)[3], 1.706578604, 1e-8);
  EXPECT_NEAR(f.at(1, 0.3, 0)[0], 1.458425613, 1e-8);
}

}  // namespace
}  // namespace weir::test::exact_flow_test
