// Where a point in the solid is as near to two faces that meet at a sharp edge, the search takes one of them, by the
// order of the elements. Mirror images of a body would take others.
#pragma once
#include <vector>

#include "mesh/body/body.hpp"

namespace weir {

// Normals of faces that meet at a sharp edge: the cosine of their angle is below this.
inline constexpr double sharp_edge = 0.85;

struct SharedFoot {
  Foot foot;
  double share;  // all shares sum to one
};

// `foot` of a point x in the solid, and the feet on other faces whose distance is the same but for less than `width`:
// equal shares where the distances are equal, and none left at `width`. Elements are searched one by one: not for many
// points.
void find_tied_feet(const Body& body, const Vec3& x, const Foot& foot, double width, std::vector<SharedFoot>& found);

}  // namespace weir
