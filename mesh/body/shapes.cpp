#include "mesh/body/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "mesh/generate/airfoil.hpp"

namespace weir {
namespace {

constexpr double pi = std::numbers::pi;

// Closed polyline through points in counter-clockwise order.
Surface polygon(std::vector<Vec3> node) {
  Surface s;
  s.dimension = 2;
  s.node = std::move(node);
  for (int i = 0; i < s.nodes(); ++i) {
    const int next = i + 1 < s.nodes() ? i + 1 : 0;
    s.element.push_back({i, next, next});
  }
  s.patch.assign(s.element.size(), 0);
  return s;
}

Surface icosahedron() {
  Surface s;
  const double g = std::numbers::phi;
  for (const double u : {-1.0, 1.0})
    for (const double v : {-g, g}) {
      s.node.push_back({0, u, v});
      s.node.push_back({u, v, 0});
      s.node.push_back({v, 0, u});
    }
  for (Vec3& x : s.node) x = (1 / length(x)) * x;
  const double edge = 2 / std::sqrt(1 + g * g) * 1.01;
  for (int a = 0; a < 12; ++a)
    for (int b = a + 1; b < 12; ++b)
      for (int c = b + 1; c < 12; ++c) {
        const Vec3 &p = s.node[a], &q = s.node[b], &r = s.node[c];
        if (length(p - q) > edge || length(q - r) > edge || length(r - p) > edge) continue;
        const bool turns_out = dot(cross(q - p, r - p), p) > 0;
        s.element.push_back(turns_out ? std::array{a, b, c} : std::array{a, c, b});
      }
  return s;
}

// Splits each triangle into four, with new nodes on the unit sphere.
void subdivide(Surface& s) {
  std::map<std::pair<int, int>, int> middles;
  const auto middle = [&](int a, int b) {
    const auto [at, is_new] = middles.try_emplace(std::minmax(a, b), s.nodes());
    if (is_new) {
      const Vec3 m = s.node[a] + s.node[b];
      s.node.push_back((1 / length(m)) * m);
    }
    return at->second;
  };
  std::vector<std::array<int, 3>> element;
  element.reserve(4 * s.element.size());
  for (const auto& [a, b, c] : s.element) {
    const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    for (const auto& t : {std::array{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}}) element.push_back(t);
  }
  s.element = std::move(element);
}

int pieces(double length, double spacing) { return std::max(1, static_cast<int>(std::ceil(length / spacing - 1e-9))); }

}  // namespace

Surface make_ellipse(const Vec3& radius, double spacing) {
  const double perimeter = 2 * pi * std::sqrt(0.5 * (radius[0] * radius[0] + radius[1] * radius[1]));
  const int n = 4 * std::max(4, pieces(perimeter / 4, spacing));
  std::vector<Vec3> node;
  for (int i = 0; i < n; ++i)
    node.push_back({radius[0] * std::cos(2 * pi * i / n), radius[1] * std::sin(2 * pi * i / n), 0});
  return polygon(std::move(node));
}

Surface make_ellipsoid(const Vec3& radius, double spacing) {
  Surface s = icosahedron();
  double edge = 1.0515 * std::max({radius[0], radius[1], radius[2]});
  constexpr int most = 8;  // 1.3 million triangles
  for (int level = 0; level < most && (edge > spacing || level < 2); ++level, edge *= 0.5) subdivide(s);
  for (Vec3& x : s.node)
    for (std::size_t d = 0; d < 3; ++d) x[d] *= radius[d];
  s.patch.assign(s.element.size(), 0);
  return s;
}

Surface make_aerofoil(const std::string& digits, double chord, double origin, double spacing) {
  const auto digit = [&](std::size_t i) { return static_cast<double>(digits[i] - '0'); };
  const Airfoil airfoil(0.1 * digit(2) + 0.01 * digit(3), 0.01 * digit(0), 0.1 * digit(1), TrailingEdge::closed);
  // So fine that the error of the polyline, (spacing^2 / 8) times the curvature, is below 1e-6 chords.
  const double relative = std::min(spacing / chord, 1 / 200.0), nose = std::min(relative, 2e-4);
  const int n = std::max(400, pieces(1.02, relative));
  const auto lower = airfoil_side(airfoil, -1, n, nose, relative), upper = airfoil_side(airfoil, 1, n, nose, relative);
  std::vector<Vec3> node;
  for (const Point& p : lower) node.push_back({chord * (p[0] - origin), chord * p[1], 0});
  for (std::size_t i = upper.size() - 1; i-- > 1;)
    node.push_back({chord * (upper[i][0] - origin), chord * upper[i][1], 0});
  return polygon(std::move(node));
}

Surface make_rectangle(const Vec3& l, double spacing) {
  const int n[2] = {pieces(l[0], spacing), pieces(l[1], spacing)};
  std::vector<Vec3> node;
  const Vec3 corner[5] = {{-0.5 * l[0], -0.5 * l[1], 0},
                          {0.5 * l[0], -0.5 * l[1], 0},
                          {0.5 * l[0], 0.5 * l[1], 0},
                          {-0.5 * l[0], 0.5 * l[1], 0},
                          {-0.5 * l[0], -0.5 * l[1], 0}};
  for (int side = 0; side < 4; ++side)
    for (int i = 0; i < n[side % 2]; ++i)
      node.push_back(corner[side] + (static_cast<double>(i) / n[side % 2]) * (corner[side + 1] - corner[side]));
  return polygon(std::move(node));
}

Surface make_box(const Vec3& l, double spacing) {
  Surface s;
  std::map<std::array<int, 3>, int> number;
  const std::array<int, 3> n{pieces(l[0], spacing), pieces(l[1], spacing), pieces(l[2], spacing)};
  const auto node = [&](const std::array<int, 3>& at) {
    const auto [found, is_new] = number.try_emplace(at, s.nodes());
    if (is_new) {
      Vec3 x;
      for (std::size_t d = 0; d < 3; ++d) x[d] = l[d] * (static_cast<double>(at[d]) / n[d] - 0.5);
      s.node.push_back(x);
    }
    return found->second;
  };
  for (std::size_t d = 0; d < 3; ++d) {
    const std::size_t u = (d + 1) % 3, v = (d + 2) % 3;
    for (const int side : {0, 1})
      for (int i = 0; i < n[u]; ++i)
        for (int j = 0; j < n[v]; ++j) {
          const auto corner = [&](int p, int q) {
            std::array<int, 3> at{};
            at[d] = side * n[d];
            at[u] = i + p;
            at[v] = j + q;
            return node(at);
          };
          const int a = corner(0, 0), b = corner(1, 0), c = corner(1, 1), e = corner(0, 1);
          for (std::array<int, 3> t : {std::array{a, b, c}, {a, c, e}}) {
            if (side == 0) std::swap(t[1], t[2]);
            s.element.push_back(t);
          }
        }
  }
  s.patch.assign(s.element.size(), 0);
  return s;
}

Ellipsoid exact_ellipse(const Vec3& radius) { return {.dimension = 2, .radius = {radius[0], radius[1], 1}}; }
Ellipsoid exact_ellipsoid(const Vec3& radius) { return {.radius = radius}; }

}  // namespace weir
