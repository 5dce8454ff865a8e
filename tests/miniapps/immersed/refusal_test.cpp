// Mistakes in the case file of a flow around a body: refused with the line, before anything is allocated.
#include "base/error.hpp"
#include "flow_case.hpp"

namespace weir::test::refusal_test {
namespace {

std::string refusal(const std::string& text) {
  try {
    const Table config = read_case_text(text, "test.toml");
    const ImmersedCase c = read_immersed_case(config);
    read_case_body(config, c);
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
  Body body = read_case_body(config, c);
  const std::vector<Vec3> before = body.surface().node;
  const auto warnings = body_warnings(body, c);
  EXPECT_EQ(body.surface().node, before);
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
  const double top = grid.line[1].faces.back(), h = grid.line[1].width.back();
  const auto near_the_top = [&](double gap) {
    return with("type = \"cylinder\"\ndiameter = 1.0\nposition = [0.0, " + std::to_string(top - 0.5 - gap) + "]\n");
  };
  EXPECT_TRUE(near_the_top(3 * h).empty());
  ASSERT_EQ(near_the_top(0.3 * h).size(), 2u);
  EXPECT_TRUE(says(near_the_top(0.3 * h)[0], "gap between the body and y_max")) << near_the_top(0.3 * h)[0];
  EXPECT_TRUE(says(near_the_top(0.3 * h)[1], "beyond y_max of control_volume")) << near_the_top(0.3 * h)[1];
  const auto leaves = with(fixed_cylinder + "motion = { type = \"translation\", velocity = [100.0, 0.0] }\n");
  ASSERT_EQ(leaves.size(), 1u);
  EXPECT_TRUE(says(leaves[0], "leaves the grid through x_max at t = ")) << leaves[0];
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
