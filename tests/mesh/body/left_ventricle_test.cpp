#include "mesh/body/motion/left_ventricle.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "inputs/case.hpp"
#include "mesh/body/body.hpp"
#include "mesh/body/read_body.hpp"

namespace weir::left_ventricle_test {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

// Land et al. 2015: the endocardium encloses 2492.13 mm^3.
TEST(LeftVentricle, EnclosesTheVolumeOfTheFormula) {
  const LeftVentricleOptions o;
  const double l = o.length, h = o.base_height, pi = std::numbers::pi;
  const double formula = pi * o.radius * o.radius * (l + h - (h * h * h + l * l * l) / (3 * l * l));
  EXPECT_NEAR(formula, 2492.13, 0.005);
  const Surface s = make_left_ventricle(o, 0.6).surface;
  EXPECT_GE(s.elements(), 5000);
  EXPECT_NEAR(-volume(s) / formula, 1, 0.002);
}

TEST(LeftVentricle, IsClosedWithGoodTrianglesAndFourPatches) {
  const Surface s = make_left_ventricle({}, 0.8).surface;
  EXPECT_EQ(2 * find_edges(s).count, 3 * s.elements());
  EXPECT_EQ(s.nodes() - find_edges(s).count + s.elements(), 2);
  Vec3 sum{};
  std::array<double, 4> areas{};
  for (int e = 0; e < s.elements(); ++e) {
    sum += area_vector(s, e);
    areas[s.patch[e]] += length(area_vector(s, e));
    const Vec3 &a = s.node[s.element[e][0]], &b = s.node[s.element[e][1]], &c = s.node[s.element[e][2]];
    const double longest = std::max({length(a - b), length(b - c), length(c - a)});
    EXPECT_GT(length(area_vector(s, e)), 0.15 * longest * longest) << e;  // equilateral: 0.43
  }
  EXPECT_LT(length(sum), 1e-13 * area(s));
  const double rim = 7 * std::sqrt(1 - 25.0 / 289), pi = 3.14159265358979;
  EXPECT_NEAR(areas[2] / (pi * std::pow(0.44 * rim, 2)), 1, 0.02);  // polygons in circles
  EXPECT_NEAR(areas[3] / (pi * std::pow(0.32 * rim, 2)), 1, 0.03);
  EXPECT_NEAR((areas[1] + areas[2] + areas[3]) / (pi * rim * rim), 1, 0.01);
}

// Volume, its rate and the flux of the fluid through the whole surface, to round-off at every instant of the beat.
TEST(LeftVentricle, FollowsTheVolumeLawToRoundOff) {
  for (const double longitudinal : {1.0 / 3, 0.6}) {
    LeftVentricleOptions o;
    o.longitudinal = longitudinal;
    o.law.period = 0.8;
    const double largest = -volume(make_left_ventricle(o, 1.2).surface);
    Motion placed;
    placed.initial.position = {3, -2, 10};
    Body body(make_left_ventricle(o, 1.2), std::move(placed));
    const double rounding = 1e3 * eps * largest;  // of some thousand terms
    for (int i = 0; i <= 40; ++i) {
      const double t = 0.83 * i / 20;
      body.move(t);
      const ValueAndRate v = o.law.volume(t);
      EXPECT_NEAR(body.volume(), v.value * largest, rounding) << t;
      EXPECT_NEAR(body.volume_rate(), v.rate * largest, 10 * rounding) << t;
      EXPECT_NEAR(flux(body.surface(), body.fluid_velocity()), 0, 10 * rounding) << t;
    }
  }
}

TEST(LeftVentricle, TheLawFillsByTwoWavesAndEmptiesByOne) {
  const VolumeLaw law;
  EXPECT_NEAR(law.volume(0).value, 0.4, eps);
  EXPECT_NEAR(law.volume(0.62).value, 1, 2 * eps);
  EXPECT_NEAR(law.volume(1).value, 0.4, 2 * eps);
  const double e_peak = law.volume(0.165).rate, a_peak = law.volume(0.51).rate;
  EXPECT_NEAR(e_peak / a_peak, 1.2, 1e-12);
  EXPECT_LT(law.volume(0.82).rate, 0);
  EXPECT_EQ(law.volume(0.38).rate, 0);  // diastasis
}

TEST(LeftVentricle, TheFluidComesInByTheMitralPatchAndLeavesByTheAorticOne) {
  Body body(make_left_ventricle({}, 1.2), {});
  for (const bool fills : {true, false}) {
    body.move(fills ? 0.165 : 0.82);
    const Surface& s = body.surface();
    std::array<double, 4> through{};
    for (int e = 0; e < s.elements(); ++e)
      for (const int n : s.element[e])
        through[s.patch[e]] += dot(body.fluid_velocity()[n] - body.node_velocity()[n], area_vector(s, e)) / 3;
    const double gain = body.volume_rate();
    EXPECT_EQ(gain > 0, fills);
    EXPECT_NEAR(through[fills ? 2 : 3], gain, 1e-10 * std::abs(gain));
    EXPECT_EQ(through[fills ? 3 : 2], 0);
    EXPECT_EQ(through[0], 0);
    EXPECT_EQ(through[1], 0);
    Foot foot;  // the middle of a mitral element
    for (foot.element = 0; s.patch[foot.element] != 2; ++foot.element) continue;
    foot.w1 = foot.w2 = 1.0 / 3;
    foot.point = centre(s, foot.element);
    const double difference = (body.fluid_velocity(foot) - body.wall_velocity(foot))[2];
    EXPECT_EQ(difference < 0, fills);
  }
}

TEST(LeftVentricle, FillsAndEmptiesAsTheKeysOfItsCaseSay) {
  const Table t = read_case_text(R"([body]
type = "left_ventricle"
surface_spacing = 1.2
period = 2.0
ejection_fraction = 0.4
ea_ratio = 3.0
e_wave = [0.1, 0.3]
a_wave = [0.4, 0.5]
systole = [0.6, 0.9]
)",
                                 "c");
  Body body = read_body(t.table("body"), 1.2);
  const auto volume_at = [&](double periods) {
    body.move(2 * periods);
    return body.volume();
  };
  const double least = volume_at(0.05), after_e = volume_at(0.35), most = volume_at(0.55);
  EXPECT_NEAR(least, 0.6 * most, 1e-9 * most);
  EXPECT_NEAR(volume_at(0.95), least, 1e-9 * most);
  // Gain by a wave: peak rate times length; 3 * 0.2 by the E wave, 1 * 0.1 by the A wave.
  EXPECT_NEAR((after_e - least) / (most - least), 0.6 / 0.7, 1e-9);
}

}  // namespace
}  // namespace weir::left_ventricle_test
