// The drag of a cylinder, Re 20 in a box of 4 D x 4 D, by the momentum balance: its error falls with second order at least.
// Reference: the same flow on finer grids, up to 192 x 192 (docs/immersed.md).
#include "flow_case.hpp"

namespace weir::test {
namespace {

double steady_drag(int cells) {
  std::string text = text_of(cells, 0.96 / cells, 1,
                             "type = \"cylinder\"\ndiameter = 1.0\ncontrol_volume = [-1.5, -1.0, 1.0, 1.0]\n"
                             "position = [-0.5, 0.0]\n");
  TestFlow<Host> t(text);
  t.advance(static_cast<int>(std::lround(12 / t.c.flow.time.dt)));
  return 2 * t.flow.control_volume_force()[0];
}

TEST(ImmersedOrder, TheDragsErrorFallsWithSecondOrder) {
  constexpr double fine = 4.0052;
  const double coarse = std::abs(steady_drag(24) - fine), half = std::abs(steady_drag(48) - fine);
  EXPECT_GT(std::log2(coarse / half), 1.8);
  EXPECT_LT(half, 0.0025 * fine);
}

}  // namespace
}  // namespace weir::test
