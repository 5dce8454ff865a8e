#include "mesh/body/surface.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace weir {
namespace {

const Vec3& corner(const Surface& s, int e, int k) { return s.node[s.element[e][k]]; }

// Six times the signed volume of the tetrahedron (origin, element); 2D: twice the area of the triangle.
double moment(const Surface& s, int e, const Vec3& origin) {
  const Vec3 a = corner(s, e, 0) - origin, b = corner(s, e, 1) - origin;
  if (s.dimension == 2) return a[0] * b[1] - a[1] * b[0];
  return dot(a, cross(b, corner(s, e, 2) - origin));
}

// Moments are taken about the centre of the box, to keep precision for small bodies far from the origin.
Vec3 middle(const Surface& s) {
  const Box3 box = bounding_box(s.node);
  return 0.5 * (box.low + box.high);
}

}  // namespace

Rotation rotation_about(const Vec3& axis, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  const Vec3& n = axis;
  Rotation r;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) r[i][j] = (1 - c) * n[i] * n[j] + (i == j ? c : 0);
  r[0][1] -= s * n[2];
  r[0][2] += s * n[1];
  r[1][0] += s * n[2];
  r[1][2] -= s * n[0];
  r[2][0] -= s * n[1];
  r[2][1] += s * n[0];
  return r;
}

Rotation operator*(const Rotation& a, const Rotation& b) {
  Rotation r;
  for (std::size_t i = 0; i < 3; ++i) r[i] = turned_back(b, a[i]);
  return r;
}

Vec3 area_vector(const Surface& s, int e) {
  const Vec3 ab = corner(s, e, 1) - corner(s, e, 0);
  if (s.dimension == 2) return {ab[1], -ab[0], 0};
  return 0.5 * cross(ab, corner(s, e, 2) - corner(s, e, 0));
}

Vec3 centre(const Surface& s, int e) {
  Vec3 sum{};
  for (int k = 0; k < s.corners(); ++k) sum += corner(s, e, k);
  return (1.0 / s.corners()) * sum;
}

double area(const Surface& s) {
  double sum = 0;
  for (int e = 0; e < s.elements(); ++e) sum += length(area_vector(s, e));
  return sum;
}

double volume(const Surface& s) {
  const Vec3 origin = middle(s);
  double sum = 0;
  for (int e = 0; e < s.elements(); ++e) sum += moment(s, e, origin);
  return sum / (s.dimension == 2 ? 2 : 6);
}

Vec3 centroid(const Surface& s) {
  const Vec3 origin = middle(s);
  double total = 0;
  Vec3 sum{};
  for (int e = 0; e < s.elements(); ++e) {
    const double m = moment(s, e, origin);
    total += m;
    sum += (m * s.corners() / (s.corners() + 1)) * (centre(s, e) - origin);
  }
  return origin + (1 / total) * sum;
}

void include(Box3& box, const Vec3& x) {
  for (std::size_t d = 0; d < 3; ++d) {
    box.low[d] = std::min(box.low[d], x[d]);
    box.high[d] = std::max(box.high[d], x[d]);
  }
}

Box3 bounding_box(std::span<const Vec3> node) {
  Box3 box{node.front(), node.front()};
  for (const Vec3& x : node) include(box, x);
  return box;
}

double flux(const Surface& s, std::span<const Vec3> velocity) {
  double sum = 0;
  for (int e = 0; e < s.elements(); ++e) {
    Vec3 mean{};
    for (int k = 0; k < s.corners(); ++k) mean += velocity[s.element[e][k]];
    sum += dot(mean, area_vector(s, e)) / s.corners();
  }
  return sum;
}

void reverse(Surface& s) {
  for (auto& e : s.element) std::swap(e[0], e[1]);
  if (s.dimension == 2)
    for (auto& e : s.element) e[2] = e[1];
}

void sort_elements(Surface& s) {
  if (s.dimension == 2) return;  // a polyline is already sorted
  const Box3 box = bounding_box(s.node);
  const Vec3 extent = box.high - box.low;
  const double size = std::max({extent[0], extent[1], extent[2]});
  std::vector<std::pair<std::uint64_t, int>> key(s.element.size());
  for (int e = 0; e < s.elements(); ++e) {
    const Vec3 x = (1 / size) * (centre(s, e) - box.low);
    constexpr int bits = 20;
    std::uint64_t code = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto cell = static_cast<std::uint64_t>(x[d] * ((1 << bits) - 1));
      for (unsigned b = 0; b < bits; ++b) code |= (cell >> b & 1) << (3 * b + d);
    }
    key[e] = {code, e};
  }
  std::ranges::sort(key);
  const auto element = s.element;
  const auto patch = s.patch;
  for (int e = 0; e < s.elements(); ++e) {
    s.element[e] = element[key[e].second];
    if (!patch.empty()) s.patch[e] = patch[key[e].second];
  }
}

SurfaceEdges find_edges(const Surface& s) {
  SurfaceEdges edges;
  if (s.dimension == 2) return edges;
  struct Side {
    int low, high, element, k;
  };
  std::vector<Side> sides;
  sides.reserve(s.element.size() * 3);
  for (int e = 0; e < s.elements(); ++e)
    for (int k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax({s.element[e][k], s.element[e][(k + 1) % 3]});
      sides.push_back({low, high, e, k});
    }
  const auto key = [](const Side& a) { return std::pair(a.low, a.high); };
  std::ranges::sort(sides, {}, [](const Side& a) { return std::array<int, 4>{a.low, a.high, a.element, a.k}; });
  edges.of_element.resize(s.element.size());
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (i == 0 || key(sides[i]) != key(sides[i - 1])) ++edges.count;
    edges.of_element[sides[i].element][sides[i].k] = edges.count - 1;
  }
  return edges;
}

}  // namespace weir
