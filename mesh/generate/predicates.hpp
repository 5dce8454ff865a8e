// Geometric predicates with the correct sign for any doubles: floating-point filter, then exact arithmetic. Shewchuk
// (1997), Adaptive precision floating-point arithmetic and fast robust geometric predicates, Discrete Comput. Geom.
// 18:305.
#pragma once
#include "mesh/point.hpp"

namespace weir {

// Positive if a, b, c turn left, zero if they are collinear.
double orientation(const Point& a, const Point& b, const Point& c);

// Positive if d is inside the circle through a, b, c (which turn left), zero on it.
double in_circle(const Point& a, const Point& b, const Point& c, const Point& d);

}  // namespace weir
