// If a point in the solid is equally near to two faces that meet at a sharp edge, the search selects one of them by the
// order of the elements, and a different one for the mirror image of a body. find_tied_feet finds all of them.
#pragma once
#include <vector>

#include "mesh/body/body.hpp"

namespace weir {

// Upper bound of the cosine of the angle between the normals of faces that meet at a sharp edge.
inline constexpr double sharp_edge = 0.85;

struct SharedFoot {
  Foot foot;
  double share;  // all shares sum to one
};

// Finds the feet of a point x in the solid: `foot`, and feet on other faces whose distance differs by less than
// `width`. Feet of equal distance have equal shares; the share decreases to zero at `width`. Elements are searched one
// by one, so use it for few points only.
void find_tied_feet(const Body& body, const Vec3& x, const Foot& foot, double width, std::vector<SharedFoot>& found);

}  // namespace weir
