#include "mesh/body/pseudonormals.hpp"

#include <cmath>

namespace weir {
namespace {

double angle_between(const Vec3& u, const Vec3& v) { return std::atan2(length(cross(u, v)), dot(u, v)); }

}  // namespace

void Pseudonormals::update(const Surface& s, const SurfaceEdges& edges) {
  face.resize(s.element.size());
  edge.assign(static_cast<std::size_t>(edges.count), Vec3{});
  node.assign(s.node.size(), Vec3{});
  for (int e = 0; e < s.elements(); ++e) {
    const Vec3 area = area_vector(s, e), n = (1 / length(area)) * area;
    face[e] = n;
    for (int k = 0; k < s.corners(); ++k) {
      const int here = s.element[e][k];
      if (s.dimension == 2) {
        node[here] += n;
        continue;
      }
      const Vec3 &x = s.node[here], next = s.node[s.element[e][(k + 1) % 3]], last = s.node[s.element[e][(k + 2) % 3]];
      node[here] += angle_between(next - x, last - x) * n;
      edge[edges.of_element[e][k]] += n;
    }
  }
}

}  // namespace weir
