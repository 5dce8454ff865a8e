// Closest points of segments and triangles (Ericson 2005, Real-time collision detection, 5.1), exact up to rounding.
#pragma once
#include <algorithm>

#include "mesh/body/surface.hpp"
#include "mesh/body/vec3.hpp"

namespace weir {

// Feature with the closest point: 0 the interior, 1 + k the edge from corner k to k + 1, 4 + k the corner k.
struct ClosestPoint {
  double w1, w2;  // weights of the second and third corner
  int feature;
};
constexpr int inside_feature = 0, first_edge_feature = 1, first_corner_feature = 4;

inline ClosestPoint closest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const double ab_x = b[0] - a[0], ab_y = b[1] - a[1];
  const double w = ((p[0] - a[0]) * ab_x + (p[1] - a[1]) * ab_y) / (ab_x * ab_x + ab_y * ab_y);
  if (!(w > 0)) return {0, 0, first_corner_feature};
  if (w >= 1) return {1, 0, first_corner_feature + 1};
  return {w, 0, inside_feature};
}

inline ClosestPoint closest_on_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return {0, 0, first_corner_feature};
  const Vec3 bp = p - b;
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return {1, 0, first_corner_feature + 1};
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return {d1 / (d1 - d3), 0, first_edge_feature};
  const Vec3 cp = p - c;
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return {0, 1, first_corner_feature + 2};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return {0, d2 / (d2 - d6), first_edge_feature + 2};
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    const double w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    return {1 - w, w, first_edge_feature + 1};
  }
  const double scale = 1 / (va + vb + vc);
  return {vb * scale, vc * scale, inside_feature};
}

// For element e of a surface: a segment in 2D, a triangle in 3D.
struct PointOfElement {
  Vec3 foot;
  ClosestPoint at;
};

inline PointOfElement closest_on_element(const Surface& s, int e, const Vec3& x) {
  const bool is_2d = s.dimension == 2;
  const Vec3 &a = s.node[s.element[e][0]], &b = s.node[s.element[e][1]], &c = is_2d ? b : s.node[s.element[e][2]];
  const ClosestPoint f = is_2d ? closest_on_segment(x, a, b) : closest_on_triangle(x, a, b, c);
  return {a + f.w1 * (b - a) + f.w2 * (c - a), f};
}

}  // namespace weir
