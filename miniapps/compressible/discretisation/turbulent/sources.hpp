// Sources of the turbulence model in a cell (physics/spalart_allmaras.hpp, (2); physics/sst.hpp, (2) and (3)), and
// their exact derivatives with respect to U of the cell and of its neighbours, through the gradients, which are
// weighted sums of differences to the neighbours.
#pragma once
#include "miniapps/compressible/discretisation/cell_kernels.hpp"
#include "miniapps/compressible/discretisation/turbulent/fluxes.hpp"

namespace weir::turbulent {

// Gradients of p, u, v, T and the model's variables.
template <class M, class S>
struct Gradients {
  S x[equations<M>], y[equations<M>];
};

// Per unit volume, each variable in its unit.
template <class S>
WEIR_HD inline void source(const SpatialView& v, const State<SpalartAllmaras, S>& s,
                           const Gradients<SpalartAllmaras, S>& g, double distance, S out[1]) {
  const double unit = v.turbulence.unit[0];
  const S nu = s.t[0];
  const S rho = density(v.gas, s.w), mu = viscosity(v.gas, s.w.t), rho_nu = unit * rho * nu;
  const S vorticity = absolute(g.x[2] - g.y[1]);
  const S made =
      spalart_allmaras::production_less_destruction(S(mu / rho), S(unit * nu), vorticity, distance) * (1 / unit);
  const S square = g.x[4] * g.x[4] + g.y[4] * g.y[4];
  const S rho_x = g.x[0] / s.w.p - g.x[3] / s.w.t, rho_y = g.y[0] / s.w.p - g.y[3] / s.w.t;  // divided by rho
  const S cross = rho_x * g.x[4] + rho_y * g.y[4];
  out[0] = rho * made + (spalart_allmaras::cb2 / spalart_allmaras::sigma * unit) * rho * square -
           spalart_allmaras::diffusivity(mu, rho_nu) * cross;
}
template <class S>
WEIR_HD inline sst::Point<S> point_of(const SpatialView& v, const State<MenterSst, S>& s,
                                      const Gradients<MenterSst, S>& g) {
  const double *unit = v.turbulence.unit, least_k = sst::least_k, least_omega = sst::least_omega;
  return {density(v.gas, s.w),
          viscosity(v.gas, s.w.t),
          larger_of(S(unit[0] * s.t[0]), S(least_k)),
          larger_of(S(unit[1] * s.t[1]), S(least_omega)),
          2.0 * (square(g.x[1]) + square(g.y[2])) + square(S(g.y[1] + g.x[2])),
          unit[0] * unit[1] * (g.x[4] * g.x[5] + g.y[4] * g.y[5])};
}
template <class S>
WEIR_HD inline void source(const SpatialView& v, const State<MenterSst, S>& s, const Gradients<MenterSst, S>& g,
                           double distance, S out[2]) {
  const sst::Sources<S> made = sst::sources(point_of(v, s, g), distance);
  out[0] = made.k * (1 / v.turbulence.unit[0]);
  out[1] = made.omega * (1 / v.turbulence.unit[1]);
}

// Least-squares fits of the gradients in a boundary cell, for p, velocities, T and nu~ or k. The gradient of omega does
// not use the boundary: the value at walls is that of a singular profile.
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
  if (!is_fitted || k == 5) return {v.cells.weight[2 * e], v.cells.weight[2 * e + 1]};
  double dx = 0, dy = 0;
  cell::to_other(v.faces, v.cells.link[e], fitted.height, dx, dy);
  return weight(fitted.sum[kind(k)], dx, dy, fitted.height);
}

// Boundary part of the gradients in cell i, number n of the boundary cells.
template <class M, class S>
WEIR_HD inline void add_boundary(const SpatialView& v, const State<M, S>& s, const Fit& fitted, bool is_fitted, int n,
                                 Gradients<M, S>& g) {
  const BoundaryFaces& b = v.boundary;
  const double by_volume = 1 / v.cells.volume[v.cells.boundary_cell[n]];
  for (int e = v.cells.boundary_start[n]; e < v.cells.boundary_start[n + 1]; ++e) {
    const int f = v.cells.boundary_face[e];
    const BoundaryType t = boundary::type(b, f);
    const Primitive<S> at = boundary::state(v, s.w, f);
    const S jump[5] = {at.p - s.w.p, at.u - s.w.u, at.v - s.w.v, at.t - s.w.t,
                       boundary::is_no_slip(t) ? S(-s.t[0]) : S(0.0)};
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
template <class M, class S>
WEIR_HD inline Gradients<M, S> gradients(const SpatialView& v, int i, int n, const State<M, S>& s, const Fit& fitted) {
  constexpr int count = equations<M>;
  const Cells& c = v.cells;
  const bool is_fitted = n >= 0 && v.gradient == GradientScheme::least_squares;
  S own[count] = {s.w.p, s.w.u, s.w.v, s.w.t};
  for (int k = 0; k < M::count; ++k) own[4 + k] = s.t[k];
  Gradients<M, S> g;
  for (int k = 0; k < count; ++k) g.x[k] = g.y[k] = S(0.0);
  for (int e = c.start[i]; e < c.start[i + 1]; ++e) {
    const int o = c.other[e];
    for (int k = 0; k < count; ++k) {
      const Weight a = weight_of_link(v, fitted, is_fitted, e, k);
      const S jump = (k < 4 ? v.w[4 * o + k] : v.turbulence.value[M::count * o + k - 4]) - own[k];
      g.x[k] = g.x[k] + a.x * jump;
      g.y[k] = g.y[k] + a.y * jump;
    }
  }
  if (n >= 0) add_boundary(v, s, fitted, is_fitted, n, g);
  return g;
}

// Gradients of the model's variables in any cell; recomputed in boundary cell n.
template <class M>
WEIR_HD inline void gradient(const SpatialView& v, int i) {
  const Cells& c = v.cells;
  const Turbulence& t = v.turbulence;
  for (int k = 0; k < M::count; ++k) {
    double x = 0, y = 0;
    for (int e = c.start[i]; e < c.start[i + 1]; ++e) {
      const double jump = t.value[M::count * c.other[e] + k] - t.value[M::count * i + k];
      x += c.weight[2 * e] * jump;
      y += c.weight[2 * e + 1] * jump;
    }
    t.x[M::count * i + k] = x;
    t.y[M::count * i + k] = y;
  }
}
template <class M>
WEIR_HD inline void boundary_gradient(const SpatialView& v, int n) {
  const int i = v.cells.boundary_cell[n];
  const Gradients<M, double> g = gradients(v, i, n, state_of<M>(v, i), fit(v, i, n));
  for (int k = 0; k < M::count; ++k) {
    v.turbulence.x[M::count * i + k] = g.x[4 + k];
    v.turbulence.y[M::count * i + k] = g.y[4 + k];
  }
}

// The gradients of the residual.
template <class M>
WEIR_HD inline Gradients<M, double> gradients_of(const SpatialView& v, int i) {
  Gradients<M, double> g;
  for (int k = 0; k < 4; ++k) g.x[k] = v.wx[4 * i + k], g.y[k] = v.wy[4 * i + k];
  for (int k = 0; k < M::count; ++k) {
    g.x[4 + k] = v.turbulence.x[M::count * i + k];
    g.y[4 + k] = v.turbulence.y[M::count * i + k];
  }
  return g;
}
template <class M>
WEIR_HD inline void source_of_cell(const SpatialView& v, int i, double out[M::count]) {
  source(v, state_of<M>(v, i), gradients_of<M>(v, i), v.turbulence.distance[i], out);
  for (int k = 0; k < M::count; ++k) out[k] *= v.cells.volume[i];
}

// b and F_1 in a cell.
WEIR_HD inline void auxiliary_of_cell(const SpatialView& v, int i) {
  const sst::Point<double> q = point_of(v, state_of<MenterSst>(v, i), gradients_of<MenterSst>(v, i));
  v.turbulence.auxiliary[2 * i] = sst::bound(q, v.turbulence.distance[i]);
  v.turbulence.auxiliary[2 * i + 1] = sst::blend(q, v.turbulence.distance[i]);
}

// d source / d gradients, by those in x and in y; 2 m at once.
template <class M, int m>
WEIR_HD inline void by_gradients(const SpatialView& v, const State<M, double>& s, const Gradients<M, double>& g,
                                 double distance, Gradients<M, double> slopes[M::count]) {
  using G = Dual<double, 2 * m>;
  State<M, G> constant;
  constant.w = {G(s.w.p), G(s.w.u), G(s.w.v), G(s.w.t)};
  for (int k = 0; k < M::count; ++k) constant.t[k] = G(s.t[k]);
  for (int first = 0; first < equations<M>; first += m) {
    Gradients<M, G> varied;
    for (int k = 0; k < equations<M>; ++k) {
      const bool varies = k >= first && k < first + m;
      varied.x[k] = G(g.x[k]);
      varied.y[k] = G(g.y[k]);
      if (varies) varied.x[k].d[k - first] = varied.y[k].d[m + k - first] = 1;
    }
    G out[M::count];
    source(v, constant, varied, distance, out);
    for (int t = 0; t < M::count; ++t)
      for (int k = 0; k < m; ++k) slopes[t].x[first + k] = out[t].d[k], slopes[t].y[first + k] = out[t].d[m + k];
  }
}

// Subtracts V d source / dU from row 4 + t of the block: V is double or float.
template <int n, class V>
WEIR_HD inline void subtract_row(V* block, bool by_columns, double volume, int t, const double row[n]) {
  for (int k = 0; k < n; ++k) {
    V& out = block[by_columns ? n * k + 4 + t : n * (4 + t) + k];
    out = static_cast<V>(out - volume * row[k]);
  }
}

// Blocks of a row: of both together a GPU's kernel needs more registers than there are.
enum class Blocks { all, others };

// Column k of row i's own block.
template <class M, class V>
WEIR_HD inline void subtract_own_source(const SpatialView& v, V* values, int i, int k) {
  using D = Dual<double, 1>;
  constexpr int size = equations<M>;
  const int n = v.turbulence.boundary[i];
  Fit fitted{};
  if (n >= 0 && v.gradient == GradientScheme::least_squares) fitted = fit(v, i, n);
  const State<M, D> own = dual_state_of<M, 1>(v, i, k);
  D out[M::count];
  source(v, own, gradients(v, i, n, own, fitted), v.turbulence.distance[i], out);
  for (int t = 0; t < M::count; ++t) {
    V& entry = values[size * size * v.diagonal[i] + (v.by_columns ? size * k + 4 + t : size * (4 + t) + k)];
    entry = static_cast<V>(entry - v.cells.volume[i] * out[t].d[0]);
  }
}

// Subtracts the derivative of the source from the blocks of row i of J, after all fluxes and the diagonal; m columns at
// once.
template <class M, int m, Blocks of, class V>
WEIR_HD inline void subtract_source(const SpatialView& v, V* values, int i) {
  using D = Dual<double, m>;
  constexpr int size = equations<M>;
  const Cells& c = v.cells;
  const int n = v.turbulence.boundary[i];
  const bool is_fitted = n >= 0 && v.gradient == GradientScheme::least_squares;
  const double volume = c.volume[i], distance = v.turbulence.distance[i];
  Fit fitted{};
  if (is_fitted) fitted = fit(v, i, n);
  if constexpr (of == Blocks::all) {
    double own_row[M::count][size];
    for (int first = 0; first < size; first += m) {
      const State<M, D> own = dual_state_of<M, m>(v, i, first);
      D out[M::count];
      source(v, own, gradients(v, i, n, own, fitted), distance, out);
      for (int t = 0; t < M::count; ++t)
        for (int k = 0; k < m; ++k) own_row[t][first + k] = out[t].d[k];
    }
    for (int t = 0; t < M::count; ++t)
      subtract_row<size>(values + size * size * v.diagonal[i], v.by_columns, volume, t, own_row[t]);
  }
  const State<M, double> state = state_of<M>(v, i);
  Gradients<M, double> slope[M::count];
  by_gradients<M, m>(v, state, gradients(v, i, n, state, fitted), distance, slope);
  for (int e = c.start[i]; e < c.start[i + 1]; ++e) {
    double row[M::count][size] = {};
    for (int first = 0; first < size; first += m) {
      const State<M, D> s = dual_state_of<M, m>(v, c.other[e], first);
      const D* other[size] = {&s.w.p, &s.w.u, &s.w.v, &s.w.t};
      for (int k = 0; k < M::count; ++k) other[4 + k] = &s.t[k];
      for (int k = 0; k < size; ++k) {
        const Weight a = weight_of_link(v, fitted, is_fitted, e, k);
        for (int t = 0; t < M::count; ++t) {
          const double by = slope[t].x[k] * a.x + slope[t].y[k] * a.y;
          for (int d = 0; d < m; ++d) row[t][first + d] += by * other[k]->d[d];
        }
      }
    }
    const int link = c.link[e], f = link < 0 ? ~link : link;
    const std::int64_t block = std::int64_t{size * size} * ((link < 0 ? v.neighbour_row : v.owner_row)[f] / 4);
    for (int t = 0; t < M::count; ++t) {
      if (f < v.faces.inner)
        subtract_row<size>(values + block, v.by_columns, volume, t, row[t]);
      else
        subtract_row<size>(v.border + block, false, volume, t, row[t]);
    }
  }
}

}  // namespace weir::turbulent
