#include "miniapps/artificial_compressibility/diagnostics.hpp"

#include <algorithm>

#include "physics/scalar.hpp"
#include "solvers/device/reduce.hpp"

namespace weir {
namespace {

// A cell given by its number without ghosts: its indices, and its number with ghosts.
struct Place {
  int at[3], c;
  WEIR_HD Place(const CoupledCells& cells, int q) : at{q % cells.n[0], q / cells.n[0] % cells.n[1], 0}, c(0) {
    at[2] = q / (cells.n[0] * cells.n[1]);
    c = cells.at(at[0], at[1], at[2]);
  }
};

}  // namespace

template <class Space>
double mean_kinetic_energy(const CoupledView& v, const Grid& grid) {
  const double total = sum<Space>(v.cells.extents().count(), [=] WEIR_HD(int q) {
    const Place p(v.cells, q);
    const double* x = v.x + p.c * v.cells.unknowns;
    double uu = 0;
    for (int e = 1; e <= v.cells.dim; ++e) uu += x[e] * x[e];
    return 0.5 * uu * cell_volume(v, p.at[0], p.at[1], p.at[2]);
  });
  return total / grid.volume();
}

template <class Space>
double max_divergence(const CoupledView& v, View<const double> b) {
  return max_abs<Space>(v.cells.extents().count(), [=] WEIR_HD(int q) {
    const Place p(v.cells, q);
    return b[q * v.cells.unknowns] / (v.speed * cell_volume(v, p.at[0], p.at[1], p.at[2]));
  });
}

template <class Space>
double courant_rate(const CoupledView& v) {
  return max_abs<Space>(v.cells.extents().count(), [=] WEIR_HD(int q) {
    const Place p(v.cells, q);
    double rate = 0;
    for (int d = 0; d < v.cells.dim; ++d)
      rate += absolute(v.x[p.c * v.cells.unknowns + 1 + d]) * v.line[d].inv_h[p.at[d]];
    return rate;
  });
}

template <class Space>
double mean_dissipation(const CoupledView& v, const Grid& grid) {
  const double total = sum<Space>(v.cells.extents().count(), [=] WEIR_HD(int q) {
    const Place p(v.cells, q);
    double rate = 0;
    for (int d = 0; d < v.cells.dim; ++d) {
      const int N = v.cells.unknowns, f = p.at[d], n = v.cells.n[d], step = v.cells.stride(d) * N;
      const double* x = v.x + p.c * N;
      const auto square = [&](int other) {
        double change = 0;
        for (int e = 1; e <= v.cells.dim; ++e) change += (x[e] - x[other + e]) * (x[e] - x[other + e]);
        return change;
      };
      // At a side of the box only half the volume of a face lies inside.
      const bool is_low = f == 0 && !v.cells.periodic[d] && !v.cells.cut[2 * d];
      const bool is_high = f == n - 1 && !v.cells.periodic[d] && !v.cells.cut[2 * d + 1];
      rate += (is_low ? 0.5 : 1.0) * square(-step) * v.line[d].inv_m[f] * v.line[d].inv_h[f];
      if (is_high) rate += 0.5 * square(step) * v.line[d].inv_m[n] * v.line[d].inv_h[f];
    }
    return rate * cell_volume(v, p.at[0], p.at[1], p.at[2]);
  });
  return v.viscosity * total / grid.volume();
}

template <class Space>
double largest_change(const CoupledView& v, const double* before) {
  return max_abs<Space>(v.cells.extents().count(), [=] WEIR_HD(int q) {
    const Place p(v.cells, q);
    double most = 0;
    for (int e = 1; e <= v.cells.dim; ++e) {
      const double change = absolute(v.x[p.c * v.cells.unknowns + e] - before[p.c * v.cells.unknowns + e]);
      if (change > most || change != change) most = change;
    }
    return most;
  });
}

void CoupledCopy::prepare(const CoupledCells& cells) {
  if (flow_) return;
  Layout l;
  static_cast<GridPart&>(l) = cells;
  l.staggered = false;
  flow_ = std::make_unique<Flow<Host>>(l);
  divergence_.resize(static_cast<std::size_t>(l.cells().count()));
  flow_->divergence = divergence_.data();
}

// Ghosts beyond an edge of the box have no boundary condition. They are extrapolated from the ghosts next to its sides.
const Flow<Host>& CoupledCopy::of(const CoupledCells& cells, const std::vector<double>& values,
                                  const std::vector<double>& b, const Grid& grid, double speed) {
  prepare(cells);
  const double* x = values.data() + static_cast<std::ptrdiff_t>(cells.origin()) * cells.unknowns;
  const Layout& l = flow_->layout;
  const auto inside = [&](int d, int i) { return std::clamp(i, 0, l.n[d] - 1); };
  for (int u = 0; u <= l.dim; ++u) {
    const Field<double> f = u == 0 ? flow_->pressure() : flow_->component(u - 1);
    const auto value = [&](int i, int j, int k) {
      return x[static_cast<std::ptrdiff_t>(cells.at(i, j, k)) * cells.unknowns + u];
    };
    l.for_padded([&](int i, int j, int k) {
      const int a = inside(0, i), c = inside(1, j), e = inside(2, k);
      const double own = value(a, c, e);
      f(i, j, k) = value(i, c, e) + (value(a, j, e) - own) + (value(a, c, k) - own);
    });
  }
  std::size_t q = 0;
  l.for_cells([&](int i, int j, int k) {
    divergence_[q] = -b[q * cells.unknowns] / (speed * grid.line[0].width[l.low[0] + i] *
                                               grid.line[1].width[l.low[1] + j] * grid.line[2].width[l.low[2] + k]);
    ++q;
  });
  return *flow_;
}

#define WEIR_COUPLED_DIAGNOSTICS(S)                                          \
  template double mean_kinetic_energy<S>(const CoupledView&, const Grid&);   \
  template double max_divergence<S>(const CoupledView&, View<const double>); \
  template double courant_rate<S>(const CoupledView&);                       \
  template double mean_dissipation<S>(const CoupledView&, const Grid&);      \
  template double largest_change<S>(const CoupledView&, const double*);
WEIR_COUPLED_DIAGNOSTICS(Host)
WEIR_COUPLED_DIAGNOSTICS(Device)
#undef WEIR_COUPLED_DIAGNOSTICS

}  // namespace weir
