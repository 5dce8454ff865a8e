// Extension of a surface beyond a plane.
#pragma once
#include <optional>

#include "mesh/body/surface.hpp"

namespace weir {

// Moves the part of a surface beyond the plane x[d] = at (sign 1: above, -1: below) away from it by `step` and fills
// the gap with a cylinder over the section. Points within `tie` of the plane count as on it. Empty if no element
// reaches the plane or the surface only touches it in points.
std::optional<Surface> extended_beyond(const Surface& s, int d, int sign, double at, double tie, double step);

}  // namespace weir
