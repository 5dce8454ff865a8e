// A vortex in a stream, against the exact solution: the order of the scheme in space and time.
#include "tests/miniapps/compressible/flow_case.hpp"

namespace weir::test::vortex_test {
namespace {

double vortex_error(const std::string& shape, int cells) {
  const std::string n = std::to_string(cells);
  TestFlow<Host> f("[mesh]\ngenerator = { type = \"box\", cells = [" + n + ", " + n +
                   "], length = [10.0, 10.0], shape = \"" + shape + "\", periodic = [\"x\", \"y\"] }\n" + R"([flow]
mach = 0.5
angle_of_attack = 45.0
initial = { type = "isentropic_vortex", strength = 2.0, centre = [5.0, 5.0] }
[pseudo_time]
cfl_start = 1e4
tolerance = 1e-3
[time]
end = 0.4
dt = )" + std::to_string(3.2 / cells) +
                   "\n");
  f.march();
  return f.quantities().at("error_density_l2");
}

TEST(IsentropicVortex, TheErrorFallsWithTheSquareOfTheSpacing) {
  const double quads = std::log2(vortex_error("quads", 32) / vortex_error("quads", 64));
  EXPECT_NEAR(quads, 2.0, 0.15) << "quadrilaterals";
  const double triangles = std::log2(vortex_error("triangles", 24) / vortex_error("triangles", 48));
  EXPECT_GE(triangles, 1.8) << "triangles";
}

}  // namespace
}  // namespace weir::test::vortex_test
