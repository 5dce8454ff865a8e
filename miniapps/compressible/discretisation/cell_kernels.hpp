// What happens in one cell: sums over its faces, so that no two threads write one place. All four variables of a record
// side by side fill a vector register.
#pragma once
#include "miniapps/compressible/discretisation/boundary_kernels.hpp"

namespace weir::cell {

// dW/dx and dW/dy as weighted sums of the differences to the neighbours: least squares (weights 1 / distance^2) or
// Green-Gauss, by what the weights are. Cells at the boundary: boundary_gradient after this.
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

// From the centre of cell i to the centre beyond link e.
WEIR_HD inline void to_other(const InteriorFaces& g, int link, double& dx, double& dy) {
  const int f = link < 0 ? ~link : link;
  const double sign = link < 0 ? -1 : 1;
  dx = sign * (g.lx[f] - g.rx[f]);
  dy = sign * (g.ly[f] - g.ry[f]);
}

// Normal equations of a least-squares gradient of one variable.
struct Normals {
  double xx = 0, xy = 0, yy = 0, bx = 0, by = 0;
  WEIR_HD void add(double dx, double dy, double jump) {
    const double weight = 1 / (dx * dx + dy * dy);
    xx += weight * dx * dx;
    xy += weight * dx * dy;
    yy += weight * dy * dy;
    bx += weight * dx * jump;
    by += weight * dy * jump;
  }
  // Trace is the number of points: a determinant far below its square means that they lie on one line.
  WEIR_HD bool is_singular() const { return !(xx * yy - xy * xy > 1e-8 * (xx + yy) * (xx + yy)); }
  WEIR_HD void solve(double& gx, double& gy) const {
    const double inverse = 1 / (xx * yy - xy * xy);
    gx = (yy * bx - xy * by) * inverse;
    gy = (xx * by - xy * bx) * inverse;
  }
};

// Least squares in a cell at the boundary, variable k: the boundary counts where it gives data for the variable, and
// all of it where the neighbours alone do not determine a gradient (corners).
WEIR_HD inline void least_squares_at_boundary(const SpatialView& v, int i, int n, int k) {
  const Cells& c = v.cells;
  const BoundaryFaces& b = v.boundary;
  const double* w = v.w + 4 * i;
  Normals sum;
  for (int e = c.start[i]; e < c.start[i + 1]; ++e) {
    double dx = 0, dy = 0;
    to_other(v.faces, c.link[e], dx, dy);
    sum.add(dx, dy, v.w[4 * c.other[e] + k] - w[k]);
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (int e = c.boundary_start[n]; e < c.boundary_start[n + 1]; ++e) {
      const int f = c.boundary_face[e];
      const boundary::Given known = boundary::given(boundary::type(b, f));
      const bool is_data = k == 0 ? known.p : k == 3 ? known.t : known.velocity;
      if (is_data != (pass == 0)) continue;
      const Primitive<double> s = boundary::state(v, Primitive<double>{w[0], w[1], w[2], w[3]}, f);
      sum.add(b.lx[f], b.ly[f], (k == 0 ? s.p : k == 1 ? s.u : k == 2 ? s.v : s.t) - w[k]);
    }
    if (!sum.is_singular()) break;
  }
  v.wx[4 * i + k] = v.wy[4 * i + k] = 0;
  if (!sum.is_singular()) sum.solve(v.wx[4 * i + k], v.wy[4 * i + k]);
}

// Green-Gauss: the boundary's part of the surface integral, where the state at the face differs from the cell's.
WEIR_HD inline void green_gauss_at_boundary(const SpatialView& v, int i, int n) {
  const BoundaryFaces& b = v.boundary;
  const double* w = v.w + 4 * i;
  for (int e = v.cells.boundary_start[n]; e < v.cells.boundary_start[n + 1]; ++e) {
    const int f = v.cells.boundary_face[e];
    const Primitive<double> s = boundary::state(v, Primitive<double>{w[0], w[1], w[2], w[3]}, f);
    const double jump[4] = {s.p - w[0], s.u - w[1], s.v - w[2], s.t - w[3]}, scale = b.area[f] / v.cells.volume[i];
    for (int k = 0; k < 4; ++k) {
      v.wx[4 * i + k] += scale * b.nx[f] * jump[k];
      v.wy[4 * i + k] += scale * b.ny[f] * jump[k];
    }
  }
}

// Cell number n of those at the boundary.
WEIR_HD inline void boundary_gradient(const SpatialView& v, int n) {
  const int i = v.cells.boundary_cell[n];
  if (v.gradient == GradientScheme::green_gauss) return green_gauss_at_boundary(v, i, n);
  for (int k = 0; k < 4; ++k) least_squares_at_boundary(v, i, n, k);
}

// Barth & Jespersen (1989), and Venkatakrishnan's (1995) smooth form: how far up to `bound` a step may go.
WEIR_HD inline double limited(Limiter limiter, double step, double bound, double eps2) {
  if (step == 0) return 1;
  if (limiter == Limiter::barth_jespersen) return step * bound < 0 ? 0 : bound / step < 1 ? bound / step : 1;
  const double b2 = bound * bound, s2 = step * step, mixed = bound * step;
  return (b2 + eps2 + 2 * mixed) / (b2 + 2 * s2 + mixed + eps2);
}

// phi of each variable: the smallest over the cell's faces; the bounds are those of the cell and its neighbours.
WEIR_HD inline void limiter(const SpatialView& v, int i) {
  const Cells& c = v.cells;
  const double h = std::sqrt(c.volume[i]), kh = v.venkatakrishnan * h, eps2 = kh * kh * kh;
  const double* w = v.w + 4 * i;
  double low[4] = {}, high[4] = {}, phi[4] = {1, 1, 1, 1};
  for (int e = c.start[i]; e < c.start[i + 1]; ++e)
    for (int k = 0; k < 4; ++k) {
      const double jump = v.w[4 * c.other[e] + k] - w[k];
      low[k] = jump < low[k] ? jump : low[k];
      high[k] = jump > high[k] ? jump : high[k];
    }
  for (int e = c.start[i]; e < c.start[i + 1]; ++e) {
    const int link = c.link[e], f = link < 0 ? ~link : link;
    const double dx = link < 0 ? v.faces.rx[f] : v.faces.lx[f], dy = link < 0 ? v.faces.ry[f] : v.faces.ly[f];
    for (int k = 0; k < 4; ++k) {
      const double step = v.wx[4 * i + k] * dx + v.wy[4 * i + k] * dy;
      const double most = limited(v.limiter, step, step > 0 ? high[k] : low[k], eps2);
      phi[k] = most < phi[k] ? most : phi[k];
    }
  }
  for (int k = 0; k < 4; ++k) v.phi[4 * i + k] = phi[k];
}

// R = the fluxes out less those in. Boundary faces: add_boundary after this.
WEIR_HD inline void residual(const SpatialView& v, double* R, int i) {
  double r[4] = {};
  for (int e = v.cells.start[i]; e < v.cells.start[i + 1]; ++e) {
    const int link = v.cells.link[e], f = link < 0 ? ~link : link;
    const double sign = link < 0 ? -1 : 1;
    for (int k = 0; k < 4; ++k) r[k] += sign * v.flux[4 * f + k];
  }
  for (int k = 0; k < 4; ++k) R[4 * i + k] = r[k];
}
WEIR_HD inline void add_boundary(const SpatialView& v, double* R, int n) {
  const int i = v.cells.boundary_cell[n];
  for (int e = v.cells.boundary_start[n]; e < v.cells.boundary_start[n + 1]; ++e)
    for (int k = 0; k < 4; ++k) R[4 * i + k] += v.boundary_flux[4 * v.cells.boundary_face[e] + k];
}

// sum over faces of area (|u.n| + a + 2 nu_max / (n . d)), nu_max the larger of 4/3 mu and gamma mu / Pr, over rho, all
// of the cell's own state; the factor 2 makes cfl = 1/2 the limit of explicit diffusion on a line of cells.
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
WEIR_HD inline double speed(const Speeds& s, double nx, double ny, double inverse) {
  return std::fabs(s.u * nx + s.v * ny) + s.sound + s.diffusion * inverse;
}
WEIR_HD inline void time_step_scale(const SpatialView& v, double* scale, int i) {
  const Speeds s = speeds(v.gas, v.w + 4 * i);
  double total = 0;
  for (int e = v.cells.start[i]; e < v.cells.start[i + 1]; ++e) {
    const int link = v.cells.link[e], f = link < 0 ? ~link : link;
    const InteriorFaces& g = v.faces;
    total += g.area[f] * speed(s, g.nx[f], g.ny[f], g.inverse[f]);
  }
  scale[i] = total;
}
WEIR_HD inline void add_boundary_scale(const SpatialView& v, double* scale, int n) {
  const int i = v.cells.boundary_cell[n];
  const Speeds s = speeds(v.gas, v.w + 4 * i);
  for (int e = v.cells.boundary_start[n]; e < v.cells.boundary_start[n + 1]; ++e) {
    const BoundaryFaces& b = v.boundary;
    const int f = v.cells.boundary_face[e];
    const bool wall = boundary::is_no_slip(boundary::type(b, f));
    scale[i] += b.area[f] * speed(s, b.nx[f], b.ny[f], wall ? b.inverse[f] : 0);
  }
}

// Where, row by row, the number stands that is the k-th one of a block of J.
WEIR_HD inline int row_wise(const SpatialView& v, int k) { return v.by_columns ? k % 4 * 4 + k / 4 : k; }

// Column i of J sums to zero but for the boundary, because what leaves i arrives beside it: the diagonal block is less
// the sum of the other blocks of its column.
template <class V>
WEIR_HD inline void diagonal_block(const SpatialView& v, V* values, int i) {
  double d[16] = {};
  for (int e = v.cells.start[i]; e < v.cells.start[i + 1]; ++e) {
    const int link = v.cells.link[e];
    const std::int64_t place = std::int64_t{4} * (link < 0 ? v.owner_row[~link] : v.neighbour_row[link]);
    if (link < v.faces.inner)
      for (int k = 0; k < 16; ++k) d[k] -= static_cast<double>(values[place + k]);
    else  // beyond the border, where we are the owner
      for (int k = 0; k < 16; ++k) d[k] -= v.border[place + row_wise(v, k)];
  }
  V* out = values + 16 * v.diagonal[i];
  for (int k = 0; k < 16; ++k) out[k] = static_cast<V>(d[k]);
}
WEIR_HD inline void diagonal_block(const SpatialView& v, int i) {
  v.values ? diagonal_block(v, v.values, i) : diagonal_block(v, v.floats, i);
}
template <class V>
WEIR_HD inline void add_boundary_block(const SpatialView& v, V* values, int n) {
  V* d = values + 16 * v.diagonal[v.cells.boundary_cell[n]];
  for (int e = v.cells.boundary_start[n]; e < v.cells.boundary_start[n + 1]; ++e)
    for (int k = 0; k < 16; ++k)
      d[k] += static_cast<V>(v.boundary_block[16 * v.cells.boundary_face[e] + row_wise(v, k)]);
}
WEIR_HD inline void add_boundary_block(const SpatialView& v, int n) {
  v.values ? add_boundary_block(v, v.values, n) : add_boundary_block(v, v.floats, n);
}

}  // namespace weir::cell
