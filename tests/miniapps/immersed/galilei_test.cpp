// One flow in two frames.
#include "flow_case.hpp"

namespace weir::test::galilei_test {
namespace {

// In a box that repeats along x, a fixed body in a stream and the same body drawn through fluid at rest are one flow
// seen from two frames: what differs is where the grid is. Compared is the mean drag of the last half: the moving
// body's own grid noise changes sign from step to step.
TEST(ImmersedGalilei, AMovingBodyInFluidAtRestFeelsWhatAFixedOneFeelsInAStream) {
  const auto mean_drag = [](int cells, double speed, const std::string& motion) {
    std::string text = text_of(cells, 0.64 / cells, speed, fixed_cylinder + motion);
    text.replace(text.find("x_min"), text.find("y_min") - text.find("x_min"),
                 "x_min = { type = \"periodic\" }\nx_max = { type = \"periodic\" }\n");
    TestFlow<Host> t(text);
    const int half = cells / 3;
    t.advance(half);
    double sum = 0;
    for (int i = 0; i < half; ++i) {
      t.advance(1);
      sum += t.drag();
    }
    return sum / half;
  };
  const auto difference = [&](int cells) {
    const double fixed = mean_drag(cells, 1, "");
    return mean_drag(cells, 0, "motion = { type = \"translation\", velocity = [-1.0, 0.0, 0.0] }\n") / fixed - 1;
  };
  // Seen: 9.4, 3.1, 1.2, 0.31 and 0.06 % with 8, 12, 16, 24 and 32 cells per diameter.
  const double coarse = std::abs(difference(48)), fine = std::abs(difference(96));
  EXPECT_LT(fine, 0.005);
  EXPECT_LT(fine, coarse / 4);
}

}  // namespace
}  // namespace weir::test::galilei_test
