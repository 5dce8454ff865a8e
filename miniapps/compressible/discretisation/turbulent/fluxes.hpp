// Fluxes of turbulent flow through a face, and their derivatives with respect to U of its cells (dual numbers): those
// of laminar flow with mu + mu_t, and for each variable t of the model M
//   F_t = m t_upwind - D_t grad t . n,   m: mass flux of the scheme                                                (1)
// with D = 1/sigma (mu + rho nu~ f_n), or mu + sigma_k mu_t and mu + sigma_omega mu_t. Boundaries: nu~ = k = 0 and
// omega as in (6) of physics/sst.hpp at no-slip walls; elsewhere outflow has the interior t, inflow that of the
// outside, without diffusion.
#pragma once
#include "miniapps/compressible/discretisation/boundary_kernels.hpp"
#include "miniapps/compressible/discretisation/face_kernels.hpp"
#include "physics/spalart_allmaras.hpp"
#include "physics/sst.hpp"

namespace weir::turbulent {

template <class M>
constexpr int equations = 4 + M::count;

// Derivatives with respect to m of the variables, from number `first` on: all on the host, one on the device because
// of the number of registers.
template <int m>
WEIR_HD inline Dual<double, m> seed(double value, int variable, int first) {
  Dual<double, m> x(value);
  if (variable >= first && variable < first + m) x.d[variable - first] = 1;
  return x;
}

// The auxiliary numbers of a cell.
template <class S, int count>
struct Auxiliary {
  S v[count];
};
template <class S>
struct Auxiliary<S, 0> {};

template <class M, class S>
struct State {
  Primitive<S> w;
  S t[M::count];
};

template <class M, class S, class Value>
WEIR_HD inline State<M, S> with_model_of(const Primitive<S>& w, const Value& value) {
  if constexpr (M::count == 1)
    return {w, {value(0)}};
  else
    return {w, {value(0), value(1)}};
}

template <class M>
WEIR_HD inline State<M, double> state_of(const SpatialView& v, int cell) {
  const double* w = v.w + std::int64_t{4} * cell;
  const double* t = v.turbulence.value + std::int64_t{M::count} * cell;
  return with_model_of<M, double>({w[0], w[1], w[2], w[3]}, [t](int k) { return t[k]; });
}
// The state with derivatives with respect to U of the cell, or with zero derivatives (`varies` false).
template <class M, int m>
WEIR_HD inline State<M, Dual<double, m>> dual_state_of(const SpatialView& v, int cell, int first, bool varies = true) {
  using D = Dual<double, m>;
  const State<M, double> s = state_of<M>(v, cell);
  const Primitive<double>& w = s.w;
  if (!varies) return with_model_of<M, D>({D(w.p), D(w.u), D(w.v), D(w.t)}, [&](int k) { return D(s.t[k]); });
  const double rho = v.gas.gamma_m2 * w.p / w.t;
  const double energy = w.p / (v.gas.gamma - 1) + 0.5 * rho * (w.u * w.u + w.v * w.v);
  const D density = seed<m>(rho, 0, first);
  return with_model_of<M, D>(
      primitive(v.gas, density, seed<m>(rho * w.u, 1, first), seed<m>(rho * w.v, 2, first), seed<m>(energy, 3, first)),
      [&](int k) { return seed<m>(rho * s.t[k], 4 + k, first) / density; });
}

template <class S>
WEIR_HD inline S density(const Gas& gas, const Primitive<S>& w) {
  return gas.gamma_m2 * w.p / w.t;
}

// One side of a face: cell state, face state, gradients (0 at first order).
template <class M, class S>
struct Side {
  face::Reach<S> flow;
  S t[M::count], t_face[M::count], x[M::count], y[M::count];
  Auxiliary<S, M::auxiliary> auxiliary;
};
// The model's variable at the face. k and omega keep a tenth, because they must be positive.
template <class S, class N>
WEIR_HD inline S carried(SpalartAllmaras, const S& t, const S& x, const S& y, const N& dx, const N& dy) {
  return t + x * dx + y * dy;
}
template <class S, class N>
WEIR_HD inline S carried(MenterSst, const S& t, const S& x, const S& y, const N& dx, const N& dy) {
  return larger_of(S(t + x * dx + y * dy), S(0.1 * t));
}
template <class M>
WEIR_HD inline Side<M, double> side(const SpatialView& v, const int* cell, double dx, double dy) {
  const Turbulence& t = v.turbulence;
  Side<M, double> s{face::reach<double>(v, cell, dx, dy), {}, {}, {}, {}, {}};
  for (int k = 0; k < M::count; ++k) {
    const std::int64_t at = std::int64_t{M::count} * *cell + k;
    s.t[k] = s.t_face[k] = t.value[at];
    if (v.order == 1) continue;
    s.x[k] = t.x[at], s.y[k] = t.y[at];
    if (t.order != 1) s.t_face[k] = carried(M{}, s.t[k], s.x[k], s.y[k], dx, dy);
  }
  if constexpr (M::auxiliary > 0)
    for (int k = 0; k < M::auxiliary; ++k) s.auxiliary.v[k] = t.auxiliary[std::int64_t{M::auxiliary} * *cell + k];
  return s;
}
template <class M, int m>
WEIR_HD inline Side<M, Dual<double, m>> dual_side(const SpatialView& v, int cell, int first, bool varies = true) {
  using D = Dual<double, m>;
  const State<M, D> s = dual_state_of<M, m>(v, cell, first, varies);
  Side<M, D> out;
  out.flow.centre = out.flow.face = s.w;
  for (int c = 0; c < 4; ++c) out.flow.gx[c] = out.flow.gy[c] = D(0.0);
  for (int k = 0; k < M::count; ++k) out.t[k] = out.t_face[k] = s.t[k], out.x[k] = out.y[k] = D(0.0);
  if constexpr (M::auxiliary > 0)
    for (int k = 0; k < M::auxiliary; ++k)
      out.auxiliary.v[k] = D(v.turbulence.auxiliary[std::int64_t{M::auxiliary} * cell + k]);
  return out;
}

// mu_t in a cell.
template <class S>
WEIR_HD inline S eddy_viscosity(SpalartAllmaras, const SpatialView& v, const Primitive<S>& w,
                                const Side<SpalartAllmaras, S>& s) {
  return spalart_allmaras::eddy_viscosity(viscosity(v.gas, w.t), v.turbulence.unit[0] * density(v.gas, w) * s.t[0]);
}
template <class S>
WEIR_HD inline S eddy_viscosity(MenterSst, const SpatialView& v, const Primitive<S>& w, const Side<MenterSst, S>& s) {
  const double *unit = v.turbulence.unit, least = sst::least_omega;
  return sst::eddy_viscosity(density(v.gas, w), S(unit[0] * s.t[0]), larger_of(S(unit[1] * s.t[1]), S(least)),
                             s.auxiliary.v[0]);
}

// Between two cells: mu_t, and D_t of (1).
template <class M, class S>
struct Viscosities {
  S eddy, of[M::count];
};
template <class S>
WEIR_HD inline Viscosities<SpalartAllmaras, S> viscosities(const SpatialView& v, const S& mu,
                                                           const Side<SpalartAllmaras, S>& l,
                                                           const Side<SpalartAllmaras, S>& r) {
  const S rho_nu = (0.25 * v.turbulence.unit[0]) * (density(v.gas, l.flow.centre) + density(v.gas, r.flow.centre)) *
                   (l.t[0] + r.t[0]);
  return {spalart_allmaras::eddy_viscosity(mu, rho_nu), {spalart_allmaras::diffusivity(mu, rho_nu)}};
}
template <class S>
WEIR_HD inline Viscosities<MenterSst, S> viscosities(const SpatialView& v, const S& mu, const Side<MenterSst, S>& l,
                                                     const Side<MenterSst, S>& r) {
  const S eddy =
      0.5 * (eddy_viscosity(MenterSst{}, v, l.flow.centre, l) + eddy_viscosity(MenterSst{}, v, r.flow.centre, r));
  const S f1 = 0.5 * (l.auxiliary.v[1] + r.auxiliary.v[1]);
  return {eddy,
          {mu + sst::blended(f1, sst::sigma_k1, sst::sigma_k2) * eddy,
           mu + sst::blended(f1, sst::sigma_w1, sst::sigma_w2) * eddy}};
}

// Viscous fluxes of momentum and energy, and the diffusive fluxes of the model: minus the last term of (1).
template <class M, class S>
struct Diffusion {
  ViscousFlux<S> flow;
  S t[M::count];
};
template <class N, class M, class S>
WEIR_HD inline Diffusion<M, S> diffusion(const SpatialView& v, const Side<M, S>& l, const Side<M, S>& r, int f) {
  constexpr int count = equations<M>;
  const InteriorFaces& g = v.faces;
  const auto number = [f](const double* all) { return face::at<N>(all, f); };
  const N n[2] = {number(g.nx), number(g.ny)}, inverse = number(g.inverse);
  const N d[2] = {number(g.lx) - number(g.rx), number(g.ly) - number(g.ry)};
  const Primitive<S>&a = l.flow.centre, &b = r.flow.centre;
  S x[count], y[count], jump[count] = {S(0.0), b.u - a.u, b.v - a.v, b.t - a.t};
  for (int k = 0; k < M::count; ++k) jump[4 + k] = r.t[k] - l.t[k];
  for (int c = 1; c < count; ++c) {
    const int k = c < 4 ? 0 : c - 4;
    const S mean_x = 0.5 * (c >= 4 ? l.x[k] + r.x[k] : l.flow.gx[c & 3] + r.flow.gx[c & 3]);
    const S mean_y = 0.5 * (c >= 4 ? l.y[k] + r.y[k] : l.flow.gy[c & 3] + r.flow.gy[c & 3]);
    compact_gradient(mean_x, mean_y, jump[c], d, n, inverse, x[c], y[c]);
  }
  const S mu = viscosity(v.gas, 0.5 * (a.t + b.t));
  const Viscosities<M, S> by = viscosities(v, mu, l, r);
  const boundary::Eddies<S> eddies{by.eddy, v.turbulence.conduction * by.eddy};
  const ViscousGradient<S> q{x[1], y[1], x[2], y[2], x[3], y[3]};
  Diffusion<M, S> out{boundary::turbulent_flux(v.gas, mu, eddies, q, S(0.5 * (a.u + b.u)), S(0.5 * (a.v + b.v)), n),
                      {}};
  for (int k = 0; k < M::count; ++k) out.t[k] = by.of[k] * (x[4 + k] * n[0] + y[4 + k] * n[1]);
  return out;
}

// area (F - F_viscous) . n of interior faces f, f + 1, ... N: scalar of the geometry, double or a pack; S: N or a
// dual number of it.
template <class N, class M, class S, class Scheme>
WEIR_HD inline void flux(const SpatialView& v, const Scheme& scheme, const Side<M, S>& l, const Side<M, S>& r, int f,
                         S out[equations<M>]) {
  const face::Normal<N> m = face::normal<N>(v.faces, f);
  const N &nx = m.n[0], &ny = m.n[1], &area = m.area;
  const Flux<S> F = scheme(make_side(v.gas, l.flow.face, nx, ny), make_side(v.gas, r.flow.face, nx, ny));
  const Diffusion<M, S> s = diffusion<N>(v, l, r, f);
  out[0] = F.mass;
  out[1] = F.normal * nx - F.tangent * ny - s.flow.x;
  out[2] = F.normal * ny + F.tangent * nx - s.flow.y;
  out[3] = F.energy - s.flow.energy;
  out[4] = F.mass * select(F.mass < 0.0, r.t_face[0], l.t_face[0]) - s.t[0];
  if constexpr (M::count == 2) out[5] = F.mass * select(F.mass < 0.0, r.t_face[1], l.t_face[1]) - s.t[1];
  for (int c = 0; c < equations<M>; ++c) out[c] = out[c] * area;
}

template <class M, class Scheme>
WEIR_HD inline void flux_of_face(const SpatialView& v, const Scheme& scheme, int f) {
  const InteriorFaces& g = v.faces;
  double out[equations<M>];
  flux<double>(v, scheme, side<M>(v, g.owner + f, g.lx[f], g.ly[f]), side<M>(v, g.neighbour + f, g.rx[f], g.ry[f]), f,
               out);
  store4(out, v.flux + std::int64_t{4} * f);
  for (int k = 0; k < M::count; ++k) v.turbulence.flux[std::int64_t{M::count} * f + k] = out[4 + k];
}

// Row c and column k of the block of J at four times `place`.
template <int n>
WEIR_HD inline void store(const SpatialView& v, int place, int c, int k, double value) {
  const std::int64_t block = std::int64_t{n * n} * (place / 4);
  if (v.values)
    v.values[block + n * c + k] = value;
  else
    v.floats[block + (v.by_columns ? n * k + c : n * c + k)] = static_cast<float>(value);
}

// m columns of an off-diagonal block, from `first` on. side 0: dR_neighbour / dU_owner; 1: dR_owner / dU_neighbour.
template <class M, int m, class Scheme>
WEIR_HD inline void jacobian_of_face(const SpatialView& v, const Scheme& scheme, int f, int side, int first) {
  constexpr int n = equations<M>;
  Dual<double, m> out[n];
  flux<double>(v, scheme, dual_side<M, m>(v, v.faces.owner[f], first, side == 0),
               dual_side<M, m>(v, v.faces.neighbour[f], first, side == 1), f, out);
  const double sign = side == 0 ? -1 : 1;
  for (int c = 0; c < n; ++c)
    for (int k = 0; k < m; ++k)
      store<n>(v, (side == 0 ? v.neighbour_row : v.owner_row)[f], c, first + k, sign * out[c].d[k]);
}

// Diffusive fluxes of the model into a no-slip wall, per unit area. centre: state of the cell.
template <class S>
WEIR_HD inline S slope_at_wall(const SpatialView& v, const S& jump, const S& x, const S& y, int f) {
  const BoundaryFaces& b = v.boundary;
  const double n[2] = {b.nx[f], b.ny[f]}, d[2] = {b.lx[f], b.ly[f]};
  S at_x, at_y;
  compact_gradient(x, y, jump, d, n, b.inverse[f], at_x, at_y);
  return at_x * n[0] + at_y * n[1];
}
template <class S>
WEIR_HD inline void wall_flux(const SpatialView& v, const Primitive<S>& centre, const Side<SpalartAllmaras, S>& in,
                              int f, S out[1]) {
  const S slope = slope_at_wall(v, S(-in.t[0]), in.x[0], in.y[0], f);
  const S mu = viscosity(v.gas, boundary::state(v, centre, f).t);
  out[0] = spalart_allmaras::diffusivity(mu, S(0.0)) * slope;
}
template <class S>
WEIR_HD inline void wall_flux(const SpatialView& v, const Primitive<S>& centre, const Side<MenterSst, S>& in, int f,
                              S out[2]) {
  const Primitive<S> wall = boundary::state(v, centre, f);
  const S mu = viscosity(v.gas, wall.t), nu = mu / density(v.gas, wall);
  const S omega = sst::omega_at_wall(nu, 1 / v.boundary.inverse[f]) * (1 / v.turbulence.unit[1]);
  out[0] = mu * slope_at_wall(v, S(-in.t[0]), in.x[0], in.y[0], f);
  out[1] = mu * ((omega - in.t[1]) * v.boundary.inverse[f]);  // the gradient in the cell says nothing about the wall's
}

// Flux at a boundary face. t_face: reconstructed at the face.
template <class M, class S, class Scheme>
WEIR_HD inline void boundary_flux(const SpatialView& v, const Scheme& scheme, const boundary::Inside<S>& i,
                                  const Side<M, S>& in, int f, S out[equations<M>]) {
  const BoundaryFaces& b = v.boundary;
  const BoundaryType t = boundary::type(b, f);
  const S eddy = boundary::is_no_slip(t) ? S(0.0) : eddy_viscosity(M{}, v, i.centre, in);
  boundary::flux(v, scheme, i, f, out, boundary::Eddies<S>{eddy, v.turbulence.conduction * eddy});
  for (int k = 0; k < M::count; ++k) out[4 + k] = S(0.0);
  if (boundary::is_no_slip(t)) {
    S into[M::count];
    wall_flux(v, i.centre, in, f, into);
    for (int k = 0; k < M::count; ++k) out[4 + k] = -b.area[f] * into[k];
  } else if (t != BoundaryType::slip_wall) {
    for (int k = 0; k < M::count; ++k)
      out[4 + k] = out[0] * select(out[0] < 0.0, S(v.turbulence.outside[k]), in.t_face[k]);
  }
}
template <class M, class Scheme>
WEIR_HD inline void flux_of_boundary_face(const SpatialView& v, const Scheme& scheme, int f) {
  const BoundaryFaces& b = v.boundary;
  double out[equations<M>];
  boundary_flux(v, scheme, boundary::inside(v, f), side<M>(v, b.cell + f, b.lx[f], b.ly[f]), f, out);
  store4(out, v.boundary_flux + std::int64_t{4} * f);
  for (int k = 0; k < M::count; ++k) v.turbulence.boundary_flux[std::int64_t{M::count} * f + k] = out[4 + k];
}
template <class M, int m, class Scheme>
WEIR_HD inline void jacobian_of_boundary_face(const SpatialView& v, const Scheme& scheme, int f, int first) {
  using D = Dual<double, m>;
  constexpr int n = equations<M>;
  const Side<M, D> in = dual_side<M, m>(v, v.boundary.cell[f], first);
  boundary::Inside<D> i{in.flow.centre, in.flow.face, {}, {}};
  for (int c = 0; c < 4; ++c) i.gx[c] = i.gy[c] = D(0.0);
  D out[n];
  boundary_flux(v, scheme, i, in, f, out);
  for (int c = 0; c < n; ++c)
    for (int k = 0; k < m; ++k) v.boundary_block[n * n * f + n * c + first + k] = out[c].d[k];
}

}  // namespace weir::turbulent
