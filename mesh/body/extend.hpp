// A surface carried on beyond a plane.
#pragma once
#include <optional>

#include "mesh/body/surface.hpp"

namespace weir {

// What of a surface lies on the plane x[d] = at or beyond it (sign 1: above, -1: below) is moved away from it by `step`: the
// surface's section with the plane is carried on as a cylinder. Points within `tie` of the plane lie on it. Nothing where no
// element reaches the plane, or the surface touches it in points alone.
std::optional<Surface> extended_beyond(const Surface& s, int d, int sign, double at, double tie, double step);

}  // namespace weir
