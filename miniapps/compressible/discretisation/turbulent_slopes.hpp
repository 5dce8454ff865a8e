// Products with dR/dU of turbulent flow: slope_kernels.hpp with nu~ and its sources.
#pragma once
#include "miniapps/compressible/discretisation/slope_kernels.hpp"
#include "miniapps/compressible/discretisation/turbulent_sources.hpp"

namespace weir::turbulent {

WEIR_HD inline void gather1(const double* base, const int* index, double& out) { out = base[*index]; }
WEIR_HD inline void store(double value, double* p) { *p = value; }

template <class T>
WEIR_HD inline Dual<T, 1> with_slope(const double* value, const double* slope, const int* cell) {
  Dual<T, 1> x;
  gather1(value, cell, x.v);
  gather1(slope, cell, x.d[0]);
  return x;
}

// dW and d nu~ of cell i from dU, five numbers.
WEIR_HD inline void slope_of_state(const SpatialView& v, const double* dU, int i) {
  slope::of_state<double>(v, dU, i);
  const double* w = v.w + std::int64_t{4} * i;
  v.turbulence.dnu[i] = (dU[4] - v.turbulence.nu[i] * dU[0]) * w[3] / (v.gas.gamma_m2 * w[0]);
}

// Like side(), for one cell or several.
template <class T>
WEIR_HD inline Side5<Dual<T, 1>> slope_of_side(const SpatialView& v, const int* cell, const T& dx, const T& dy) {
  using D = Dual<T, 1>;
  const Turbulence& t = v.turbulence;
  const face::Reach<D> flow = slope::reach<T>(v, cell, dx, dy);
  const D nu = with_slope<T>(t.nu, t.dnu, cell);
  if (v.order == 1) return {flow, nu, nu, D(0.0), D(0.0)};
  const D x = with_slope<T>(t.x, t.dx, cell), y = with_slope<T>(t.y, t.dy, cell);
  return {flow, nu, t.order == 1 ? nu : nu + x * dx + y * dy, x, y};
}

// Derivatives of the fluxes, stored in place of the fluxes: faces f, f + 1, ... for the lanes of T.
template <class T, class Scheme>
WEIR_HD inline void slope_of_flux(const SpatialView& v, const Scheme& scheme, int f) {
  const InteriorFaces& g = v.faces;
  const Side5<Dual<T, 1>> l = slope_of_side<T>(v, g.owner + f, face::at<T>(g.lx, f), face::at<T>(g.ly, f));
  const Side5<Dual<T, 1>> r = slope_of_side<T>(v, g.neighbour + f, face::at<T>(g.rx, f), face::at<T>(g.ry, f));
  Dual<T, 1> out[5];
  flux<T>(v, scheme, l, r, f, out);
  const T slopes[4] = {out[0].d[0], out[1].d[0], out[2].d[0], out[3].d[0]};
  store4(slopes, v.flux + std::int64_t{4} * f);
  store(out[4].d[0], v.turbulence.flux + f);
}
template <class Scheme>
WEIR_HD inline void slope_of_boundary_flux(const SpatialView& v, const Scheme& scheme, int f) {
  const BoundaryFaces& b = v.boundary;
  Dual<double, 1> out[5];
  boundary_flux(v, scheme, slope::inside(v, f), slope_of_side<double>(v, b.cell + f, b.lx[f], b.ly[f]), f, out);
  for (int c = 0; c < 4; ++c) v.boundary_flux[std::int64_t{4} * f + c] = out[c].d[0];
  v.turbulence.boundary_flux[f] = out[4].d[0];
}

// Inputs of the source: p, T, nu~, then the x derivatives of p, v, T, nu~ and the y derivatives of p, u, T, nu~.
template <class S>
WEIR_HD inline S source_of(const SpatialView& v, const S input[source_inputs], double distance) {
  const State<S> s{{input[0], S(0.0), S(0.0), input[1]}, input[2]};
  Gradients<S> g;
  g.x[1] = g.y[2] = S(0.0);
  g.x[0] = input[3], g.x[2] = input[4], g.x[3] = input[5], g.x[4] = input[6];
  g.y[0] = input[7], g.y[1] = input[8], g.y[3] = input[9], g.y[4] = input[10];
  return source(v, s, g, distance);
}
WEIR_HD inline void source_inputs_of(const double* w, const double* wx, const double* wy, const double* nu,
                                     const double* nu_x, const double* nu_y, int i, double out[source_inputs]) {
  w += std::int64_t{4} * i, wx += std::int64_t{4} * i, wy += std::int64_t{4} * i;
  out[0] = w[0], out[1] = w[3], out[2] = nu[i];
  out[3] = wx[0], out[4] = wx[2], out[5] = wx[3], out[6] = nu_x[i];
  out[7] = wy[0], out[8] = wy[1], out[9] = wy[3], out[10] = nu_y[i];
}

// Once for all products: V d source / d input of cell i; m directions at once.
template <int m>
WEIR_HD inline void linearise_source(const SpatialView& v, int i) {
  using D = Dual<double, m>;
  const Turbulence& t = v.turbulence;
  double value[source_inputs];
  source_inputs_of(v.w, v.wx, v.wy, t.nu, t.x, t.y, i, value);
  double* slope = t.source_slope + std::int64_t{source_inputs} * i;
  for (int first = 0; first < source_inputs; first += m) {
    D input[source_inputs];
    for (int k = 0; k < source_inputs; ++k) input[k] = seed<m>(value[k], k, first);
    const D out = source_of(v, input, t.distance[i]);
    for (int k = 0; k < m; ++k) slope[first + k] = v.cells.volume[i] * out.d[k];
  }
}
WEIR_HD inline double slope_of_source(const SpatialView& v, int i) {
  const Turbulence& t = v.turbulence;
  double change[source_inputs], sum = 0;
  source_inputs_of(v.dw, v.dwx, v.dwy, t.dnu, t.dx, t.dy, i, change);
  const double* slope = t.source_slope + std::int64_t{source_inputs} * i;
  for (int k = 0; k < source_inputs; ++k) sum += slope[k] * change[k];
  return sum;
}

}  // namespace weir::turbulent
