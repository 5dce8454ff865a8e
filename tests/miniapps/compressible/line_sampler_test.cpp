#include "miniapps/compressible/sampling/line_sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "inputs/case.hpp"
#include "miniapps/compressible/compressible.hpp"
#include "miniapps/compressible/flow.hpp"
#include "miniapps/compressible/output.hpp"
#include "tests/miniapps/compressible/flow_case.hpp"
#include "tests/support/read_vtr.hpp"
#include "tests/support/scratch_folder.hpp"

namespace weir::line_sampler_test {
namespace {

UnstructuredMesh mesh_of(const std::string& text) {
  std::string ordering;
  return read_ordered_mesh(read_case_text(text, "case.toml"), ordering);
}

TEST(LineSampler, IsExactForLinearFieldsAndNotANumberInABody) {
  const UnstructuredMesh mesh = mesh_of(test::circle);
  const CellNeighbours neighbours(mesh);
  const LineSampler line(mesh, neighbours, {-3, 0.2}, {3, 0.2});
  const auto linear = [&](int cell) { return 2 * mesh.centre[cell][0] - 3 * mesh.centre[cell][1] + 1; };
  int inside = 0;
  for (int i = 0; i <= 600; ++i) {
    const double x = -3 + 0.01 * i, value = line(i / 600.0, linear);
    if (std::hypot(x, 0.2) < 0.49) {  // the polygon of 24 faces lies within 0.5 cos(pi / 24) = 0.4957 and 0.5
      EXPECT_TRUE(std::isnan(value)) << x;
      ++inside;
    } else if (std::hypot(x, 0.2) > 0.5) {
      EXPECT_NEAR(value, 2 * x - 0.6 + 1, 1e-11) << x;  // round-off of centroids and of a 2 x 2 system
    }
  }
  EXPECT_GT(inside, 80);
}

TEST(LineSampler, SeesAcrossAPeriodicBoundary) {
  const UnstructuredMesh mesh = mesh_of(R"([mesh]
generator = { type = "box", cells = [8, 8], length = [1.0, 1.0], periodic = ["x", "y"] }
)");
  const CellNeighbours neighbours(mesh);
  for (int c = 0; c < mesh.cells(); ++c)
    neighbours.of(c, [&](const CellNeighbours::Other& other) {
      EXPECT_NEAR(distance(other.centre, mesh.centre[c]), 0.125, 1e-12);
    });
}

TEST(CompressibleProbe, WritesTheColumnsOfAProbe) {
  const testing::ScratchFolder folder;
  test::TestFlow<Host> flow(test::circle + R"(
[[probe]]
name = "wake"
from = [0.5, 0.0]
to = [3.0, 0.0]
points = 3
fields = ["u", "p", "mach"]
)");
  const auto boundary = read_flow_boundary(flow.config(), flow.flow_case(), flow.mesh());
  CompressibleOutput output(flow.config(), flow.flow_case(), boundary, flow.mesh());
  output.open(folder.path(), "a", {});
  const std::vector<double> U = flow.state();
  EXPECT_TRUE(output.write_profiles({flow.mesh(), PagedArray(U), flow.flow_case().gas.gamma, PagedArray({})}).empty());
  const std::string text = testing::read_file(folder / "probes/wake.csv");  // the free stream: speed 1
  EXPECT_TRUE(text.starts_with("x,y,z,u,p,mach\n0.5,0,0,1,")) << text;
  EXPECT_NE(text.find("\n3,0,0,1,"), text.npos) << text;
}

}  // namespace
}  // namespace weir::line_sampler_test
