// Kernels of one interior face, or of several at once: T is double, or a pack on the host.
#pragma once
#include "miniapps/compressible/discretisation/keep_positive.hpp"
#include "miniapps/compressible/discretisation/spatial_view.hpp"
#include "physics/flux.hpp"
#include "physics/flux_jacobian.hpp"
#include "physics/viscous.hpp"

namespace weir {

WEIR_HD inline void load(const double* p, double& x) { x = *p; }
WEIR_HD inline void gather4(const double* base, const int* index, double out[4]) {
  for (int c = 0; c < 4; ++c) out[c] = base[std::int64_t{4} * *index + c];
}
WEIR_HD inline void load4(const double* p, double out[4]) {
  for (int c = 0; c < 4; ++c) out[c] = p[c];
}
WEIR_HD inline void store4(const double in[4], double* p) {
  for (int c = 0; c < 4; ++c) p[c] = in[c];
}
WEIR_HD inline void scatter4(const double in[4], double* base, const int* index) {
  for (int c = 0; c < 4; ++c) base[std::int64_t{4} * *index + c] = in[c];
}
WEIR_HD inline void store_floats(const double a[4][4], float* base, bool by_columns, const int* index) {
  for (int k = 0; k < 16; ++k)
    base[std::int64_t{4} * *index + k] = static_cast<float>(by_columns ? a[k % 4][k / 4] : a[k / 4][k % 4]);
}

namespace face {

template <class T>
WEIR_HD inline T at(const double* p, int f) {
  T x;
  load(p + f, x);
  return x;
}

// W of cells i, i + 1, ...
template <class T>
WEIR_HD inline void primitive_of(const SpatialView& v, const double* U, int i) {
  T u[4];
  load4(U + std::int64_t{4} * i, u);
  const Primitive<T> w = primitive(v.gas, u[0], u[1], u[2], u[3]);
  const T out[4] = {w.p, w.u, w.v, w.t};
  store4(out, v.w + std::int64_t{4} * i);
}

template <class T>
struct Normal {
  T n[2], area;
};
template <class T>
WEIR_HD inline Normal<T> normal(const InteriorFaces& g, int f) {
  return {{at<T>(g.nx, f), at<T>(g.ny, f)}, at<T>(g.area, f)};
}

// W on one side: at the cell centre and reconstructed at the face (second order).
template <class T>
struct Reach {
  Primitive<T> centre, face;
  T gx[4], gy[4];
};
// N: the scalar of the geometry; T: N, or a dual number of it.
template <class T, class N>
WEIR_HD inline void carry(const SpatialView& v, const T w[4], const T phi[4], const N& dx, const N& dy, Reach<T>& r) {
  T step[4];
  for (int c = 0; c < 4; ++c) step[c] = r.gx[c] * dx + r.gy[c] * dy;
  if (v.limiter != Limiter::none)
    for (int c = 0; c < 4; ++c) step[c] = step[c] * phi[c];
  keep_positive(w, step);
  r.face = {w[0] + step[0], w[1] + step[1], w[2] + step[2], w[3] + step[3]};
}
template <class T>
WEIR_HD inline Reach<T> reach(const SpatialView& v, const int* cell, const T& dx, const T& dy) {
  Reach<T> r;
  T w[4], phi[4];
  gather4(v.w, cell, w);
  r.centre = r.face = {w[0], w[1], w[2], w[3]};
  if (v.order == 1) {
    for (int c = 0; c < 4; ++c) r.gx[c] = r.gy[c] = T(0.0);
    return r;
  }
  gather4(v.wx, cell, r.gx);
  gather4(v.wy, cell, r.gy);
  if (v.limiter != Limiter::none) gather4(v.phi, cell, phi);
  carry(v, w, phi, dx, dy, r);
  return r;
}

template <class T>
WEIR_HD inline ViscousFlux<T> viscous(const SpatialView& v, const Reach<T>& l, const Reach<T>& r, const T n[2], int f) {
  const InteriorFaces& g = v.faces;
  const T d[2] = {at<T>(g.lx, f) - at<T>(g.rx, f), at<T>(g.ly, f) - at<T>(g.ry, f)}, inverse = at<T>(g.inverse, f);
  T mean[2][4];
  for (int c = 1; c < 4; ++c) {
    mean[0][c] = 0.5 * (l.gx[c] + r.gx[c]);
    mean[1][c] = 0.5 * (l.gy[c] + r.gy[c]);
  }
  ViscousGradient<T> q;
  compact_gradient(mean[0][1], mean[1][1], r.centre.u - l.centre.u, d, n, inverse, q.ux, q.uy);
  compact_gradient(mean[0][2], mean[1][2], r.centre.v - l.centre.v, d, n, inverse, q.vx, q.vy);
  compact_gradient(mean[0][3], mean[1][3], r.centre.t - l.centre.t, d, n, inverse, q.tx, q.ty);
  const T mu = viscosity(v.gas, 0.5 * (l.centre.t + r.centre.t));
  return viscous_flux(v.gas, mu, q, 0.5 * (l.centre.u + r.centre.u), 0.5 * (l.centre.v + r.centre.v), n);
}

// Roe's and HLLC's fluxes do not damp waves that travel along a strong shock, and these grow to a carbuncle (Quirk, Int. J.
// Numer. Methods Fluids 18 (1994) 555). Zero where the pressure changes along a face by less than half of its value, one
// where it changes by more than all of it, as it does where a shock of Mach 3 crosses the face.
template <class T, class N>
WEIR_HD inline T crossing_shock(const Reach<T>& l, const Reach<T>& r, const Normal<N>& m) {
  const T left = absolute(l.gy[0] * m.n[0] - l.gx[0] * m.n[1]) / l.centre.p;
  const T right = absolute(r.gy[0] * m.n[0] - r.gx[0] * m.n[1]) / r.centre.p;
  return smaller_of(larger_of(2.0 * (larger_of(left, right) * m.area) - 1.0, T(0.0)), T(1.0));
}

// area (F - F_viscous) . n of faces f, f + 1, ...
template <class T, class N, class Scheme>
WEIR_HD inline void flux_between(const SpatialView& v, const Scheme& scheme, const Reach<T>& l, const Reach<T>& r,
                                 int f, T out[4]) {
  const Normal<N> m = normal<N>(v.faces, f);
  const N &nx = m.n[0], &ny = m.n[1];
  const Side<T> left = make_side(v.gas, l.face, nx, ny), right = make_side(v.gas, r.face, nx, ny);
  Flux<T> F = scheme(left, right);
  if constexpr (std::is_same_v<Scheme, Roe> || std::is_same_v<Scheme, Hllc>)
    if (v.limiter != Limiter::none) {
      const T share = crossing_shock(l, r, m);
      if (any_negative(-share)) {
        const Flux<T> damped = Rusanov{v.gas.gamma}(left, right);
        F.mass = F.mass + share * (damped.mass - F.mass);
        F.normal = F.normal + share * (damped.normal - F.normal);
        F.tangent = F.tangent + share * (damped.tangent - F.tangent);
        F.energy = F.energy + share * (damped.energy - F.energy);
      }
    }
  out[0] = F.mass;
  out[1] = F.normal * nx - F.tangent * ny;
  out[2] = F.normal * ny + F.tangent * nx;
  out[3] = F.energy;
  if (v.gas.viscosity > 0) {
    const T n[2] = {T(nx), T(ny)};
    const ViscousFlux<T> s = viscous(v, l, r, n, f);
    out[1] = out[1] - s.x;
    out[2] = out[2] - s.y;
    out[3] = out[3] - s.energy;
  }
  for (int c = 0; c < 4; ++c) out[c] = out[c] * m.area;
}
template <class T, class Scheme>
WEIR_HD inline void flux(const SpatialView& v, const Scheme& scheme, int f) {
  const InteriorFaces& g = v.faces;
  const Reach<T> l = reach<T>(v, g.owner + f, at<T>(g.lx, f), at<T>(g.ly, f));
  const Reach<T> r = reach<T>(v, g.neighbour + f, at<T>(g.rx, f), at<T>(g.ry, f));
  T out[4];
  flux_between<T, T>(v, scheme, l, r, f, out);
  store4(out, v.flux + std::int64_t{4} * f);
}

// Block of J at four times `place`: rows are records, or columns, of floats.
template <class T>
WEIR_HD inline void store_block(const SpatialView& v, const T a[4][4], const int* place) {
  if (!v.values) return store_floats(a, v.floats, v.by_columns, place);
  for (int i = 0; i < 4; ++i) scatter4(a[i], v.values + 4 * i, place);
}

// The two off-diagonal blocks: dR_owner / dU_neighbour and dR_neighbour / dU_owner.
template <class T, class Scheme>
WEIR_HD inline void jacobian(const SpatialView& v, const Scheme& scheme, int f) {
  const InteriorFaces& g = v.faces;
  const Normal<T> m = normal<T>(g, f);
  const T &nx = m.n[0], &ny = m.n[1];
  T w[2][4];
  gather4(v.w, g.owner + f, w[0]);
  gather4(v.w, g.neighbour + f, w[1]);
  const Side<T> l = make_side(v.gas, Primitive<T>{w[0][0], w[0][1], w[0][2], w[0][3]}, nx, ny);
  const Side<T> r = make_side(v.gas, Primitive<T>{w[1][0], w[1][1], w[1][2], w[1][3]}, nx, ny);
  T left[4][4], right[4][4];
  flux_derivatives(scheme, l, r, left, right);
  if (v.gas.viscosity > 0)
    subtract_thin_layer_derivatives(v.gas, l, r, w[0][3], w[1][3], at<T>(g.inverse, f), left, right);
  to_conserved(v.gas.gamma, l, nx, ny, -m.area, left);
  to_conserved(v.gas.gamma, r, nx, ny, m.area, right);
  store_block(v, left, v.neighbour_row + f);
  store_block(v, right, v.owner_row + f);
}

}  // namespace face
}  // namespace weir
