// The points of a side of the box: planes of velocities, one per side and component, in one array.
#pragma once
#include <cstdint>
#include <vector>

#include "miniapps/structured/layout.hpp"

namespace weir {

// The plane of points on a side normal to d: (a, b) along the two other directions, both from -1 (ghost) on.
struct Plane {
  int d = 0, t1 = 1, t2 = 2;
  int pad1 = 1, pad2 = 1, n1 = 1, n2 = 1;

  WEIR_HD Extents padded() const { return {n1 + 2 * pad1, n2 + 2 * pad2, 1}; }
  WEIR_HD int index(int a, int b) const { return a + pad1 + (b + pad2) * (n1 + 2 * pad1); }
};
Plane make_plane(const Layout& layout, int d);

// The start of the plane of each side and component in one array; periodic or cut sides have none.
struct BoundaryPlanes {
  explicit BoundaryPlanes(const Layout& layout);
  std::int64_t offset(int side, int component) const { return begin[side] + component * plane[side / 2]; }
  std::int64_t begin[6] = {}, plane[3] = {}, total = 0;
};
// For each value in the planes of a rank, its position in those of the whole box.
std::vector<int> boundary_places(const Layout& local, const Layout& whole);

}  // namespace weir
