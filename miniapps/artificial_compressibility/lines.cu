#include "miniapps/artificial_compressibility/lines.hpp"

#include <vector>

#include "solvers/device/for_each.hpp"

namespace weir {
namespace {

// The arrays of one direction, each of n + 2 values, index -1 first. `geometry`: D_f without c_f, and 1/m on the faces
// with a Rhie-Chow term.
enum Row { width, inv_width, centres, lower_weight, inv_distance, compact_factor, factor0, geometry0 = factor0 + 4 };
enum { geometry_compact = geometry0 + 4, wide_geometry0, rows = wide_geometry0 + 4 };

class LineBuilder {
 public:
  LineBuilder(const GridLine& line, bool periodic) : n_(line.cells()), periodic_(periodic), line_(line) {
    values_.assign(static_cast<std::size_t>(rows) * static_cast<std::size_t>(n_ + 2), 0.0);
  }

  std::vector<double> build() {
    for (int i = -1; i <= n_; ++i) {
      row(width)[i] = h(i);
      row(inv_width)[i] = 1 / h(i);
      const double inside = i < 0 ? line_.faces.front() - 0.5 * h(i) : line_.faces.back() + 0.5 * h(i);
      row(centres)[i] = i < 0 || i >= n_ ? inside : line_.centre[i];
    }
    for (int f = 0; f <= n_; ++f) {
      row(lower_weight)[f] = weight(f);
      row(inv_distance)[f] = 1 / distance(f);
      if ((f > 0 && f < n_) || periodic_) add_face(f);
    }
    return values_;
  }

 private:
  double* row(int r) { return &values_[static_cast<std::size_t>(r) * static_cast<std::size_t>(n_ + 2) + 1]; }
  double h(int i) const {
    if (periodic_) i = (i % n_ + n_) % n_;
    return line_.width[i < 0 ? 0 : i >= n_ ? n_ - 1 : i];
  }
  double weight(int f) const { return h(f) / (h(f - 1) + h(f)); }
  double distance(int f) const { return 0.5 * (h(f - 1) + h(f)); }

  // dp/dx of cell i by its interpolated face pressures: factors of the cells i - 1, i, i + 1, added from g on.
  void add_gradient(int i, double factor, int f, int g) {
    const double low = weight(i), high = weight(i + 1), scale = factor / h(i);
    row(wide_geometry0 + g)[f] -= scale * low;
    row(wide_geometry0 + g + 1)[f] += scale * (high - (1 - low));
    row(wide_geometry0 + g + 2)[f] += scale * (1 - high);
  }
  void add_face(int f) {
    const double inv_m = 1 / distance(f);
    row(geometry_compact)[f] = inv_m;
    row(geometry0 + 1)[f] = -inv_m;
    row(geometry0 + 2)[f] = inv_m;
    add_gradient(f - 1, -weight(f), f, 0);
    add_gradient(f, -(1 - weight(f)), f, 1);
  }

  int n_;
  bool periodic_;
  const GridLine& line_;
  std::vector<double> values_;
};

template <class Space>
void fill_dissipation(double* first, int n, const PressureDissipation& with) {
  const int stride = n + 2;
  double* v = first;
  const double wide = with.wide ? 1 : 0, epsilon = with.epsilon, sigma = with.sigma, speed = with.speed,
               nu = with.viscosity;
  for_each<Space>(n + 1, [=] WEIR_HD(int f) {
    const double inv_m = v[inv_distance * stride + f];
    const double s = inv_m * (speed + 4 * nu * inv_m), c = epsilon * s / (sigma * sigma + s * s);
    v[compact_factor * stride + f] = c * v[geometry_compact * stride + f];
    for (int q = 0; q < 4; ++q)
      v[(factor0 + q) * stride + f] =
          c * (v[(geometry0 + q) * stride + f] + wide * v[(wide_geometry0 + q) * stride + f]);
  });
}

}  // namespace

template <class Space>
CoupledLines<Space>::CoupledLines(const Grid& grid, const CoupledCells& cells) {
  for (int d = 0; d < 3; ++d) {
    LineBuilder builder(grid.line[d], cells.wraps(d) || d >= cells.dim);
    storage_[d] = Array<double, Space>(builder.build());
    n_[d] = cells.whole[d];
    const double* first = storage_[d].data() + 1 + cells.low[d];
    const auto row = [&](int r) { return first + std::int64_t{r} * (n_[d] + 2); };
    line_[d] = {row(width),
                row(inv_width),
                row(centres),
                row(lower_weight),
                row(inv_distance),
                row(compact_factor),
                {row(factor0), row(factor0 + 1), row(factor0 + 2), row(factor0 + 3)}};
  }
  with_.epsilon = -1;  // equal to nothing
}

template <class Space>
void CoupledLines<Space>::set_dissipation(const PressureDissipation& with) {
  if (with == with_) return;
  with_ = with;
  for (int d = 0; d < 3; ++d) fill_dissipation<Space>(storage_[d].data() + 1, n_[d], with);
}

template class CoupledLines<Host>;
template class CoupledLines<Device>;

}  // namespace weir
