#include <gtest/gtest.h>

#include <fstream>
#include <numbers>

#include "base/error.hpp"
#include "inputs/case.hpp"
#include "mesh/body/motion/motion_laws.hpp"
#include "mesh/body/read_body.hpp"

namespace weir::motion_test {
namespace {

Body body_of(const std::string& keys) { return read_body(read_case_text("[body]\n" + keys, "c").table("body"), 0.2); }

std::string refusal(const std::string& keys) {
  try {
    const Table t = read_case_text("[body]\n" + keys, "c");
    read_body(t.table("body"), 0.2);
    t.refuse_unknown();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// The velocities against central differences of the positions, whose error is dt^2 / 6 times the third derivative.
void expect_rates(Body& body, double t, double third_derivative) {
  const double dt = 1e-4;
  body.move(t - dt);
  const std::vector<Vec3> before = body.surface().node;
  const double volume_before = body.volume();
  body.move(t + dt);
  const std::vector<Vec3> after = body.surface().node;
  const double volume_after = body.volume();
  body.move(t);
  const double error = dt * dt / 6 * third_derivative + 1e-11;  // and rounding over dt
  for (std::size_t i = 0; i < before.size(); ++i)
    ASSERT_LT(length((0.5 / dt) * (after[i] - before[i]) - body.node_velocity()[i]), error) << i << " at " << t;
  EXPECT_NEAR((volume_after - volume_before) / (2 * dt), body.volume_rate(), 100 * error * (1 + body.volume())) << t;
}

TEST(Motion, VelocitiesAreTheDerivativesOfPositions) {
  for (
      const char* motion :
      {R"({ type = "translation", velocity = [1, 2, 3] })",
       R"({ type = "oscillation", amplitude = [0.3, 0, 0.1], frequency = 0.5, phase = 30 })",
       R"({ type = "rotation", rate = 40, axis = [1, 2, 3] })",
       R"({ type = "rotation", amplitude = 30, frequency = 0.4, phase = 10, pivot = [1, 0, 0.5] })",
       R"({ type = "deformation", amplitude = [0.2, 0.1, -0.3], frequency = 0.6 })",
       R"([{ type = "deformation", amplitude = [0.2, 0.1, 0], frequency = 0.6 }, { type = "rotation", rate = 60, axis = [0, 1, 1] },
            { type = "oscillation", amplitude = [0.3, 0.2], frequency = 0.3 }, { type = "rotation", rate = -25, pivot = [2, 1] }])"}) {
    Body body =
        body_of("type = \"ellipsoid\"\ndiameters = [1, 2, 1.5]\nposition = [0.1, 0.2, 0.3]\nangle = 20\nmotion = " +
                std::string(motion));
    for (const double t : {0.0, 0.37, 1.9}) expect_rates(body, t, 200);
  }
}

TEST(Motion, AnExactShapeMovesWithItsSurface) {
  Body body = body_of(R"(type = "ellipsoid"
diameters = [1, 2, 1.5]
angle = 20
motion = [{ type = "deformation", amplitude = [0.2, 0.1, 0], frequency = 0.6 }, { type = "rotation", rate = 60, axis = [0, 1, 1], pivot = [1, 1, 0] }])");
  body.move(0.8);
  for (const Vec3& x : body.surface().node) ASSERT_NEAR(body.exact()->project(x).distance, 0, 1e-14);
}

TEST(Motion, ATableIsFollowedSmoothly) {
  // Splines of a sine's values: errors of 5/384 h^4 in position.
  std::string text = "t x, angle # comment\n";
  const int n = 20;
  const double pi = std::numbers::pi;
  for (int i = 0; i <= n; ++i)
    text += std::to_string(2.0 * i / n) + " " + std::to_string(i == n ? 0 : std::sin(pi * 2 * i / n)) + " " +
            std::to_string(10 * std::cos(pi * 2.0 * i / n)) + "\n";
  const MotionLaw motion = parse_motion_table(text, "m", {0, 0, 1}, true);
  const double h = 2.0 / n, error = 5.0 / 384 * std::pow(pi * h, 4) + 1e-6;  // and printed digits
  for (const double t : {0.0, 0.13, 0.98, 1.99, 2.13, -0.4, 17.3}) {
    Placement p;
    motion(t, p);
    EXPECT_NEAR(p.position[0], std::sin(pi * t), error) << t;
    EXPECT_NEAR(p.velocity[0], pi * std::cos(pi * t), pi * 20 * error) << t;
    EXPECT_NEAR(std::asin(p.rotation[1][0]) * 180 / pi, 10 * std::cos(pi * t), 10 * error) << t;
  }
}

TEST(Motion, ATablesFaultsNameTheirLine) {
  const auto message = [](const std::string& text, bool is_periodic = false) -> std::string {
    try {
      parse_motion_table(text, "m.csv", {0, 0, 1}, is_periodic);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message("t x\n0 0\n1 1\n2 0\n"), "");
  EXPECT_EQ(message("t anlge\n"), "m.csv:1: unknown column 'anlge'; did you mean 'angle'?");
  EXPECT_EQ(message("x y\n"), "m.csv:1: a motion table requires the column 't'");
  EXPECT_EQ(message("t x\n0 0\n1 nan\n"), "m.csv:3: expected x (a finite number), found 'nan'");
  EXPECT_EQ(message("t x\n0 0\n0 1\n"), "m.csv:3: times must increase from row to row");
  EXPECT_EQ(message("t x\n0 0\n1\n"), "m.csv:3: the line ends where x was expected");
  EXPECT_EQ(message("t x\n0 0\n1 1\n"), "m.csv:3: a motion table requires at least three rows");
  EXPECT_EQ(message("t x\n0 0\n1 1\n2 3\n", true),
            "m.csv:4: the last row of a periodic table must equal the first");
}

TEST(Motion, MistakesInACaseNameLineAndKey) {
  EXPECT_NE(refusal("type = \"cylnder\"").find("got \"cylnder\"; did you mean 'cylinder'?"), std::string::npos);
  EXPECT_EQ(refusal("diametre = 1"), "c:2: unknown key 'diametre'; did you mean 'diameter'?");
  EXPECT_EQ(refusal("diameter = 0"), "c:2: 'diameter' must be positive, got 0");
  EXPECT_EQ(refusal("position = [1]"), "c:2: 'position' must have two or three numbers");
  EXPECT_EQ(refusal("type = \"sphere\"\nmotion = { type = \"oscillation\", amplitude = [1, 0, 0] }"),
            "c:3: this motion requires a positive 'frequency'");
  EXPECT_NE(refusal("motion = { type = \"translation\", velocty = [1, 0] }").find("did you mean 'velocty'?"),
            std::string::npos);
  EXPECT_EQ(refusal("motion = { type = \"rotation\", rate = 1, pivto = [0, 0] }"),
            "c:2: unknown key 'pivto'; did you mean 'pivot'?");
  EXPECT_EQ(refusal("type = \"aerofoil\"\nnaca = \"12\"").substr(0, 5), "c:3: ");
  EXPECT_EQ(refusal("surface_spacing = 1e-9").substr(0, 5), "c:2: ");
  EXPECT_NE(refusal("type = \"stl\"\nfile = \"nowhere.stl\"").find("c:3: there is no STL file 'nowhere.stl'"),
            std::string::npos);
  EXPECT_EQ(refusal("type = \"left_ventricle\"\na_wave = [0.2, 0.5]").substr(0, 26), "c:3: 'a_wave' must be two ");
}

}  // namespace
}  // namespace weir::motion_test
