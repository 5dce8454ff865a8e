// Kernels of one cell: sums over its faces, so that no two threads write to the same location. The four variables of
// a record fill a vector register.
#pragma once
#include "miniapps/compressible/discretisation/boundary_kernels.hpp"
#include "physics/spalart_allmaras.hpp"
#include "physics/sst.hpp"

namespace weir::cell {

// dW/dx and dW/dy as weighted sums of differences to the neighbours: least squares (weights 1 / distance^2) or
// Green-Gauss, depending on the weights. Boundary cells: followed by boundary_gradient.
WEIR_HD inline void gradient(const SpatialView& v, int i) {
  const Cells& c = v.cells;
  double gx[4] = {}, gy[4] = {};
  const double* w = v.w + 4 * i;
  for (int e = c.start[i]; e < c.start[i + 1]; ++e) {
    const double* o = v.w + 4 * c.other[e];
    const double ax = c.weight[2 * e], ay = c.weight[2 * e + 1];
    for (int k = 0; k < 4; ++k) {
      gx[k] += ax * (o[k] - w[k]);
      gy[k] += ay * (o[k] - w[k]);
    }
  }
  for (int k = 0; k < 4; ++k) {
    v.wx[4 * i + k] = gx[k];
    v.wy[4 * i + k] = gy[k];
  }
}

// Step from the centre of a cell of this height to the centre beyond a link, as used by least-squares gradients.
WEIR_HD inline void to_other(const InteriorFaces& g, int link, double height, double& dx, double& dy) {
  const int f = link < 0 ? ~link : link;
  const double sign = link < 0 ? -1 : 1;
  dx = sign * (g.lx[f] - g.rx[f]);
  dy = sign * (g.ly[f] - g.ry[f]);
  link < 0 ? unbend(g.rx[f], g.ry[f], height, dx, dy) : unbend(g.lx[f], g.ly[f], height, dx, dy);
}

// Normal equations of a least-squares gradient of one variable. S: double or a dual number.
template <class S>
struct Normals {
  double xx = 0, xy = 0, yy = 0;
  S bx = S(0.0), by = S(0.0);
  WEIR_HD void add(double dx, double dy, double height, const S& jump) {
    const double weight = 1 / least_squares_divisor(dx, dy, height);
    xx += weight * dx * dx;
    xy += weight * dx * dy;
    yy += weight * dy * dy;
    bx = bx + weight * dx * jump;
    by = by + weight * dy * jump;
  }
  // A determinant far below the squared trace (the number of points, except in thin cells) means collinear points.
  WEIR_HD bool is_singular() const { return !(xx * yy - xy * xy > 1e-8 * (xx + yy) * (xx + yy)); }
  WEIR_HD void solve(S& gx, S& gy) const {
    const double inverse = 1 / (xx * yy - xy * xy);
    gx = (yy * bx - xy * by) * inverse;
    gy = (xx * by - xy * bx) * inverse;
  }
};

// Cell records with their derivatives along one direction, used like a pointer to plain records.
struct WithSlope {
  const double *value, *slope;
  WEIR_HD Dual<double, 1> operator[](std::int64_t i) const {
    Dual<double, 1> x;
    x.v = value[i];
    x.d[0] = slope[i];
    return x;
  }
};

template <class Field>
WEIR_HD inline auto state_of(const Field& w, int cell) {
  using S = std::remove_cvref_t<decltype(w[0])>;
  const std::int64_t i = std::int64_t{4} * cell;
  return Primitive<S>{w[i], w[i + 1], w[i + 2], w[i + 3]};
}
template <class S>
WEIR_HD inline S variable(const Primitive<S>& s, int k) {
  return k == 0 ? s.p : k == 1 ? s.u : k == 2 ? s.v : s.t;
}

// Least-squares gradient of variable k in a boundary cell: boundary points count if they give data for the variable,
// and all of them if the neighbours alone do not determine a gradient (corners).
template <class S, class Field>
WEIR_HD inline void least_squares_at_boundary(const SpatialView& v, const Field& all, int n, int k, S& gx, S& gy) {
  const Cells& c = v.cells;
  const BoundaryFaces& b = v.boundary;
  const int i = c.boundary_cell[n];
  const Primitive<S> mine = state_of(all, i);
  const S w = variable(mine, k);
  Normals<S> sum;
  for (int e = c.start[i]; e < c.start[i + 1]; ++e) {
    double dx = 0, dy = 0;
    to_other(v.faces, c.link[e], c.boundary_height[n], dx, dy);
    sum.add(dx, dy, c.boundary_height[n], all[std::int64_t{4} * c.other[e] + k] - w);
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (int e = c.boundary_start[n]; e < c.boundary_start[n + 1]; ++e) {
      const int f = c.boundary_face[e];
      const boundary::Given known = boundary::given(boundary::type(b, f));
      const bool is_data = k == 0 ? known.p : k == 3 ? known.t : known.velocity;
      if (is_data != (pass == 0)) continue;
      sum.add(b.lx[f], b.ly[f], c.boundary_height[n], variable(boundary::state(v, mine, f), k) - w);
    }
    if (!sum.is_singular()) break;
  }
  gx = gy = S(0.0);
  if (!sum.is_singular()) sum.solve(gx, gy);
}

// Green-Gauss: boundary part of the surface integral, if the face state differs from the cell's.
template <class S, class Field>
WEIR_HD inline void green_gauss_at_boundary(const SpatialView& v, const Field& all, int n, S gx[4], S gy[4]) {
  const BoundaryFaces& b = v.boundary;
  const int i = v.cells.boundary_cell[n];
  const Primitive<S> w = state_of(all, i);
  for (int e = v.cells.boundary_start[n]; e < v.cells.boundary_start[n + 1]; ++e) {
    const int f = v.cells.boundary_face[e];
    const Primitive<S> s = boundary::state(v, w, f);
    const double scale = b.area[f] / v.cells.volume[i];
    for (int k = 0; k < 4; ++k) {
      const S jump = variable(s, k) - variable(w, k);
      gx[k] = gx[k] + scale * b.nx[f] * jump;
      gy[k] = gy[k] + scale * b.ny[f] * jump;
    }
  }
}

WEIR_HD inline void boundary_gradient(const SpatialView& v, int n) {
  const std::int64_t i = std::int64_t{4} * v.cells.boundary_cell[n];
  const double* w = v.w;
  if (v.gradient == GradientScheme::green_gauss) return green_gauss_at_boundary(v, w, n, v.wx + i, v.wy + i);
  for (int k = 0; k < 4; ++k) least_squares_at_boundary(v, w, n, k, v.wx[i + k], v.wy[i + k]);
}

// Limiter of a step towards `bound`. Barth & Jespersen (1989); the smooth form of Venkatakrishnan (1995); the cubic
// of Michalak & Ollivier-Gooch (J. Comput. Phys. 228 (2009) 8693), which is one for bound >= 1.5 step, with a smooth
// transition.
template <class S>
WEIR_HD inline S limited(Limiter limiter, const S& step, const S& bound, double eps2) {
  if (!(step < 0.0) && !(-step < 0.0)) return S(1.0);
  if (limiter == Limiter::barth_jespersen) {
    if (step * bound < 0.0) return S(0.0);
    const S y = bound / step;
    return y < 1.0 ? y : S(1.0);
  }
  if (limiter == Limiter::michalak) {
    const S y = bound / step;
    return y < 1.5 ? y - (4.0 / 27) * y * y * y : S(1.0);
  }
  const S b2 = bound * bound, s2 = step * step, mixed = bound * step;
  return (b2 + eps2 + 2.0 * mixed) / (b2 + 2.0 * s2 + mixed + eps2);
}

// Michalak & Ollivier-Gooch: no limiting if the cell and its neighbours differ by less than (K h)^(3/2), with a
// smooth transition up to sqrt(2) times that.
template <class S>
WEIR_HD inline S relaxed(const S& phi, const S& range, double eps2) {
  const S y = (range * range - eps2) * (1 / eps2);
  if (y < 0.0) return S(1.0);
  if (!(y < 1.0)) return phi;
  const S sigma = y * y * (2.0 * y - 3.0) + 1.0;
  return sigma + (1.0 - sigma) * phi;
}

// phi of each variable: minimum over the cell's faces, with the bounds of the cell and its neighbours.
template <class S, class Field>
WEIR_HD inline void limiter(const SpatialView& v, int i, const Field& w, const Field& wx, const Field& wy, S phi[4]) {
  const Cells& c = v.cells;
  const double h = std::sqrt(c.volume[i]), kh = v.limiter_k * h, eps2 = kh * kh * kh;
  const std::int64_t me = std::int64_t{4} * i;
  S low[4], high[4];
  for (int k = 0; k < 4; ++k) low[k] = high[k] = S(0.0), phi[k] = S(1.0);
  for (int e = c.start[i]; e < c.start[i + 1]; ++e)
    for (int k = 0; k < 4; ++k) {
      const S jump = w[std::int64_t{4} * c.other[e] + k] - w[me + k];
      low[k] = jump < low[k] ? jump : low[k];
      high[k] = high[k] < jump ? jump : high[k];
    }
  for (int e = c.start[i]; e < c.start[i + 1]; ++e) {
    const int link = c.link[e], f = link < 0 ? ~link : link;
    const double dx = link < 0 ? v.faces.rx[f] : v.faces.lx[f], dy = link < 0 ? v.faces.ry[f] : v.faces.ly[f];
    for (int k = 0; k < 4; ++k) {
      const S step = wx[me + k] * dx + wy[me + k] * dy;
      const S most = limited(v.limiter, step, -step < 0.0 ? high[k] : low[k], eps2);
      phi[k] = most < phi[k] ? most : phi[k];
    }
  }
  if (v.limiter == Limiter::michalak)
    for (int k = 0; k < 4; ++k) phi[k] = relaxed(phi[k], high[k] - low[k], eps2);
}
WEIR_HD inline void limiter(const SpatialView& v, int i) {
  const double *w = v.w, *wx = v.wx, *wy = v.wy;
  limiter(v, i, w, wx, wy, v.phi + std::int64_t{4} * i);
}

// R = outgoing minus incoming fluxes, minus the sources of the turbulence model (n > 4). add_boundary then adds the
// boundary faces.
template <int n>
WEIR_HD inline void residual(const SpatialView& v, double* R, int i, double source = 0, double second_source = 0) {
  double r[n] = {};
  if constexpr (n >= 5) r[4] = -source;
  if constexpr (n == 6) r[5] = -second_source;
  for (int e = v.cells.start[i]; e < v.cells.start[i + 1]; ++e) {
    const int link = v.cells.link[e], f = link < 0 ? ~link : link;
    const double sign = link < 0 ? -1 : 1;
    for (int k = 0; k < 4; ++k) r[k] += sign * v.flux[std::int64_t{4} * f + k];
    for (int k = 4; k < n; ++k) r[k] += sign * v.turbulence.flux[(n - 4) * f + k - 4];
  }
  for (int k = 0; k < n; ++k) R[std::int64_t{n} * i + k] = r[k];
}
template <int n>
WEIR_HD inline void add_boundary(const SpatialView& v, double* R, int number) {
  double* r = R + std::int64_t{n} * v.cells.boundary_cell[number];
  for (int e = v.cells.boundary_start[number]; e < v.cells.boundary_start[number + 1]; ++e) {
    const int f = v.cells.boundary_face[e];
    for (int k = 0; k < 4; ++k) r[k] += v.boundary_flux[4 * f + k];
    for (int k = 4; k < n; ++k) r[k] += v.turbulence.boundary_flux[(n - 4) * f + k - 4];
  }
}

// sum over faces of area (|u.n| + a + 2 nu_max / (n . d)), nu_max = max(4/3 mu, gamma mu / Pr) / rho, from the cell's
// state; the factor 2 makes cfl = 1/2 the limit of explicit diffusion on a line of cells.
struct Speeds {
  double u, v, sound, diffusion;
};
WEIR_HD inline Speeds speeds(const Gas& gas, const double* w) {
  const double a2 = gas.gamma / gas.gamma_m2 * w[3];
  double nu = 0;
  if (gas.viscosity > 0) {
    const double heat = gas.conduction * (gas.gamma - 1) * gas.gamma_m2;  // gamma / Pr
    nu = 2 * (heat > 4.0 / 3 ? heat : 4.0 / 3) * viscosity(gas, w[3]) * w[3] / (gas.gamma_m2 * w[0]);
  }
  return {w[1], w[2], std::sqrt(a2), nu};
}
// n > 4: with the diffusion by eddies and of the model's variables; n = 6: without the bound of the eddy viscosity.
template <int n>
WEIR_HD inline Speeds speeds(const SpatialView& v, int i) {
  const double* w = v.w + 4 * i;
  Speeds s = speeds(v.gas, w);
  if constexpr (n == 5) {
    const double rho = v.gas.gamma_m2 * w[0] / w[3], mu = viscosity(v.gas, w[3]);
    const double eddies = v.turbulence.unit[0] * rho * larger_of(v.turbulence.value[i], 0.0);
    const double heat = v.turbulence.conduction * (v.gas.gamma - 1) * v.gas.gamma_m2;  // gamma / Pr_t
    s.diffusion += 2 * larger_of(heat, 1 / spalart_allmaras::sigma) * (mu + eddies) / rho;
  }
  if constexpr (n == 6) {
    const double *unit = v.turbulence.unit, *t = v.turbulence.value + 2 * i, least = sst::least_omega;
    const double heat = v.turbulence.conduction * (v.gas.gamma - 1) * v.gas.gamma_m2;
    const double eddies = unit[0] * larger_of(t[0], 0.0) / larger_of(unit[1] * t[1], least);
    s.diffusion += 2 * larger_of(heat, 4.0 / 3) * eddies;
  }
  return s;
}
WEIR_HD inline double speed(const Speeds& s, double nx, double ny, double inverse) {
  return std::fabs(s.u * nx + s.v * ny) + s.sound + s.diffusion * inverse;
}
template <int n>
WEIR_HD inline void time_step_scale(const SpatialView& v, double* scale, int i) {
  const Speeds s = speeds<n>(v, i);
  double total = 0;
  for (int e = v.cells.start[i]; e < v.cells.start[i + 1]; ++e) {
    const int link = v.cells.link[e], f = link < 0 ? ~link : link;
    const InteriorFaces& g = v.faces;
    total += g.area[f] * speed(s, g.nx[f], g.ny[f], g.inverse[f]);
  }
  scale[i] = total;
}
template <int n>
WEIR_HD inline void add_boundary_scale(const SpatialView& v, double* scale, int number) {
  const int i = v.cells.boundary_cell[number];
  const Speeds s = speeds<n>(v, i);
  for (int e = v.cells.boundary_start[number]; e < v.cells.boundary_start[number + 1]; ++e) {
    const BoundaryFaces& b = v.boundary;
    const int f = v.cells.boundary_face[e];
    const bool wall = boundary::is_no_slip(boundary::type(b, f));
    scale[i] += b.area[f] * speed(s, b.nx[f], b.ny[f], wall ? b.inverse[f] : 0);
  }
}

// Storage position of the k-th number of a row-major block of J.
template <int n>
WEIR_HD inline int row_wise(const SpatialView& v, int k) {
  return v.by_columns ? k % n * n + k / n : k;
}

// Column i of J sums to zero except for the boundary, because fluxes out of i enter its neighbours: the diagonal
// block is minus the sum of the other blocks of its column.
template <int n, class V>
WEIR_HD inline void diagonal_block(const SpatialView& v, V* values, int i) {
  constexpr int size = n * n;
  double d[size] = {};
  for (int e = v.cells.start[i]; e < v.cells.start[i + 1]; ++e) {
    const int link = v.cells.link[e];
    const std::int64_t block = std::int64_t{size} * ((link < 0 ? v.owner_row[~link] : v.neighbour_row[link]) / 4);
    if (link < v.faces.inner)
      for (int k = 0; k < size; ++k) d[k] -= static_cast<double>(values[block + k]);
    else  // on the border, where this cell is the owner
      for (int k = 0; k < size; ++k) d[k] -= v.border[block + row_wise<n>(v, k)];
  }
  V* out = values + size * v.diagonal[i];
  for (int k = 0; k < size; ++k) out[k] = static_cast<V>(d[k]);
}
template <int n>
WEIR_HD inline void diagonal_block(const SpatialView& v, int i) {
  v.values ? diagonal_block<n>(v, v.values, i) : diagonal_block<n>(v, v.floats, i);
}
template <int n, class V>
WEIR_HD inline void add_boundary_block(const SpatialView& v, V* values, int number) {
  V* d = values + n * n * v.diagonal[v.cells.boundary_cell[number]];
  for (int e = v.cells.boundary_start[number]; e < v.cells.boundary_start[number + 1]; ++e)
    for (int k = 0; k < n * n; ++k)
      d[k] += static_cast<V>(v.boundary_block[n * n * v.cells.boundary_face[e] + row_wise<n>(v, k)]);
}
template <int n>
WEIR_HD inline void add_boundary_block(const SpatialView& v, int number) {
  v.values ? add_boundary_block<n>(v, v.values, number) : add_boundary_block<n>(v, v.floats, number);
}

}  // namespace weir::cell
