// The exact solutions against tables.
#include "tests/miniapps/compressible/flow_case.hpp"

namespace weir::test::exact_flow_test {
namespace {

TEST(ExactFlow, SodsStarRegionIsTheTextbooks) {
  ExactFlow f{.kind = FlowKind::sod};
  const PrimitiveState s = f.at(0.1, 0, 0.2);  // between fan and contact
  EXPECT_NEAR(s[3], 0.3031301781, 1e-9);       // Toro, table 4.2
  EXPECT_NEAR(s[1], 0.9274526200, 1e-9);
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
