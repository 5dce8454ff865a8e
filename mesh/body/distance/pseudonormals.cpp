#include "mesh/body/distance/pseudonormals.hpp"

#include <cmath>

namespace weir {
namespace {

double angle_between(const Vec3& u, const Vec3& v) { return std::atan2(length(cross(u, v)), dot(u, v)); }

}  // namespace

void Pseudonormals::update(const Surface& s, const SurfaceEdges& edges) {
  face.resize(s.element.size());
  edge.assign(static_cast<std::size_t>(edges.count), Vec3{});
  if (corners_.start.size() != s.node.size() + 1)
    corners_ = into_buckets<Corner>(s.node.size(), [&](const auto& put) {
      for (int e = 0; e < s.elements(); ++e)
        for (int k = 0; k < s.corners(); ++k) put(s.element[e][k], Corner{e, k});
    });
  for (int e = 0; e < s.elements(); ++e) {
    const Vec3 area = area_vector(s, e), n = (1 / length(area)) * area;
    face[e] = n;
    for (int k = 0; k < 3 && s.dimension == 3; ++k) edge[edges.of_element[e][k]] += n;
  }
}

Vec3 Pseudonormals::node(const Surface& s, int n) const {
  Vec3 sum{};
  for (int q = corners_.start[n]; q < corners_.start[n + 1]; ++q) {
    const auto [e, k] = corners_.item[q];
    if (s.dimension == 2) {
      sum += face[e];
      continue;
    }
    const Vec3 &x = s.node[n], next = s.node[s.element[e][(k + 1) % 3]], last = s.node[s.element[e][(k + 2) % 3]];
    sum += angle_between(next - x, last - x) * face[e];
  }
  return sum;
}

}  // namespace weir
