// Products with dR/dU of turbulent flow: slope_kernels.hpp with the model's variables and sources.
#pragma once
#include "miniapps/compressible/discretisation/slope_kernels.hpp"
#include "miniapps/compressible/discretisation/turbulent/sources.hpp"

namespace weir::turbulent {

// Number k of a record of `count` numbers of cell *index.
template <int count>
WEIR_HD inline void gather1(const double* base, const int* index, int k, double& out) {
  out = base[std::int64_t{count} * *index + k];
}
template <int count>
WEIR_HD inline void scatter1(double value, double* p, int k) {
  p[k] = value;
}

template <class T, int count>
WEIR_HD inline Dual<T, 1> with_slope(const double* value, const double* slope, const int* cell, int k) {
  Dual<T, 1> x;
  gather1<count>(value, cell, k, x.v);
  gather1<count>(slope, cell, k, x.d[0]);
  return x;
}

// dW and the changes of the model's variables of cell i from dU.
template <class M>
WEIR_HD inline void slope_of_state(const SpatialView& v, const double* dU, int i) {
  slope::of_state<double>(v, dU, i);
  const double* w = v.w + std::int64_t{4} * i;
  for (int k = 0; k < M::count; ++k) {
    const std::int64_t at = std::int64_t{M::count} * i + k;
    v.turbulence.dvalue[at] = (dU[4 + k] - v.turbulence.value[at] * dU[0]) * w[3] / (v.gas.gamma_m2 * w[0]);
  }
}

// Like side(), for one cell or several.
template <class M, class T>
WEIR_HD inline Side<M, Dual<T, 1>> slope_of_side(const SpatialView& v, const int* cell, const T& dx, const T& dy) {
  using D = Dual<T, 1>;
  constexpr int count = M::count;
  const Turbulence& t = v.turbulence;
  Side<M, D> s;
  s.flow = slope::reach<T>(v, cell, dx, dy);
  for (int k = 0; k < count; ++k) {
    s.t[k] = s.t_face[k] = with_slope<T, count>(t.value, t.dvalue, cell, k);
    s.x[k] = s.y[k] = D(0.0);
    if (v.order == 1) continue;
    s.x[k] = with_slope<T, count>(t.x, t.dx, cell, k), s.y[k] = with_slope<T, count>(t.y, t.dy, cell, k);
    if (t.order != 1) s.t_face[k] = carried(M{}, s.t[k], s.x[k], s.y[k], dx, dy);
  }
  if constexpr (M::auxiliary > 0)
    for (int k = 0; k < M::auxiliary; ++k)
      s.auxiliary.v[k] = with_slope<T, M::auxiliary>(t.auxiliary, t.dauxiliary, cell, k);
  return s;
}

// Derivatives of the fluxes, stored in place of the fluxes, for faces f, f + 1, ... (one per lane of T): fluxes of the
// flow, of the turbulence model, or both.
template <class M, class T, bool of_flow = true, bool of_model = true, class Scheme>
WEIR_HD inline void slope_of_flux(const SpatialView& v, const Scheme& scheme, int f) {
  const InteriorFaces& g = v.faces;
  const auto l = slope_of_side<M, T>(v, g.owner + f, face::at<T>(g.lx, f), face::at<T>(g.ly, f));
  const auto r = slope_of_side<M, T>(v, g.neighbour + f, face::at<T>(g.rx, f), face::at<T>(g.ry, f));
  Dual<T, 1> out[equations<M>];
  flux<T>(v, scheme, l, r, f, out);
  const T slopes[4] = {out[0].d[0], out[1].d[0], out[2].d[0], out[3].d[0]};
  if constexpr (of_flow) store4(slopes, v.flux + std::int64_t{4} * f);
  for (int k = 0; of_model && k < M::count; ++k)
    scatter1<M::count>(out[4 + k].d[0], v.turbulence.flux + std::int64_t{M::count} * f, k);
}
template <class M, class Scheme>
WEIR_HD inline void slope_of_boundary_flux(const SpatialView& v, const Scheme& scheme, int f) {
  const BoundaryFaces& b = v.boundary;
  Dual<double, 1> out[equations<M>];
  boundary_flux(v, scheme, slope::inside(v, f), slope_of_side<M, double>(v, b.cell + f, b.lx[f], b.ly[f]), f, out);
  for (int c = 0; c < 4; ++c) v.boundary_flux[std::int64_t{4} * f + c] = out[c].d[0];
  for (int k = 0; k < M::count; ++k) v.turbulence.boundary_flux[std::int64_t{M::count} * f + k] = out[4 + k].d[0];
}

// The state and the gradients of a cell, and those that the sources depend on. Spalart-Allmaras: p, T, nu~, then the x
// derivatives of p, v, T, nu~ and the y derivatives of p, u, T, nu~. SST: p, T, k, omega, then u, v, k, omega in x and
// in y.
template <class M, class S>
struct Inputs {
  State<M, S> state;
  Gradients<M, S> g;
};
template <class S>
WEIR_HD inline Inputs<SpalartAllmaras, S> inputs_from(SpalartAllmaras, const S* input) {
  Inputs<SpalartAllmaras, S> in{{{input[0], S(0.0), S(0.0), input[1]}, {input[2]}}, {}};
  in.g.x[1] = in.g.y[2] = S(0.0);
  in.g.x[0] = input[3], in.g.x[2] = input[4], in.g.x[3] = input[5], in.g.x[4] = input[6];
  in.g.y[0] = input[7], in.g.y[1] = input[8], in.g.y[3] = input[9], in.g.y[4] = input[10];
  return in;
}
template <class S>
WEIR_HD inline Inputs<MenterSst, S> inputs_from(MenterSst, const S* input) {
  Inputs<MenterSst, S> in{{{input[0], S(0.0), S(0.0), input[1]}, {input[2], input[3]}}, {}};
  in.g.x[0] = in.g.y[0] = in.g.x[3] = in.g.y[3] = S(0.0);
  in.g.x[1] = input[4], in.g.x[2] = input[5], in.g.x[4] = input[6], in.g.x[5] = input[7];
  in.g.y[1] = input[8], in.g.y[2] = input[9], in.g.y[4] = input[10], in.g.y[5] = input[11];
  return in;
}
// The cell's records of W, the model's variables and their gradients; or changes of these.
struct Records {
  const double *w, *wx, *wy, *t, *tx, *ty;
};
WEIR_HD inline void inputs_of(SpalartAllmaras, const Records& r, int i, double* out) {
  const double *w = r.w + std::int64_t{4} * i, *wx = r.wx + std::int64_t{4} * i, *wy = r.wy + std::int64_t{4} * i;
  out[0] = w[0], out[1] = w[3], out[2] = r.t[i];
  out[3] = wx[0], out[4] = wx[2], out[5] = wx[3], out[6] = r.tx[i];
  out[7] = wy[0], out[8] = wy[1], out[9] = wy[3], out[10] = r.ty[i];
}
WEIR_HD inline void inputs_of(MenterSst, const Records& r, int i, double* out) {
  const std::int64_t at = std::int64_t{4} * i;
  const double *w = r.w + at, *wx = r.wx + at, *wy = r.wy + at;
  out[0] = w[0], out[1] = w[3], out[2] = r.t[2 * i], out[3] = r.t[2 * i + 1];
  out[4] = wx[1], out[5] = wx[2], out[6] = r.tx[2 * i], out[7] = r.tx[2 * i + 1];
  out[8] = wy[1], out[9] = wy[2], out[10] = r.ty[2 * i], out[11] = r.ty[2 * i + 1];
}

// Once for all products: V d source / d input of own cell i, and d auxiliary / d input; m directions at once.
template <class M>
constexpr int outputs = M::count + M::auxiliary;
template <class D>
WEIR_HD inline void outputs_of(const SpatialView& v, const Inputs<SpalartAllmaras, D>& in, double distance, D out[1]) {
  source(v, in.state, in.g, distance, out);
}
template <class D>
WEIR_HD inline void outputs_of(const SpatialView& v, const Inputs<MenterSst, D>& in, double distance, D out[4]) {
  source(v, in.state, in.g, distance, out);
  const sst::Point<D> q = point_of(v, in.state, in.g);
  out[2] = sst::bound(q, distance);
  out[3] = sst::blend(q, distance);
}
template <class M, int m>
WEIR_HD inline void linearise_source(const SpatialView& v, int i) {
  using D = Dual<double, m>;
  const Turbulence& t = v.turbulence;
  double value[M::inputs];
  inputs_of(M{}, {v.w, v.wx, v.wy, t.value, t.x, t.y}, i, value);
  double* slope = t.source_slope + std::int64_t{outputs<M> * M::inputs} * i;
  for (int first = 0; first < M::inputs; first += m) {
    D input[M::inputs];
    for (int k = 0; k < M::inputs; ++k) input[k] = seed<m>(value[k], k, first);
    D out[outputs<M>];
    outputs_of(v, inputs_from(M{}, input), t.distance[i], out);
    for (int o = 0; o < outputs<M>; ++o)
      for (int k = 0; k < m; ++k)
        slope[M::inputs * o + first + k] = o < M::count ? v.cells.volume[i] * out[o].d[k] : out[o].d[k];
  }
}
// Change of output o of cell i.
template <class M>
WEIR_HD inline double slope_of_output(const SpatialView& v, int i, int o) {
  const Turbulence& t = v.turbulence;
  double change[M::inputs], sum = 0;
  inputs_of(M{}, {v.dw, v.dwx, v.dwy, t.dvalue, t.dx, t.dy}, i, change);
  const double* slope = t.source_slope + std::int64_t{M::inputs} * (outputs<M> * std::int64_t{i} + o);
  for (int k = 0; k < M::inputs; ++k) sum += slope[k] * change[k];
  return sum;
}

}  // namespace weir::turbulent
