// Geometric predicates whose sign is right for any doubles: in double where its rounding cannot matter, exact otherwise.
// Shewchuk (1997), Adaptive precision floating-point arithmetic and fast robust geometric predicates, Discrete Comput.
// Geom. 18:305.
#pragma once
#include "mesh/point.hpp"

namespace weir {

// Positive where a, b, c turn to the left, zero where they lie on a line.
double orientation(const Point& a, const Point& b, const Point& c);

// Positive where d lies inside the circle through a, b, c (which turn to the left), zero on it.
double in_circle(const Point& a, const Point& b, const Point& c, const Point& d);

}  // namespace weir
