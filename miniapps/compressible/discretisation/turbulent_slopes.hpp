// Products with dR/dU of turbulent flow, step by step as the residual: slope_kernels.hpp with nu~ and its sources.
#pragma once
#include "miniapps/compressible/discretisation/slope_kernels.hpp"
#include "miniapps/compressible/discretisation/turbulent_sources.hpp"

namespace weir::turbulent {

WEIR_HD inline Dual<double, 1> with_slope(double value, double slope) {
  Dual<double, 1> x(value);
  x.d[0] = slope;
  return x;
}

// dW and d nu~ of cell i from dU, five numbers.
WEIR_HD inline void slope_of_state(const SpatialView& v, const double* dU, int i) {
  slope::of_state<double>(v, dU, i);
  const double* w = v.w + std::int64_t{4} * i;
  v.turbulence.dnu[i] = (dU[4] - v.turbulence.nu[i] * dU[0]) * w[3] / (v.gas.gamma_m2 * w[0]);
}

// As side().
WEIR_HD inline Side5<Dual<double, 1>> slope_of_side(const SpatialView& v, const int* cell, double dx, double dy) {
  using D = Dual<double, 1>;
  const Turbulence& t = v.turbulence;
  const face::Reach<D> flow = slope::reach<double>(v, cell, dx, dy);
  const D nu = with_slope(t.nu[*cell], t.dnu[*cell]);
  if (v.order == 1) return {flow, nu, nu, D(0.0), D(0.0)};
  const D x = with_slope(t.x[*cell], t.dx[*cell]), y = with_slope(t.y[*cell], t.dy[*cell]);
  return {flow, nu, t.order == 1 ? nu : nu + x * dx + y * dy, x, y};
}

// The derivatives take the fluxes' places.
template <class Scheme>
WEIR_HD inline void slope_of_flux(const SpatialView& v, const Scheme& scheme, int f) {
  const InteriorFaces& g = v.faces;
  Dual<double, 1> out[5];
  flux(v, scheme, slope_of_side(v, g.owner + f, g.lx[f], g.ly[f]), slope_of_side(v, g.neighbour + f, g.rx[f], g.ry[f]),
       f, out);
  for (int c = 0; c < 4; ++c) v.flux[std::int64_t{4} * f + c] = out[c].d[0];
  v.turbulence.flux[f] = out[4].d[0];
}
template <class Scheme>
WEIR_HD inline void slope_of_boundary_flux(const SpatialView& v, const Scheme& scheme, int f) {
  const BoundaryFaces& b = v.boundary;
  Dual<double, 1> out[5];
  boundary_flux(v, scheme, slope::inside(v, f), slope_of_side(v, b.cell + f, b.lx[f], b.ly[f]), f, out);
  for (int c = 0; c < 4; ++c) v.boundary_flux[std::int64_t{4} * f + c] = out[c].d[0];
  v.turbulence.boundary_flux[f] = out[4].d[0];
}

// As source_of_cell().
WEIR_HD inline double slope_of_source(const SpatialView& v, int i) {
  using D = Dual<double, 1>;
  const Turbulence& t = v.turbulence;
  const std::int64_t at = std::int64_t{4} * i;
  Gradients<D> g;
  for (int k = 0; k < 4; ++k) {
    g.x[k] = with_slope(v.wx[at + k], v.dwx[at + k]);
    g.y[k] = with_slope(v.wy[at + k], v.dwy[at + k]);
  }
  g.x[4] = with_slope(t.x[i], t.dx[i]), g.y[4] = with_slope(t.y[i], t.dy[i]);
  D w[4];
  for (int k = 0; k < 4; ++k) w[k] = with_slope(v.w[at + k], v.dw[at + k]);
  const State<D> s{{w[0], w[1], w[2], w[3]}, with_slope(t.nu[i], t.dnu[i])};
  return v.cells.volume[i] * source(v, s, g, t.distance[i]).d[0];
}

}  // namespace weir::turbulent
