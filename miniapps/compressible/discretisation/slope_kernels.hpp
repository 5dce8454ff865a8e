// Products with dR/dU, in the same steps as the residual: dual numbers with one direction pass through the same point
// functions. Values are those left by the residual, slopes are in parallel arrays (SpatialView::dw and so on).
#pragma once
#include "miniapps/compressible/discretisation/cell_kernels.hpp"
#include "miniapps/compressible/discretisation/face_kernels.hpp"

namespace weir {

template <class T>
WEIR_HD inline void load(const double* p, Dual<T, 1>& x) {
  T value;
  load(p, value);
  x = Dual<T, 1>(value);
}

namespace slope {

// dW of cells i, i + 1, ... from dU.
template <class T>
WEIR_HD inline void of_state(const SpatialView& v, const double* dU, int i) {
  const std::int64_t at = std::int64_t{4} * i;
  T d[4], w[4];
  load4(dU, d);
  load4(v.w + at, w);
  const T inverse = w[3] / (v.gas.gamma_m2 * w[0]);  // 1 / rho
  const T du = (d[1] - w[1] * d[0]) * inverse, dv = (d[2] - w[2] * d[0]) * inverse;
  const T dp = (v.gas.gamma - 1) * (d[3] - w[1] * d[1] - w[2] * d[2] + 0.5 * (w[1] * w[1] + w[2] * w[2]) * d[0]);
  const T out[4] = {dp, du, dv, (v.gas.gamma_m2 * dp - w[3] * d[0]) * inverse};
  store4(out, v.dw + at);
}

WEIR_HD inline void of_boundary_gradient(const SpatialView& v, int n) {
  using D = Dual<double, 1>;
  const cell::WithSlope w{v.w, v.dw};
  const std::int64_t i = std::int64_t{4} * v.cells.boundary_cell[n];
  D gx[4], gy[4];
  if (v.gradient == GradientScheme::green_gauss) {
    for (int k = 0; k < 4; ++k) gx[k] = gy[k] = D(0.0);
    cell::green_gauss_at_boundary(v, w, n, gx, gy);
    for (int k = 0; k < 4; ++k) v.dwx[i + k] += gx[k].d[0], v.dwy[i + k] += gy[k].d[0];
    return;
  }
  for (int k = 0; k < 4; ++k) {
    cell::least_squares_at_boundary(v, w, n, k, gx[k], gy[k]);
    v.dwx[i + k] = gx[k].d[0], v.dwy[i + k] = gy[k].d[0];
  }
}

WEIR_HD inline void of_limiter(const SpatialView& v, int i) {
  Dual<double, 1> phi[4];
  cell::limiter(v, i, cell::WithSlope{v.w, v.dw}, cell::WithSlope{v.wx, v.dwx}, cell::WithSlope{v.wy, v.dwy}, phi);
  for (int k = 0; k < 4; ++k) v.dphi[std::int64_t{4} * i + k] = phi[k].d[0];
}

template <class T>
WEIR_HD inline void gather(const double* value, const double* slope, const int* cell, Dual<T, 1> out[4]) {
  T a[4], b[4];
  gather4(value, cell, a);
  gather4(slope, cell, b);
  for (int c = 0; c < 4; ++c) out[c].v = a[c], out[c].d[0] = b[c];
}

template <class T>
WEIR_HD inline face::Reach<Dual<T, 1>> reach(const SpatialView& v, const int* cell, const T& dx, const T& dy) {
  using D = Dual<T, 1>;
  face::Reach<D> r;
  D w[4], phi[4];
  gather(v.w, v.dw, cell, w);
  r.centre = r.face = {w[0], w[1], w[2], w[3]};
  if (v.order == 1) {
    for (int c = 0; c < 4; ++c) r.gx[c] = r.gy[c] = D(0.0);
    return r;
  }
  gather(v.wx, v.dwx, cell, r.gx);
  gather(v.wy, v.dwy, cell, r.gy);
  if (v.limiter != Limiter::none) gather(v.phi, v.dphi, cell, phi);
  face::carry(v, w, phi, dx, dy, r);
  return r;
}

// The derivative of face::flux, stored in place of the flux.
template <class T, class Scheme>
WEIR_HD inline void of_flux(const SpatialView& v, const Scheme& scheme, int f) {
  const InteriorFaces& g = v.faces;
  const auto l = reach<T>(v, g.owner + f, face::at<T>(g.lx, f), face::at<T>(g.ly, f));
  const auto r = reach<T>(v, g.neighbour + f, face::at<T>(g.rx, f), face::at<T>(g.ry, f));
  Dual<T, 1> flux[4];
  face::flux_between<Dual<T, 1>, T>(v, scheme, l, r, f, flux);
  const T out[4] = {flux[0].d[0], flux[1].d[0], flux[2].d[0], flux[3].d[0]};
  store4(out, v.flux + std::int64_t{4} * f);
}

// Like boundary::inside.
WEIR_HD inline boundary::Inside<Dual<double, 1>> inside(const SpatialView& v, int f) {
  const auto r = reach<double>(v, v.boundary.cell + f, v.boundary.lx[f], v.boundary.ly[f]);
  boundary::Inside<Dual<double, 1>> i;
  i.centre = r.centre, i.face = r.face;
  for (int c = 0; c < 4; ++c) i.gx[c] = r.gx[c], i.gy[c] = r.gy[c];
  return i;
}
template <class Scheme>
WEIR_HD inline void of_boundary_flux(const SpatialView& v, const Scheme& scheme, int f) {
  Dual<double, 1> out[4];
  boundary::flux(v, scheme, inside(v, f), f, out);
  for (int c = 0; c < 4; ++c) v.boundary_flux[4 * f + c] = out[c].d[0];
}

}  // namespace slope
}  // namespace weir
