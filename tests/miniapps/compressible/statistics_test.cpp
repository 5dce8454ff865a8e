// Phases of oscillating forces.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <string>

#include "miniapps/driver/force_statistics.hpp"

namespace weir::statistics_test {
namespace {

// Ten periods of shedding at the frequency 0.2: the lift leads by 40 degrees, the drag, of twice the frequency, lags by
// 70. `later`: by how much the clock is late.
std::map<std::string, double> phases(double later) {
  constexpr double frequency = 0.2, dt = 0.05, degree = std::numbers::pi / 180, w = 2 * std::numbers::pi * frequency;
  ForceStatistics s;
  for (int i = 1; i <= 1000; ++i) {
    const double t = dt * i + later;
    const double lift = 0.1 + 0.3 * std::cos(w * t + 40 * degree) + 0.02 * std::cos(3 * w * t);
    const double drag = 1.3 + 0.05 * std::cos(2 * w * t - 70 * degree) + 0.01 * std::cos(4 * w * t);
    s.add(dt * i, dt, drag, lift, drag);
  }
  return s.phases();
}

TEST(ForceStatistics, PhasesAreThoseOfTheLiftAndOfTheDragAtTwiceItsFrequency) {
  const auto at_zero = phases(0);
  // the frequency, from crossings interpolated linearly, is off by less than 1e-4 of itself: 0.2 degrees in ten periods
  EXPECT_NEAR(at_zero.at("lift_phase"), 40, 0.3);
  EXPECT_NEAR(at_zero.at("drag_phase"), -70, 0.6);
  const auto later = phases(0.5);  // a tenth of a period: 36 and 72 degrees
  EXPECT_NEAR(later.at("lift_phase"), 76, 0.3);
  EXPECT_NEAR(later.at("drag_phase"), 2, 0.6);
}

TEST(ForceStatistics, AForceWithoutAFrequencyHasNoPhase) {
  ForceStatistics s;
  for (int i = 0; i < 100; ++i) s.add(i, 1, 1, 0.2, 1);
  EXPECT_EQ(s.phases().at("lift_phase"), 0);
  EXPECT_EQ(s.phases().at("drag_phase"), 0);
}

}  // namespace
}  // namespace weir::statistics_test
