#include "mesh/grid.hpp"

#include <cmath>
#include <stdexcept>

namespace weir {

bool GridLine::is_uniform() const {
  const double h = length() / cells();
  for (double w : width)
    if (std::abs(w - h) > 1e-12 * length()) return false;
  return true;
}

GridLine make_grid_line(int cells, double origin, double length, const Stretching& s) {
  if (cells < 1 || !(length > 0))
    throw std::invalid_argument("a grid line needs at least one cell and a positive length");
  // Maps xi in [0, 1] to [0, 1]; see Vinokur (1983) for the tanh family.
  const auto map = [&](double xi) {
    const double f = s.factor;
    if (s.type == "uniform" || f == 0) return xi;
    if (s.type == "tanh") return 0.5 * (1 + std::tanh(f * (2 * xi - 1)) / std::tanh(f));
    if (s.type == "tanh_low") return 1 + std::tanh(f * (xi - 1)) / std::tanh(f);
    if (s.type == "tanh_high") return std::tanh(f * xi) / std::tanh(f);
    throw std::invalid_argument("unknown stretching '" + s.type + "'");
  };
  GridLine line;
  const auto n = static_cast<std::size_t>(cells);
  line.faces.resize(n + 1);
  for (std::size_t i = 0; i <= n; ++i)
    line.faces[i] = origin + length * map(static_cast<double>(i) / static_cast<double>(n));
  line.faces[n] = origin + length;
  line.centre.resize(n);
  line.width.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    line.centre[i] = 0.5 * (line.faces[i] + line.faces[i + 1]);
    line.width[i] = line.faces[i + 1] - line.faces[i];
  }
  return line;
}

}  // namespace weir
