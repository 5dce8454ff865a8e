// Gradients of W = (p, u, v, T), seen through the work arrays.
#include <limits>

#include "miniapps/compressible/discretisation/spatial_arrays.hpp"
#include "tests/miniapps/compressible/flows.hpp"
#include "tests/support/larger.hpp"
#include "tests/support/spaces.hpp"

namespace weir::gradient_test {
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
    SpatialArrays<Space> a(g, gas, {.order = 2, .gradient = gradient});
    std::vector<double> w;
    for (const auto& c : mesh.centre)
      for (int k = 0; k < 4; ++k) w.push_back(linear(c, k));
    a.w.upload(w);
    gradients<Space>(a.view);
    const auto wx = a.wx.to_vector(), wy = a.wy.to_vector();
    double most = 0;
    for (std::size_t i = 0; i < wx.size(); ++i)
      most = test::larger(test::larger(most, std::abs(wx[i] - gx[i % 4])), std::abs(wy[i] - gy[i % 4]));
    return most;
  }
};
TYPED_TEST_SUITE(GradientTest, test::Spaces, test::SpaceName);

// Values of 3 over spacings of 0.1: 100 roundings.
TYPED_TEST(GradientTest, LeastSquaresIsExactForLinearFields) {
  for (CellKind kind : test::every_kind)
    for (BoundaryType type : {BoundaryType::exact, BoundaryType::supersonic_outflow}) {
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

// A layer 1e-5 high on a circle, its cells 10,000 times as long as high, of lengths that grow: the neighbours along the
// layer lie hundreds of heights off the tangent. A function of the distance to the wall alone is the same at both
// ends of a cell.
TYPED_TEST(GradientTest, LeastSquaresCarryALayerAlongACurvedWall) {
  constexpr double height = 1e-5;
  constexpr int rows = 6;
  const auto mesh =
      test::box_mesh({.nx = 8, .ny = rows, .kind = CellKind::quads, .shake = 0, .place = [](double x, double y) {
                        const double angle = 0.4 * x * (1 + 0.5 * x), r = 1 + height * y;
                        return std::array<double, 2>{r * std::sin(angle), r * std::cos(angle)};
                      }});
  const Gas gas;
  SpatialArrays<TypeParam> a(
      spatial_geometry(mesh, gas, GradientScheme::least_squares,
                       test::all_round(mesh, BoundaryType::supersonic_outflow, test::euler_gas())),
      gas, {.order = 2});
  std::vector<double> w;
  for (int i = 0; i < mesh.cells(); ++i)  // of the row, which is at its distance
    for (int k = 0; k < 4; ++k) w.push_back(2 + (i / 8 + 0.5) / rows);
  a.w.upload(w);
  gradients<TypeParam>(a.view);
  const auto wx = a.wx.to_vector(), wy = a.wy.to_vector();
  constexpr double across = 1.0 / rows;
  for (int f = 0; f < mesh.interior_faces(); ++f) {
    const int i = mesh.owner[f], j = mesh.neighbour[f];
    if (i / 8 != j / 8) continue;
    for (const int cell : {i, j}) {
      const double dx = mesh.face_centre[f][0] - mesh.centre[cell][0],
                   dy = mesh.face_centre[f][1] - mesh.centre[cell][1];
      EXPECT_LT(std::abs(wx[4 * cell] * dx + wy[4 * cell] * dy), 0.1 * across) << cell;
    }
  }
}

// phi of a state, its gradients taken first; W of the cells, and dW/dx and dW/dy.
struct Limited {
  std::vector<double> w, wx, wy, phi;
};
template <class Space>
Limited limited(const UnstructuredMesh& mesh, Limiter limiter, const std::vector<double>& w, double michalak = 1) {
  const Gas gas;
  const auto conditions = test::all_round(mesh, BoundaryType::supersonic_outflow, test::euler_gas());
  SpatialArrays<Space> a(spatial_geometry(mesh, gas, GradientScheme::least_squares, conditions), gas,
                         {.order = 2, .limiter = limiter, .michalak = michalak});
  a.w.upload(w);
  gradients<Space>(a.view);
  limiters<Space>(a.view);
  return {w, a.wx.to_vector(), a.wy.to_vector(), a.phi.to_vector()};
}

void expect_no_new_extrema(const UnstructuredMesh& mesh, const Limited& r) {
  std::vector<double> low = r.w, high = r.w;
  for (int f = 0; f < mesh.interior_faces(); ++f)
    for (std::size_t k = 0; k < 4; ++k) {
      const std::size_t i = 4 * static_cast<std::size_t>(mesh.owner[static_cast<std::size_t>(f)]) + k;
      const std::size_t j = 4 * static_cast<std::size_t>(mesh.neighbour[static_cast<std::size_t>(f)]) + k;
      low[i] = std::min(low[i], r.w[j]), high[i] = std::max(high[i], r.w[j]);
      low[j] = std::min(low[j], r.w[i]), high[j] = std::max(high[j], r.w[i]);
    }
  bool is_limited = false;
  for (std::size_t f = 0; f < mesh.neighbour.size(); ++f)
    for (std::size_t k = 0; k < 4; ++k) {
      const auto cell = static_cast<std::size_t>(mesh.owner[f]);
      const double dx = mesh.face_centre[f][0] - mesh.centre[cell][0];
      const double dy = mesh.face_centre[f][1] - mesh.centre[cell][1];
      const std::size_t i = 4 * cell + k;
      const double there = r.w[i] + r.phi[i] * (r.wx[i] * dx + r.wy[i] * dy);
      EXPECT_GE(there, low[i] - 10 * eps);
      EXPECT_LE(there, high[i] + 10 * eps);
      is_limited = is_limited || r.phi[i] < 1;
    }
  EXPECT_TRUE(is_limited);
}

TYPED_TEST(GradientTest, BarthAndJespersenMakeNoNewExtremaAtFaces) {
  const auto mesh = test::box_mesh({.nx = 8, .ny = 8, .periodic_x = true, .periodic_y = true});
  const auto state = test::random_state(mesh, test::euler_gas());
  expect_no_new_extrema(mesh, limited<TypeParam>(mesh, Limiter::barth_jespersen, state));
}

// K = 0.1: differences above 0.0014 are limited.
TYPED_TEST(GradientTest, MichalakAndOllivierGoochMakeNoNewExtremaAtFaces) {
  const auto mesh = test::box_mesh({.nx = 8, .ny = 8, .periodic_x = true, .periodic_y = true});
  const auto state = test::random_state(mesh, test::euler_gas());
  expect_no_new_extrema(mesh, limited<TypeParam>(mesh, Limiter::michalak, state, 0.1));
}

TYPED_TEST(GradientTest, MichalakAndOllivierGoochLeaveASmallRippleAlone) {
  const auto mesh = test::box_mesh({});
  std::vector<double> w(static_cast<std::size_t>(4 * mesh.cells()), 2.0);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] += 1e-3 * std::sin(static_cast<double>(i));
  for (double phi : limited<TypeParam>(mesh, Limiter::michalak, w, 1).phi) EXPECT_EQ(phi, 1);
}

TYPED_TEST(GradientTest, VenkatakrishnanLeavesAConstantAndASmallRippleAlone) {
  const auto mesh = test::box_mesh({});
  std::vector<double> w(static_cast<std::size_t>(4 * mesh.cells()), 2.0);
  for (double phi : limited<TypeParam>(mesh, Limiter::venkatakrishnan, w).phi) EXPECT_EQ(phi, 1);
  constexpr double ripple = 1e-3, eps_squared = 0.5;  // (5 h)^3, about
  for (std::size_t i = 0; i < w.size(); ++i) w[i] += ripple * std::sin(static_cast<double>(i));
  // 1 - phi = (2 d^2 - d D) / (D^2 + 2 d^2 + d D + eps^2) <= (2 d^2 + |d D|) / eps^2, with D the difference to the
  // neighbours' extremes, at most 2 ripples, and d that at a face: a gradient may be twice the steepest slope.
  constexpr double D = 2 * ripple, d = 2 * D;
  const double bound = (2 * d * d + d * D) / eps_squared;
  for (double phi : limited<TypeParam>(mesh, Limiter::venkatakrishnan, w).phi) EXPECT_NEAR(phi, 1, bound);
}

}  // namespace
}  // namespace weir::gradient_test
