// Source of nu~ in a cell (physics/spalart_allmaras.hpp, (2)), and its exact derivatives with respect to U of the
// cell and of its neighbours, through the gradients, which are weighted sums of differences to the neighbours.
#pragma once
#include "miniapps/compressible/discretisation/cell_kernels.hpp"
#include "miniapps/compressible/discretisation/turbulent_fluxes.hpp"

namespace weir::turbulent {

// Gradients of p, u, v, T and nu~.
template <class S>
struct Gradients {
  S x[5], y[5];
};

// Per unit volume, nu~ in its unit.
template <class S>
WEIR_HD inline S source(const SpatialView& v, const State<S>& s, const Gradients<S>& g, double distance) {
  const double unit = v.turbulence.unit;
  const S rho = density(v.gas, s.w), mu = viscosity(v.gas, s.w.t), rho_nu = unit * rho * s.nu;
  const S vorticity = absolute(g.x[2] - g.y[1]);
  const S made =
      spalart_allmaras::production_less_destruction(S(mu / rho), S(unit * s.nu), vorticity, distance) * (1 / unit);
  const S square = g.x[4] * g.x[4] + g.y[4] * g.y[4];
  const S rho_x = g.x[0] / s.w.p - g.x[3] / s.w.t, rho_y = g.y[0] / s.w.p - g.y[3] / s.w.t;  // divided by rho
  const S cross = rho_x * g.x[4] + rho_y * g.y[4];
  return rho * made + (spalart_allmaras::cb2 / spalart_allmaras::sigma * unit) * rho * square -
         spalart_allmaras::diffusivity(mu, rho_nu) * cross;
}

// Least-squares fits of the gradients in a boundary cell, for p, velocities, T and nu~.
struct Fit {
  cell::Normals<double> sum[4];
  double height;    // of the cell
  bool has_all[4];  // uses all boundary faces; else those with data for the variable
};
WEIR_HD inline int kind(int k) { return k == 0 ? 0 : k < 3 ? 1 : k - 1; }
WEIR_HD inline bool is_data(BoundaryType t, int which) {
  const boundary::Given known = boundary::given(t);
  return which == 0 ? known.p : which == 1 ? known.velocity : which == 2 ? known.t : boundary::is_no_slip(t);
}
WEIR_HD inline Fit fit(const SpatialView& v, int i, int n) {
  const Cells& c = v.cells;
  const BoundaryFaces& b = v.boundary;
  Fit out;
  out.height = c.boundary_height[n];
  for (int which = 0; which < 4; ++which) {
    cell::Normals<double>& sum = out.sum[which];
    for (int e = c.start[i]; e < c.start[i + 1]; ++e) {
      double dx = 0, dy = 0;
      cell::to_other(v.faces, c.link[e], out.height, dx, dy);
      sum.add(dx, dy, out.height, 0);
    }
    for (int pass = 0; pass < 2; ++pass) {
      out.has_all[which] = pass == 1;
      for (int e = c.boundary_start[n]; e < c.boundary_start[n + 1]; ++e) {
        const int f = c.boundary_face[e];
        if (is_data(boundary::type(b, f), which) == (pass == 0)) sum.add(b.lx[f], b.ly[f], out.height, 0);
      }
      if (!sum.is_singular()) break;
    }
  }
  return out;
}

struct Weight {
  double x, y;
};
WEIR_HD inline Weight weight(const cell::Normals<double>& sum, double dx, double dy, double height) {
  if (sum.is_singular()) return {0, 0};
  const double w = 1 / (least_squares_divisor(dx, dy, height) * (sum.xx * sum.yy - sum.xy * sum.xy));
  return {w * (sum.yy * dx - sum.xy * dy), w * (sum.xx * dy - sum.xy * dx)};
}
// Weight of the difference across link e in the gradient of variable k; fitted: boundary cell with least squares.
WEIR_HD inline Weight weight_of_link(const SpatialView& v, const Fit& fitted, bool is_fitted, int e, int k) {
  if (!is_fitted) return {v.cells.weight[2 * e], v.cells.weight[2 * e + 1]};
  double dx = 0, dy = 0;
  cell::to_other(v.faces, v.cells.link[e], fitted.height, dx, dy);
  return weight(fitted.sum[kind(k)], dx, dy, fitted.height);
}

// Boundary part of the gradients in cell i, number n of the boundary cells.
template <class S>
WEIR_HD inline void add_boundary(const SpatialView& v, const State<S>& s, const Fit& fitted, bool is_fitted, int n,
                                 Gradients<S>& g) {
  const BoundaryFaces& b = v.boundary;
  const double by_volume = 1 / v.cells.volume[v.cells.boundary_cell[n]];
  for (int e = v.cells.boundary_start[n]; e < v.cells.boundary_start[n + 1]; ++e) {
    const int f = v.cells.boundary_face[e];
    const BoundaryType t = boundary::type(b, f);
    const Primitive<S> at = boundary::state(v, s.w, f);
    const S jump[5] = {at.p - s.w.p, at.u - s.w.u, at.v - s.w.v, at.t - s.w.t,
                       boundary::is_no_slip(t) ? S(-s.nu) : S(0.0)};
    for (int k = 0; k < 5; ++k) {
      const int which = kind(k);
      Weight a{b.area[f] * by_volume * b.nx[f], b.area[f] * by_volume * b.ny[f]};
      if (is_fitted)
        a = is_data(t, which) || fitted.has_all[which] ? weight(fitted.sum[which], b.lx[f], b.ly[f], fitted.height)
                                                       : Weight{0, 0};
      g.x[k] = g.x[k] + a.x * jump[k];
      g.y[k] = g.y[k] + a.y * jump[k];
    }
  }
}

// n: index of the cell among boundary cells, or -1.
template <class S>
WEIR_HD inline Gradients<S> gradients(const SpatialView& v, int i, int n, const State<S>& s, const Fit& fitted) {
  const Cells& c = v.cells;
  const bool is_fitted = n >= 0 && v.gradient == GradientScheme::least_squares;
  const S own[5] = {s.w.p, s.w.u, s.w.v, s.w.t, s.nu};
  Gradients<S> g;
  for (int k = 0; k < 5; ++k) g.x[k] = g.y[k] = S(0.0);
  for (int e = c.start[i]; e < c.start[i + 1]; ++e) {
    const int o = c.other[e];
    for (int k = 0; k < 5; ++k) {
      const Weight a = weight_of_link(v, fitted, is_fitted, e, k);
      const S jump = (k < 4 ? v.w[4 * o + k] : v.turbulence.nu[o]) - own[k];
      g.x[k] = g.x[k] + a.x * jump;
      g.y[k] = g.y[k] + a.y * jump;
    }
  }
  if (n >= 0) add_boundary(v, s, fitted, is_fitted, n, g);
  return g;
}

// Gradient of nu~ in any cell; recomputed in boundary cell n.
WEIR_HD inline void gradient(const SpatialView& v, int i) {
  const Cells& c = v.cells;
  const Turbulence& t = v.turbulence;
  double x = 0, y = 0;
  for (int e = c.start[i]; e < c.start[i + 1]; ++e) {
    const double jump = t.nu[c.other[e]] - t.nu[i];
    x += c.weight[2 * e] * jump;
    y += c.weight[2 * e + 1] * jump;
  }
  t.x[i] = x;
  t.y[i] = y;
}
WEIR_HD inline void boundary_gradient(const SpatialView& v, int n) {
  const int i = v.cells.boundary_cell[n];
  const Gradients<double> g = gradients(v, i, n, state_of(v, i), fit(v, i, n));
  v.turbulence.x[i] = g.x[4];
  v.turbulence.y[i] = g.y[4];
}

// With the gradients of the residual.
WEIR_HD inline double source_of_cell(const SpatialView& v, int i) {
  Gradients<double> g;
  for (int k = 0; k < 4; ++k) g.x[k] = v.wx[4 * i + k], g.y[k] = v.wy[4 * i + k];
  g.x[4] = v.turbulence.x[i], g.y[4] = v.turbulence.y[i];
  return v.cells.volume[i] * source(v, state_of(v, i), g, v.turbulence.distance[i]);
}

// d source / d gradients: five numbers in x, five in y; 2 m at once.
template <int m>
WEIR_HD inline Gradients<double> by_gradients(const SpatialView& v, const State<double>& s, const Gradients<double>& g,
                                              double distance) {
  using G = Dual<double, 2 * m>;
  const State<G> constant{{G(s.w.p), G(s.w.u), G(s.w.v), G(s.w.t)}, G(s.nu)};
  Gradients<double> slopes;
  for (int first = 0; first < 5; first += m) {
    Gradients<G> varied;
    for (int k = 0; k < 5; ++k) {
      const bool varies = k >= first && k < first + m;
      varied.x[k] = G(g.x[k]);
      varied.y[k] = G(g.y[k]);
      if (varies) varied.x[k].d[k - first] = varied.y[k].d[m + k - first] = 1;
    }
    const G out = source(v, constant, varied, distance);
    for (int k = 0; k < m; ++k) slopes.x[first + k] = out.d[k], slopes.y[first + k] = out.d[m + k];
  }
  return slopes;
}

// Subtracts V d source / dU from the last row of the block: V is double or float.
template <class V>
WEIR_HD inline void subtract_row(V* block, bool by_columns, double volume, const double row[5]) {
  for (int k = 0; k < 5; ++k) {
    V& out = block[by_columns ? 5 * k + 4 : 20 + k];
    out = static_cast<V>(out - volume * row[k]);
  }
}

// Blocks of a row: of both together a GPU's kernel needs more registers than there are.
enum class Blocks { all, others };

// Column k of row i's own block.
template <class V>
WEIR_HD inline void subtract_own_source(const SpatialView& v, V* values, int i, int k) {
  using D = Dual<double, 1>;
  const int n = v.turbulence.boundary[i];
  Fit fitted{};
  if (n >= 0 && v.gradient == GradientScheme::least_squares) fitted = fit(v, i, n);
  const State<D> own = dual_state_of<1>(v, i, k);
  const D out = source(v, own, gradients(v, i, n, own, fitted), v.turbulence.distance[i]);
  V& entry = values[25 * v.diagonal[i] + (v.by_columns ? 5 * k + 4 : 20 + k)];
  entry = static_cast<V>(entry - v.cells.volume[i] * out.d[0]);
}

// From the blocks of row i of J, after all fluxes and the diagonal; m columns at once.
template <int m, Blocks of, class V>
WEIR_HD inline void subtract_source(const SpatialView& v, V* values, int i) {
  using D = Dual<double, m>;
  const Cells& c = v.cells;
  const int n = v.turbulence.boundary[i];
  const bool is_fitted = n >= 0 && v.gradient == GradientScheme::least_squares;
  const double volume = c.volume[i], distance = v.turbulence.distance[i];
  Fit fitted{};
  if (is_fitted) fitted = fit(v, i, n);
  if constexpr (of == Blocks::all) {
    double own_row[5];
    for (int first = 0; first < 5; first += m) {
      const State<D> own = dual_state_of<m>(v, i, first);
      const D out = source(v, own, gradients(v, i, n, own, fitted), distance);
      for (int k = 0; k < m; ++k) own_row[first + k] = out.d[k];
    }
    subtract_row(values + 25 * v.diagonal[i], v.by_columns, volume, own_row);
  }
  const State<double> state = state_of(v, i);
  const Gradients<double> slope = by_gradients<m>(v, state, gradients(v, i, n, state, fitted), distance);
  for (int e = c.start[i]; e < c.start[i + 1]; ++e) {
    double row[5] = {};
    for (int first = 0; first < 5; first += m) {
      const State<D> s = dual_state_of<m>(v, c.other[e], first);
      const D* other[5] = {&s.w.p, &s.w.u, &s.w.v, &s.w.t, &s.nu};
      for (int k = 0; k < 5; ++k) {
        const Weight a = weight_of_link(v, fitted, is_fitted, e, k);
        const double by = slope.x[k] * a.x + slope.y[k] * a.y;
        for (int d = 0; d < m; ++d) row[first + d] += by * other[k]->d[d];
      }
    }
    const int link = c.link[e], f = link < 0 ? ~link : link;
    const std::int64_t block = std::int64_t{25} * ((link < 0 ? v.neighbour_row : v.owner_row)[f] / 4);
    if (f < v.faces.inner)
      subtract_row(values + block, v.by_columns, volume, row);
    else
      subtract_row(v.border + block, false, volume, row);
  }
}

}  // namespace weir::turbulent
