#include "solvers/matrix/stencil/separable_operator.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace weir {
namespace {

bool nearly(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b)); }

bool is_periodic(const std::vector<double>& faces, EndCondition low, EndCondition high) {
  if (faces.size() < 2) throw std::invalid_argument("a direction needs at least one cell");
  const bool periodic = low == EndCondition::periodic;
  if (periodic != (high == EndCondition::periodic)) throw std::invalid_argument("periodic at one end only");
  return periodic;
}

SeparableDirection zero_direction(std::size_t n, bool periodic) {
  const std::vector<double> zeros(n, 0);
  return {zeros, zeros, zeros, zeros, periodic && n > 1};
}

}  // namespace

bool SeparableDirection::is_uniform() const {
  const int n = size();
  for (int i = 0; i < n; ++i) {
    const auto s = static_cast<std::size_t>(i);
    if (!nearly(mass[s], mass[0])) return false;
    if ((i + 1 < n || periodic) && !nearly(upper[s], upper[0])) return false;
    if (i > 0 && i + 1 < n && boundary[s] != 0) return false;
  }
  return true;
}

bool SeparableOperator::has_constant_null_space() const {
  if (shift != 0) return false;
  for (const auto& d : direction)
    if (std::ranges::any_of(d.boundary, [](double v) { return v != 0; })) return false;
  return true;
}

SeparableDirection cell_centred_direction(const std::vector<double>& faces, EndCondition low, EndCondition high) {
  const std::size_t n = faces.size() - 1;
  SeparableDirection d = zero_direction(n, is_periodic(faces, low, high));
  for (std::size_t i = 0; i < n; ++i) d.mass[i] = faces[i + 1] - faces[i];
  for (std::size_t i = 0; i + 1 < n; ++i) d.upper[i] = d.lower[i + 1] = 2 / (d.mass[i] + d.mass[i + 1]);
  if (d.periodic) d.lower[0] = d.upper[n - 1] = 2 / (d.mass[0] + d.mass[n - 1]);
  if (low == EndCondition::dirichlet) d.boundary[0] += 2 / d.mass[0];
  if (high == EndCondition::dirichlet) d.boundary[n - 1] += 2 / d.mass[n - 1];
  return d;
}

SeparableDirection face_centred_direction(const std::vector<double>& faces, EndCondition low, EndCondition high) {
  const bool periodic = is_periodic(faces, low, high);
  const std::size_t cells = faces.size() - 1;
  const std::size_t first = low == EndCondition::dirichlet ? 1 : 0;
  const std::size_t last = high == EndCondition::neumann ? cells : cells - 1;  // periodic: face `cells` is face 0
  if (last + 1 <= first)
    throw std::invalid_argument("no unknown between the end faces: at least one more cell is needed");
  const std::size_t n = last + 1 - first;
  const auto width = [&](std::size_t c) { return faces[c + 1] - faces[c]; };  // of cell c
  SeparableDirection d = zero_direction(n, periodic);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t f = first + i;  // between cells f - 1 and f
    const bool has_left = f > 0 || periodic, has_right = f < cells;
    const double left = has_left ? width(f > 0 ? f - 1 : cells - 1) : 0, right = has_right ? width(f) : 0;
    d.mass[i] = 0.5 * (left + right);
    if (has_left) (i > 0 || d.periodic ? d.lower[i] : d.boundary[i]) += 1 / left;
    if (has_right) (i + 1 < n || d.periodic ? d.upper[i] : d.boundary[i]) += 1 / right;
  }
  if (periodic && n == 1) d.boundary[0] = 0;
  return d;
}

}  // namespace weir
