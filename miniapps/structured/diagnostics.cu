#include "miniapps/structured/diagnostics.hpp"

#include <cmath>

#include "physics/scalar.hpp"
#include "solvers/device/reduce.hpp"
#include "solvers/distributed/sum_over_ranks.hpp"

namespace weir {
namespace {

struct FlowView {
  Layout l;
  Metrics m;
  const double* f[3] = {};
};

template <class Space>
FlowView view_of(const Flow<Space>& flow, const Metrics& m) {
  FlowView v;
  v.l = flow.layout;
  v.m = m;
  for (int c = 0; c < flow.layout.dim; ++c) v.f[c] = flow.component(c).at(0, 0, 0);
  return v;
}

// Energy of the cells from `from` to `to` of a row.
WEIR_HD inline double row_energy(const FlowView& v, int first, int last, int from, int to, int j, int k) {
  double row = 0;
  for (int c = first; c < last; ++c) {
    const double* u = v.f[c] + j * v.l.stride(1) + k * v.l.stride(2);
    const int s = v.l.stride(c);
    for (int i = from; i < to; ++i) row += (u[i] * u[i] + u[i + s] * u[i + s]) * v.m.line[0].h[i];
  }
  return 0.25 * row * v.m.line[1].h[j] * v.m.line[2].h[k];
}

// The larger of |a| and |b|; NaN if b is NaN, so that it is never lost.
WEIR_HD inline double larger(double a, double b) { return absolute(b) > a || b != b ? absolute(b) : a; }

struct DivergenceAt {
  FlowView v;
  WEIR_HD double operator()(int i, int j, int k) const {
    const int at[3] = {i, j, k}, q = i + j * v.l.stride(1) + k * v.l.stride(2);
    double div = 0;
    for (int c = 0; c < v.l.dim; ++c) div += (v.f[c][q + v.l.stride(c)] - v.f[c][q]) * v.m.line[c].inv_h[at[c]];
    return div;
  }
};

struct CourantAt {
  FlowView v;
  WEIR_HD double operator()(int i, int j, int k) const {
    const int at[3] = {i, j, k}, q = i + j * v.l.stride(1) + k * v.l.stride(2);
    double rate = 0;
    for (int c = 0; c < v.l.dim; ++c) {
      const double low = absolute(v.f[c][q]), high = absolute(v.f[c][q + v.l.stride(c)]);
      rate += (high > low || high != high ? high : low) * v.m.line[c].inv_h[at[c]];
    }
    return rate;
  }
};

// On the host a term of the reduction is a row of cells, whose loop is fast; on the device it is a cell, so that
// neighbouring lanes read neighbouring cells. The maximum is the same.
template <class Space, class At>
double largest_over_cells(const Layout& l, const At& at) {
  const int nx = l.n[0], ny = l.n[1], nz = l.n[2];
  if constexpr (std::is_same_v<Space, Device>)
    return max_abs<Space>(nx * ny * nz, [=] WEIR_HD(int q) { return at(q % nx, q / nx % ny, q / nx / ny); });
  else
    return max_abs<Space>(ny * nz, [=] WEIR_HD(int r) {
      double most = 0;
      for (int i = 0; i < nx; ++i) {
        most = larger(most, at(i, r % ny, r / ny));
        if (most != most) break;
      }
      return most;
    });
}

// The square of du_c / dx_d times the volume it stands for, between the values of u_c below and above face `face` of
// direction d (of a cell where c = d), at face at[c] of component c. At a side of the box half the volume lies inside.
WEIR_HD inline double square_gradient(const FlowView& v, int c, int d, const int at[3], int face) {
  double volume = 1;
  for (int e = 0; e < 3; ++e)
    if (e != d) volume *= e == c ? v.m.line[e].m[at[e]] : v.m.line[e].h[at[e]];
  const auto is_at_side = [&](int e, int i) {
    return (i == 0 && v.l.is_side(2 * e)) || (i == v.l.n[e] && v.l.is_side(2 * e + 1));
  };
  if (c != d && is_at_side(c, at[c])) volume *= 0.5;
  if (c != d && is_at_side(d, face)) volume *= 0.5;
  const double* width = c == d ? v.m.line[d].h : v.m.line[d].m;
  volume *= width[face];
  // Where two sides meet, the ghost has the value of only one of them, so the gradient of the next face is used
  // instead.
  if (c != d && is_at_side(c, at[c]) && is_at_side(d, face)) {
    if (v.l.whole[d] == 1) return 0;
    face += face == 0 ? 1 : -1;
  }
  int low[3] = {at[0], at[1], at[2]};
  low[d] = c == d ? face : face - 1;
  const double* u = v.f[c] + v.l.at(low[0], low[1], low[2]);
  const double slope = (u[v.l.stride(d)] - u[0]) / width[face];
  return volume * slope * slope;
}

WEIR_HD inline double row_gradient(const FlowView& v, int from, int to, int j, int k) {
  double row = 0;
  for (int c = 0; c < v.l.dim; ++c)
    for (int d = 0; d < v.l.dim; ++d)
      for (int i = from; i < to; ++i) {
        int at[3] = {i, j, k};
        if (c == d) {
          row += square_gradient(v, c, d, at, at[d]);
          continue;
        }
        const bool is_last = at[c] == v.l.n[c] - 1 && v.l.is_side(2 * c + 1);
        for (int beyond = 0; beyond <= (is_last ? 1 : 0); ++beyond) {
          at[c] += beyond;
          row += square_gradient(v, c, d, at, at[d] + 1);
          if (at[d] == 0 && v.l.is_side(2 * d)) row += square_gradient(v, c, d, at, 0);
        }
      }
  return row;
}

// The squares of the vorticity on the four edges of a cell in each direction, a quarter each.
WEIR_HD inline double row_enstrophy(const FlowView& v, int from, int to, int j, int k) {
  double row = 0;
  for (int a = 0; a < v.l.dim; ++a)
    for (int b = a + 1; b < v.l.dim; ++b)
      for (int i = from; i < to; ++i) {
        const double volume = v.m.line[0].h[i] * v.m.line[1].h[j] * v.m.line[2].h[k];
        for (int corner = 0; corner < 4; ++corner) {
          int at[3] = {i, j, k};
          at[a] += corner & 1;
          at[b] += corner >> 1;
          const int q = v.l.at(at[0], at[1], at[2]);
          const double curl = (v.f[b][q] - v.f[b][q - v.l.stride(a)]) / v.m.line[a].m[at[a]] -
                              (v.f[a][q] - v.f[a][q - v.l.stride(b)]) / v.m.line[b].m[at[b]];
          row += 0.25 * volume * curl * curl;
        }
      }
  return 0.5 * row;
}

// The sum of row(from, to, j, k) over all rows: a term of the sum is a row on the host, a cell on the device, as above.
template <class Space, class Row>
double sum_over_cells(const Layout& l, const Row& row) {
  const int nx = l.n[0], ny = l.n[1], nz = l.n[2];
  if constexpr (std::is_same_v<Space, Device>)
    return sum<Space>(std::int64_t{1} * nx * ny * nz, [=] WEIR_HD(int q) {
      const int i = q % nx, r = q / nx;
      return row(i, i + 1, r % ny, r / ny);
    });
  else
    return sum<Space>(ny * nz, [=] WEIR_HD(int r) { return row(0, nx, r % ny, r / ny); });
}

template <class Space>
double energy_of(const FlowView& v, int first, int last) {
  return sum_over_cells<Space>(
      v.l, [=] WEIR_HD(int from, int to, int j, int k) { return row_energy(v, first, last, from, to, j, k); });
}

}  // namespace

template <class Space>
double kinetic_energy(const Flow<Space>& flow, const Metrics& m, const Grid& grid) {
  return energy_of<Space>(view_of(flow, m), 0, flow.layout.dim) / grid.volume();
}

template <class Space>
double component_energy(const Flow<Space>& flow, const Metrics& m, const Grid& grid, int c) {
  return energy_of<Space>(view_of(flow, m), c, c + 1) / grid.volume();
}

template <class Space>
double max_divergence(const Flow<Space>& flow, const Metrics& m) {
  return largest_over_cells<Space>(flow.layout, DivergenceAt{view_of(flow, m)});
}

template <class Space>
double courant_rate(const Flow<Space>& flow, const Metrics& m) {
  return largest_over_cells<Space>(flow.layout, CourantAt{view_of(flow, m)});
}

template <class Space>
double dissipation(const Flow<Space>& flow, const Metrics& m, const Grid& grid, double viscosity) {
  const FlowView v = view_of(flow, m);
  const auto row = [=] WEIR_HD(int from, int to, int j, int k) { return row_gradient(v, from, to, j, k); };
  return viscosity * sum_over_cells<Space>(v.l, row) / grid.volume();
}

template <class Space>
double enstrophy(const Flow<Space>& flow, const Metrics& m, const Grid& grid) {
  const FlowView v = view_of(flow, m);
  const auto row = [=] WEIR_HD(int from, int to, int j, int k) { return row_enstrophy(v, from, to, j, k); };
  return sum_over_cells<Space>(v.l, row) / grid.volume();
}

template <class Space>
double largest_deviation(const Layout& l, const Array<double, Space>& field, const Communicator& ranks) {
  const Extents box = l.cells();
  const int nx = box.nx, ny = box.ny, sy = l.stride(1), sz = l.stride(2);
  const double* f = field.data() + l.origin();
  const auto value = [=] WEIR_HD(int q) { return f[q % nx + q / nx % ny * sy + q / (nx * ny) * sz]; };
  const double mean = sum_over_ranks<Space>(ranks, box.count(), value) / static_cast<double>(l.whole_count());
  return ranks.max(max_abs<Space>(box.count(), [=] WEIR_HD(int q) { return value(q) - mean; }));
}

std::optional<BadCell> first_not_finite(const WholeFlow& flow) {
  const Layout& l = flow.layout;
  const char names[3] = {'u', 'v', 'w'};
  for (int k = 0; k < l.n[2]; ++k)
    for (int j = 0; j < l.n[1]; ++j)
      for (int i = 0; i < l.n[0]; ++i) {
        for (int c = 0; c < l.dim; ++c)
          if (!std::isfinite(flow.component(c)(i, j, k))) return BadCell{names[c], {i, j, k}};
        if (!std::isfinite(flow.pressure()(i, j, k))) return BadCell{'p', {i, j, k}};
      }
  return std::nullopt;
}

#define WEIR_DIAGNOSTICS(S)                                                                          \
  template double largest_deviation<S>(const Layout&, const Array<double, S>&, const Communicator&); \
  template double kinetic_energy<S>(const Flow<S>&, const Metrics&, const Grid&);                    \
  template double component_energy<S>(const Flow<S>&, const Metrics&, const Grid&, int);             \
  template double max_divergence<S>(const Flow<S>&, const Metrics&);                                 \
  template double courant_rate<S>(const Flow<S>&, const Metrics&);                                   \
  template double enstrophy<S>(const Flow<S>&, const Metrics&, const Grid&);                         \
  template double dissipation<S>(const Flow<S>&, const Metrics&, const Grid&, double);
WEIR_DIAGNOSTICS(Host)
WEIR_DIAGNOSTICS(Device)
#undef WEIR_DIAGNOSTICS

}  // namespace weir
