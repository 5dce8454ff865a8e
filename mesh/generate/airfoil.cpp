#include "mesh/generate/airfoil.hpp"

#include <algorithm>
#include <cmath>

#include "mesh/generate/spacing.hpp"

namespace weir {
namespace {

// y_t / (5 t)
double shape(double x, double a4) {
  return 0.2969 * std::sqrt(x) + x * (-0.1260 + x * (-0.3516 + x * (0.2843 + x * a4)));
}

}  // namespace

Airfoil::Airfoil(double thickness, double camber, double position, TrailingEdge edge)
    : thickness_(thickness), camber_(camber), position_(position), edge_(edge) {
  a4_ = edge == TrailingEdge::closed ? -0.1036 : -0.1015;
  if (edge != TrailingEdge::extended) return;
  double low = 1, high = 1.1;  // the thickness changes sign once behind x = 1
  for (int i = 0; i < 100; ++i) (shape(0.5 * (low + high), a4_) > 0 ? low : high) = 0.5 * (low + high);
  scale_ = 0.5 * (low + high);
}

double Airfoil::half_thickness(double x) const {
  if (x >= 1 && is_sharp()) return 0;  // not its round-off
  return 5 * thickness_ * shape(scale_ * x, a4_) / scale_;
}

Point Airfoil::at(double s, int side) const {
  const double x = s * s, t = half_thickness(x), m = camber_, p = position_;
  if (m == 0) return {x, side * t};
  const double q = x < p ? p : 1 - p;
  const double y = x < p ? m / (p * p) * (2 * p * x - x * x) : m / (q * q) * (1 - 2 * p + 2 * p * x - x * x);
  const double slope = 2 * m / (q * q) * (p - x), cosine = 1 / std::sqrt(1 + slope * slope);
  return {x - side * t * slope * cosine, y + side * t * cosine};
}

std::vector<Point> airfoil_side(const Airfoil& airfoil, int side, int n, double leading, double trailing) {
  const int fine = std::max(20000, 10 * n);
  std::vector<double> length(static_cast<std::size_t>(fine) + 1, 0.0);
  Point before = airfoil.at(0, side);
  for (int i = 1; i <= fine; ++i) {
    const Point here = airfoil.at(static_cast<double>(i) / fine, side);
    length[i] = length[i - 1] + std::hypot(here[0] - before[0], here[1] - before[1]);
    before = here;
  }
  std::vector<Point> nodes;
  for (const double wanted : two_sided_spacing(n, length.back(), leading, trailing)) {
    const auto above = std::lower_bound(length.begin() + 1, length.end() - 1, wanted);
    const double within = (wanted - above[-1]) / (above[0] - above[-1]);
    nodes.push_back(airfoil.at((static_cast<double>(above - length.begin()) - 1 + within) / fine, side));
  }
  nodes.front() = airfoil.at(0, side);
  nodes.back() = airfoil.at(1, side);
  return nodes;
}

}  // namespace weir
