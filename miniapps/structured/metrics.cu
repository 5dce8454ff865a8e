#include "miniapps/structured/metrics.hpp"

#include <limits>
#include <stdexcept>
#include <vector>

#include "miniapps/structured/case.hpp"

namespace weir {
namespace {

// Six arrays of n + 2 values each, index -1 first.
std::vector<double> metric_values(const GridLine& line, bool periodic, bool drops_out) {
  const auto n = static_cast<std::size_t>(line.cells()), stride = n + 2;
  std::vector<double> v(6 * stride, 0.0);
  double *h = &v[1], *inv_h = h + stride, *m = inv_h + stride, *inv_m = m + stride, *centre = inv_m + stride,
         *face = centre + stride;
  for (std::size_t i = 0; i < n; ++i) h[i] = line.width[i];
  const bool wraps = periodic && !drops_out;
  h[-1] = wraps ? h[n - 1] : h[0];
  h[n] = wraps ? h[0] : h[n - 1];
  for (std::size_t i = 0; i <= n; ++i) {
    m[i] = 0.5 * (h[static_cast<std::ptrdiff_t>(i) - 1] + h[i]);
    inv_m[i] = 1 / m[i];
    face[i] = line.faces[i];
  }
  for (std::size_t i = 0; i < n + 2; ++i) inv_h[static_cast<std::ptrdiff_t>(i) - 1] = 1 / v[i];
  for (std::size_t i = 0; i < n; ++i) centre[i] = line.centre[i];
  centre[-1] = face[0] - 0.5 * h[-1];
  centre[n] = face[n] + 0.5 * h[n];
  return v;
}

}  // namespace

Layout make_layout(const IncompressibleCase& c) {
  Layout l;
  double padded = 1;
  for (int d = 0; d < 3; ++d) {
    l.n[d] = l.whole[d] = c.grid.cells(d);
    l.periodic[d] = c.is_periodic(d);
    padded *= l.n[d] + 2.0;
  }
  l.dim = c.dim();
  if (padded > std::numeric_limits<int>::max()) throw std::invalid_argument("too many cells for a 32-bit index");
  return l;
}

template <class Space>
MetricArrays<Space>::MetricArrays(const Grid& grid, const Layout& layout) {
  for (int d = 0; d < 3; ++d) {
    const auto values = metric_values(grid.line[d], layout.wraps(d), d >= layout.dim);
    storage_[d] = Array<double, Space>(values);
    const double* first = storage_[d].data() + 1 + layout.low[d];
    const std::int64_t stride = layout.whole[d] + 2;
    view_.line[d] = {
        first, first + stride, first + 2 * stride, first + 3 * stride, first + 4 * stride, first + 5 * stride};
  }
}

template class MetricArrays<Host>;
template class MetricArrays<Device>;

}  // namespace weir
