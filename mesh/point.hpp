// Points in 2D.
#pragma once
#include <array>
#include <cmath>

namespace weir {

using Point = std::array<double, 2>;

inline double distance(const Point& a, const Point& b) { return std::hypot(b[0] - a[0], b[1] - a[1]); }
inline Point middle(const Point& a, const Point& b) { return {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])}; }

}  // namespace weir
