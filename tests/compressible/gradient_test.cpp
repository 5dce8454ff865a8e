// Gradients of W = (p, u, v, T), seen through the work arrays.
#include <limits>

#include "miniapps/compressible/spatial_arrays.hpp"
#include "tests/compressible/flows.hpp"
#include "tests/support/spaces.hpp"

namespace weir {
namespace {

using test::CellKind;
constexpr double eps = std::numeric_limits<double>::epsilon();

template <class Space>
class GradientTest : public ::testing::Test {
 protected:
  // W = w0 + gx x + gy y in the cells (and outside, where a boundary asks for it); returns the largest error.
  double error(const UnstructuredMesh& mesh, BoundaryType type, GradientScheme gradient) {
    const double w0[4] = {3, 0.2, 0.1, 1}, gx[4] = {0.3, 0.5, -0.4, 0.2}, gy[4] = {-0.2, 0.1, 0.6, 0.1};
    const Gas gas;
    const auto linear = [&](const std::array<double, 2>& x, int k) { return w0[k] + gx[k] * x[0] + gy[k] * x[1]; };
    SpatialGeometry g = spatial_geometry(mesh, gas, gradient, test::all_round(mesh, type, test::euler_gas()));
    for (std::size_t f = 0; f < g.type.size(); ++f)
      for (int k = 0; k < 4; ++k)
        g.outside[4 * f + static_cast<std::size_t>(k)] = linear(mesh.face_centre[g.owner.size() + f], k);
    SpatialArrays<Space> a(g, gas, {}, {.order = 2, .gradient = gradient});
    std::vector<double> w;
    for (const auto& c : mesh.centre)
      for (int k = 0; k < 4; ++k) w.push_back(linear(c, k));
    a.w.upload(w);
    gradients<Space>(a.view);
    const auto wx = a.wx.to_vector(), wy = a.wy.to_vector();
    double most = 0;
    for (std::size_t i = 0; i < wx.size(); ++i)
      most = std::max({most, std::abs(wx[i] - gx[i % 4]), std::abs(wy[i] - gy[i % 4])});
    return most;
  }
};
TYPED_TEST_SUITE(GradientTest, test::Spaces, test::SpaceName);

// Values of 3 over spacings of 0.1: 100 roundings.
TYPED_TEST(GradientTest, LeastSquaresIsExactForLinearFields) {
  for (CellKind kind : test::every_kind)
    for (BoundaryType type : {BoundaryType::exact, BoundaryType::slip_wall, BoundaryType::supersonic_outflow}) {
      // Triangles in corners have one neighbour: there only boundaries that know their states determine a gradient.
      const bool corners = kind == CellKind::quads || type == BoundaryType::exact;
      if (!corners) continue;
      EXPECT_LT(this->error(test::box_mesh({.kind = kind}), type, GradientScheme::least_squares), 1000 * eps);
    }
}

TYPED_TEST(GradientTest, GreenGaussIsExactForLinearFieldsOnRectangles) {
  const auto mesh = test::box_mesh({.kind = CellKind::quads, .shake = 0});
  EXPECT_LT(this->error(mesh, BoundaryType::exact, GradientScheme::green_gauss), 1000 * eps);
}

}  // namespace
}  // namespace weir
