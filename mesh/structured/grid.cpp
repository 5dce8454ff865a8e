#include "mesh/structured/grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace weir {

bool GridLine::is_uniform() const {
  const double h = length() / cells();
  for (double w : width)
    if (std::abs(w - h) > 1e-12 * length()) return false;
  return true;
}

namespace {

// The ratio r with w (r + r^2 + ... + r^n) = length: n cells that grow from width w. n = 0: no cells.
double growth_ratio(double w, int n, double length) {
  if (n == 0) return length > 1e-12 * w ? std::numeric_limits<double>::infinity() : 1;
  if (length < 1e-12 * w) return std::numeric_limits<double>::infinity();
  const auto span = [&](double r) {
    double sum = 0, term = w;
    for (int i = 0; i < n; ++i) sum += term *= r;
    return sum;
  };
  double low = 0, high = 1;
  while (span(high) < length) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i)
    (span(0.5 * (low + high)) < length ? low : high) = 0.5 * (low + high);
  return 0.5 * (low + high);
}

double excess(double ratio) { return std::max(ratio, 1 / ratio); }

std::vector<double> refined_faces(int cells, double origin, double length, const Stretching& s) {
  const double end = origin + length;
  if (!(s.width > 0) || !(s.from < s.to) || s.from < origin - 1e-12 * length || s.to > end + 1e-12 * length)
    throw std::invalid_argument("a refined stretching requires width > 0 and from < to inside the box");
  if (!((s.to - s.from) / s.width < cells + 0.5))
    throw std::invalid_argument("a refined stretching has too few cells for `width` between `from` and `to`");
  const int inner = std::max(1, static_cast<int>(std::lround((s.to - s.from) / s.width)));
  const double w = (s.to - s.from) / inner, below = s.from - origin, above = end - s.to;
  const int outer = cells - inner;
  const auto worst = [&](int n) {
    return std::max(excess(growth_ratio(w, n, below)), excess(growth_ratio(w, outer - n, above)));
  };
  // The worst ratio falls, then rises with n; if nothing lies above, all cells go below.
  int low = std::isfinite(worst(outer)) ? outer : 0;
  for (int high = outer; low < high;) {
    const int middle = low + (high - low) / 2;
    if (worst(middle) > worst(middle + 1))
      low = middle + 1;
    else
      high = middle;
  }
  if (!std::isfinite(worst(low)))
    throw std::invalid_argument("a refined stretching has too few cells outside of `from` .. `to` (" +
                                std::to_string(inner) + " are inside)");
  std::vector<double> faces(static_cast<std::size_t>(cells) + 1);
  const auto face = [&](int i) -> double& { return faces[i]; };
  for (int i = 0; i <= inner; ++i) face(low + i) = s.from + w * i;
  double step = w, ratio = growth_ratio(w, low, below);
  for (int i = low - 1; i >= 0; --i) face(i) = face(i + 1) - (step *= ratio);
  step = w;
  ratio = growth_ratio(w, outer - low, above);
  for (int i = low + inner + 1; i <= cells; ++i) face(i) = face(i - 1) + (step *= ratio);
  face(0) = origin;
  face(cells) = end;
  return faces;
}

GridLine line_of(std::vector<double> faces) {
  GridLine line;
  line.faces = std::move(faces);
  const std::size_t n = line.faces.size() - 1;
  line.centre.resize(n);
  line.width.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    line.centre[i] = 0.5 * (line.faces[i] + line.faces[i + 1]);
    line.width[i] = line.faces[i + 1] - line.faces[i];
  }
  return line;
}

}  // namespace

GridLine make_grid_line(int cells, double origin, double length, const Stretching& s) {
  if (cells < 1 || !(length > 0))
    throw std::invalid_argument("a grid line requires at least one cell and a positive length");
  if (s.type == "refined") return line_of(refined_faces(cells, origin, length, s));
  // Maps xi in [0, 1] to [0, 1]; tanh family of Vinokur (1983).
  const auto map = [&](double xi) {
    const double f = s.factor;
    if (s.type == "uniform" || f == 0) return xi;
    if (s.type == "tanh") return 0.5 * (1 + std::tanh(f * (2 * xi - 1)) / std::tanh(f));
    if (s.type == "tanh_low") return 1 + std::tanh(f * (xi - 1)) / std::tanh(f);
    if (s.type == "tanh_high") return std::tanh(f * xi) / std::tanh(f);
    throw std::invalid_argument("unknown stretching '" + s.type + "'");
  };
  const auto n = static_cast<std::size_t>(cells);
  std::vector<double> faces(n + 1);
  for (std::size_t i = 0; i <= n; ++i)
    faces[i] = origin + length * map(static_cast<double>(i) / static_cast<double>(n));
  faces[n] = origin + length;
  return line_of(std::move(faces));
}

}  // namespace weir
