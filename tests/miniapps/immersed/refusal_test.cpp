// Mistakes in the case file of a flow around a body: refused with the line, before anything is allocated.
#include "base/error.hpp"
#include "flow_case.hpp"

namespace weir::test::refusal_test {
namespace {

std::string refusal(const std::string& text) {
  try {
    const Table config = read_case_text(text, "test.toml");
    const ImmersedCase c = read_immersed_case(config);
    read_case_bodies(config, c);
    config.table("body").refuse_unknown();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Exit::usage);
    return e.what();
  }
  return "";
}

bool says(const std::string& message, const std::string& words) { return message.find(words) != std::string::npos; }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ImmersedCaseFile, AGoodOneIsTaken) { EXPECT_EQ(refusal(text_of(16, 0.1, 1, fixed_cylinder)), ""); }

TEST(ImmersedCaseFile, AFlowWithoutABodyIsRefused) {
  EXPECT_TRUE(says(refusal(replaced(text_of(16, 0.1, 1, ""), "[body]\n", "")), "missing table [body]"));
}

TEST(ImmersedCaseFile, AnUnknownKeyOfTheBodyIsRefused) {
  const std::string message = refusal(text_of(16, 0.1, 1, fixed_cylinder + "diametre = 2.0\n"));
  EXPECT_TRUE(says(message, "diametre")) << message;
  EXPECT_TRUE(says(message, "did you mean 'diameter'")) << message;
}

std::vector<std::string> warnings_of(const std::string& text) {
  const Table config = read_case_text(text, "test.toml");
  const ImmersedCase c = read_immersed_case(config);
  Bodies bodies = read_case_bodies(config, c);
  const std::vector<Vec3> before = bodies[0].surface().node;
  const auto warnings = body_warnings(bodies, c);
  EXPECT_EQ(bodies[0].surface().node, before);
  return warnings;
}

TEST(ImmersedCaseFile, ScalarsThatABodyCannotHaveAreRefused) {
  const auto with = [](const std::string& body, const std::string& keys = "") {
    return refusal(
        "[scalar.salt]\ndiffusivity = 0.1\n" + keys +
        replaced(text_of(16, 0.1, 1, fixed_cylinder + body), ", 0.0] }\nx_max", ", 0.0], scalar.salt = 0.0 }\nx_max"));
  };
  EXPECT_EQ(with("scalar.salt = 1.0\n"), "");
  EXPECT_EQ(with(""), "");  // nothing passes
  for (const auto& [message, words] : std::vector<std::pair<std::string, std::string>>{
           {with("scalar.salt = 1.0\nscalar_flux.salt = 1.0\n"), "a scalar.salt or a scalar_flux.salt, not both"},
           {with("scalar.sugar = 1.0\n"), "scalar.sugar needs a table [scalar.sugar]"},
           {with("scalar.salt = \"x\"\n"), "'salt' must be a number"},
           {with("temperature = 1.0\n"), "temperature needs a table [temperature]"},
           {with("", "exact = \"x\"\n"), "exact solutions are not available with an immersed body"}})
    EXPECT_TRUE(says(message, words)) << message;
}

TEST(ImmersedCaseFile, ABodyOrAGapOfFewCellsIsWarnedOf) {
  const auto with = [](const std::string& body) { return warnings_of(text_of(16, 0.1, 1, body)); };
  EXPECT_TRUE(with(fixed_cylinder).empty());
  const auto plate = with("type = \"box\"\nlengths = [1.5, 0.1]\nangle = 30.0\n");
  ASSERT_EQ(plate.size(), 1u);
  EXPECT_TRUE(says(plate[0], "thick along its y axis")) << plate[0];
  const auto grid = read_immersed_case(read_case_text(text_of(16, 0.1, 1, fixed_cylinder), "test.toml")).flow.grid;
  const double top = grid.line[1].faces.back(), low = grid.line[1].faces.front(), h = grid.line[1].width.back();
  const auto near_the_top = [&](double gap) {
    return with("type = \"cylinder\"\ndiameter = 1.0\nposition = [0.0, " + std::to_string(top - 0.5 - gap) + "]\n");
  };
  EXPECT_TRUE(near_the_top(3 * h).empty());
  ASSERT_EQ(near_the_top(0.3 * h).size(), 2u);
  EXPECT_TRUE(says(near_the_top(0.3 * h)[0], "gap between the body and y_max")) << near_the_top(0.3 * h)[0];
  EXPECT_TRUE(says(near_the_top(0.3 * h)[1], "beyond y_max of control_volume")) << near_the_top(0.3 * h)[1];
  const std::string wide =
      "type = \"box\"\nlengths = [1.0, " + std::to_string(top - low - 0.3 * h) + "]\nposition = [0.03, 0.0]\n";
  const std::string of_slip = "y_min = { type = \"slip\" }\ny_max = { type = \"slip\" }",
                    periodic = "y_min = { type = \"periodic\" }\ny_max = { type = \"periodic\" }";
  const auto images = warnings_of(replaced(text_of(16, 0.1, 1, wide), of_slip, periodic));
  ASSERT_FALSE(images.empty());
  EXPECT_TRUE(says(images[0], "between the body and its periodic image along y")) << images[0];
  const auto leaves = with(fixed_cylinder + "motion = { type = \"translation\", velocity = [100.0, 0.0] }\n");
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_TRUE(says(leaves[0], "leaves the grid through x_max at t = ")) << leaves[0];
  const std::string upwards = fixed_cylinder + "motion = { type = \"translation\", velocity = [0.0, 2.0] }\n",
                    crossing = replaced(text_of(16, 0.1, 1, upwards), of_slip, periodic);
  const auto crosses = warnings_of(crossing);
  ASSERT_EQ(crosses.size(), 1u);
  EXPECT_TRUE(says(crosses[0], "cannot cross sides, periodic ones included")) << crosses[0];
  TestFlow<Host> flow(crossing);
  std::string message;
  try {
    flow.advance(9);  // it reaches y = 2 in the eighth step
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Exit::usage);
    message = e.what();
  }
  EXPECT_TRUE(says(message, "at t = 0.8")) << message;
  EXPECT_TRUE(says(message, "even if the sides are periodic")) << message;
}

// Without a refusal the flow is not continuous, or the pressure system has no solution.
TEST(ImmersedCaseFile, ABodyThatShutsOffTheInletIsRefused) {
  const auto refusal_of = [](const std::string& body) -> std::string {
    try {
      TestFlow<Host> flow(text_of(16, 0.1, 1, body));
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Exit::usage);
      return e.what();
    }
    return "";
  };
  const auto box = [](const char* x, const char* lengths) {
    return std::string("type = \"box\"\nlengths = ") + lengths + "\nposition = [" + x + ", 0.0]\n";
  };
  EXPECT_EQ(refusal_of(box("0.0", "[1.0, 3.4]")), "");  // a gap above and below
  for (const char* x : {"0.0", "0.03", "1.5"}) {        // across the box; upon the outlet
    const std::string message = refusal_of(box(x, "[1.0, 6.0]"));
    EXPECT_TRUE(says(message, "shuts off the fluid at x_min from every outlet")) << x << ": " << message;
  }
  EXPECT_TRUE(says(refusal_of(box("0.0", "[4.0, 6.0]")), "no cell holds fluid"));
}

TEST(ImmersedCaseFile, BodiesThatOverlapAreRefusedAndThoseThatNearlyTouchWarnedOf) {
  const auto two = [](const std::string& second) {
    return replaced(text_of(32, 0.1, 1, fixed_cylinder + second), "[body]", "[[body]]");
  };
  const std::string other = "[[body]]\ntype = \"cylinder\"\ndiameter = 1.0\n";
  EXPECT_TRUE(says(refusal(two(other + "position = [0.5, 0.5]\n")), "the bodies body1 and body2 overlap"));
  EXPECT_TRUE(says(refusal(two(other + "position = [-9.0, 0.5]\n")), "leaves the grid"));
  EXPECT_TRUE(
      says(refusal(two(other + "position = [1.3, 0.5]\nname = \"body1\"\n")), "two bodies have the name body1"));
  EXPECT_TRUE(says(refusal(two(other + "name = \"a b\"\n")), "letters, digits and _"));
  const std::string apart = "position = [0.03, 1.51]\ncontrol_volume = [-1.0, -1.0, 1.0, 1.0]\n";
  EXPECT_TRUE(says(refusal(two(other + apart)), "one control volume contains all bodies"));
  EXPECT_TRUE(warnings_of(two(other + "position = [1.0, -0.9]\n")).empty());
  const auto close = warnings_of(two(other + "position = [0.8, -0.85]\n"));  // 0.15, of cells of 0.125
  ASSERT_EQ(close.size(), 1u);
  EXPECT_TRUE(says(close[0], "the gap between the bodies body1 and body2 is about")) << close[0];
  const std::string comes = "position = [1.0, -0.9]\nmotion = { type = \"translation\", velocity = [-0.01, 0.01] }\n";
  const Table config = read_case_text(two(other + comes), "test.toml");
  const ImmersedCase c = read_immersed_case(config);
  Bodies bodies = read_case_bodies(config, c);
  bodies.move(40);
  EXPECT_LT(nearest_bodies(bodies, c).gap, 0);
}

TEST(ImmersedCaseFile, TheCoupledSchemeIsRefused) {
  const std::string text =
      replaced(text_of(16, 0.1, 1, fixed_cylinder), "[flow]\n", "[flow]\nscheme = \"artificial_compressibility\"\n");
  EXPECT_TRUE(says(refusal(text), "fractional_step"));
}

TEST(ImmersedCaseFile, AControlVolumeOutsideTheBoxIsRefused) {
  EXPECT_TRUE(
      says(refusal(text_of(16, 0.1, 1, fixed_cylinder + "control_volume = [1.0, 0.0, 1.2, 1.0]\n")), "four cells"));
  EXPECT_TRUE(says(refusal(text_of(16, 0.1, 1, fixed_cylinder + "control_volume = [1.0, 0.0, 1.2]\n")), "must have 4"));
}

TEST(ImmersedCaseFile, A3DBodyInA2DGridIsRefused) {
  const std::string message = refusal(text_of(16, 0.1, 1, "type = \"sphere\"\ndiameter = 1.0\n"));
  EXPECT_TRUE(says(message, "requires a 3D grid")) << message;
}

TEST(ImmersedCaseFile, AVolumeThatChangesNeedsAWayOut) {
  const std::string text = replaced(
      text_of(16, 0.1, 0,
              fixed_cylinder + "motion = { type = \"deformation\", amplitude = [0.1, 0.1, 0.0], frequency = 1.0 }\n"),
      "x_max = { type = \"outlet\" }", "x_max = { type = \"wall\" }");
  EXPECT_TRUE(says(refusal(text), "no way out"));
}

TEST(ImmersedCaseFile, ARefinedDirectionWithTooFewCellsIsRefused) {
  const std::string text =
      replaced(text_of(16, 0.1, 1, fixed_cylinder), "[flow]\n",
               "stretching = [{ type = \"refined\", from = -1.0, to = 1.0, width = 0.01 }]\n[flow]\n");
  EXPECT_TRUE(says(refusal(text), "too few cells")) << refusal(text);
}

}  // namespace
}  // namespace weir::test::refusal_test
