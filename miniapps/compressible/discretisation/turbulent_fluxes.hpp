// The five fluxes of turbulent flow through a face, and their derivatives with respect to U of its cells (dual
// numbers): those of laminar flow with mu + mu_t, and
//   F_nu~ = m nu~_upwind - 1/sigma (mu + rho nu~ f_n) grad nu~ . n,   m: mass flux of the scheme                   (1)
// Boundaries: nu~ = 0 at no-slip walls; elsewhere outflow has the interior nu~, inflow that of the outside, without
// diffusion.
#pragma once
#include "miniapps/compressible/discretisation/boundary_kernels.hpp"
#include "miniapps/compressible/discretisation/face_kernels.hpp"
#include "physics/spalart_allmaras.hpp"

namespace weir::turbulent {

// Derivatives with respect to m of the five variables, from number `first` on: five on the host, one on the device
// because of the number of registers.
template <int m>
WEIR_HD inline Dual<double, m> seed(double value, int variable, int first) {
  Dual<double, m> x(value);
  if (variable >= first && variable < first + m) x.d[variable - first] = 1;
  return x;
}

template <class S>
struct State {
  Primitive<S> w;
  S nu;
};

WEIR_HD inline State<double> state_of(const SpatialView& v, int cell) {
  const double* w = v.w + std::int64_t{4} * cell;
  return {{w[0], w[1], w[2], w[3]}, v.turbulence.nu[cell]};
}
// With derivatives with respect to U of the cell, or without (`varies` false).
template <int m>
WEIR_HD inline State<Dual<double, m>> dual_state_of(const SpatialView& v, int cell, int first, bool varies = true) {
  using D = Dual<double, m>;
  const State<double> s = state_of(v, cell);
  const Primitive<double>& w = s.w;
  if (!varies) return {{D(w.p), D(w.u), D(w.v), D(w.t)}, D(s.nu)};
  const double rho = v.gas.gamma_m2 * w.p / w.t;
  const double energy = w.p / (v.gas.gamma - 1) + 0.5 * rho * (w.u * w.u + w.v * w.v);
  const D density = seed<m>(rho, 0, first);
  return {
      primitive(v.gas, density, seed<m>(rho * w.u, 1, first), seed<m>(rho * w.v, 2, first), seed<m>(energy, 3, first)),
      seed<m>(rho * s.nu, 4, first) / density};
}

template <class S>
WEIR_HD inline S density(const Gas& gas, const Primitive<S>& w) {
  return gas.gamma_m2 * w.p / w.t;
}
template <class S>
WEIR_HD inline S eddy_viscosity(const SpatialView& v, const State<S>& s) {
  return spalart_allmaras::eddy_viscosity(viscosity(v.gas, s.w.t), v.turbulence.unit * density(v.gas, s.w) * s.nu);
}

// One side of a face: cell state, face state, gradients (0 at first order).
template <class S>
struct Side5 {
  face::Reach<S> flow;
  S nu, nu_face, nu_x, nu_y;
};
WEIR_HD inline Side5<double> side(const SpatialView& v, const int* cell, double dx, double dy) {
  const Turbulence& t = v.turbulence;
  const double nu = t.nu[*cell];
  if (v.order == 1) return {face::reach<double>(v, cell, dx, dy), nu, nu, 0, 0};
  const double x = t.x[*cell], y = t.y[*cell];
  return {face::reach<double>(v, cell, dx, dy), nu, t.order == 1 ? nu : nu + x * dx + y * dy, x, y};
}
template <int m>
WEIR_HD inline Side5<Dual<double, m>> dual_side(const SpatialView& v, int cell, int first, bool varies = true) {
  using D = Dual<double, m>;
  const State<D> s = dual_state_of<m>(v, cell, first, varies);
  Side5<D> out{{s.w, s.w, {}, {}}, s.nu, s.nu, D(0.0), D(0.0)};
  for (int c = 0; c < 4; ++c) out.flow.gx[c] = out.flow.gy[c] = D(0.0);
  return out;
}

// Viscous fluxes of momentum and energy, and the diffusive flux of nu~: minus the last term of (1).
template <class S>
struct Diffusion {
  ViscousFlux<S> flow;
  S nu;
};
template <class N, class S>
WEIR_HD inline Diffusion<S> diffusion(const SpatialView& v, const Side5<S>& l, const Side5<S>& r, int f) {
  const InteriorFaces& g = v.faces;
  const auto number = [f](const double* all) { return face::at<N>(all, f); };
  const N n[2] = {number(g.nx), number(g.ny)}, inverse = number(g.inverse);
  const N d[2] = {number(g.lx) - number(g.rx), number(g.ly) - number(g.ry)};
  const Primitive<S>&a = l.flow.centre, &b = r.flow.centre;
  S x[5], y[5];
  const S jump[5] = {S(0.0), b.u - a.u, b.v - a.v, b.t - a.t, r.nu - l.nu};
  for (int c = 1; c < 5; ++c) {
    const S mean_x = 0.5 * (c == 4 ? l.nu_x + r.nu_x : l.flow.gx[c & 3] + r.flow.gx[c & 3]);
    const S mean_y = 0.5 * (c == 4 ? l.nu_y + r.nu_y : l.flow.gy[c & 3] + r.flow.gy[c & 3]);
    compact_gradient(mean_x, mean_y, jump[c], d, n, inverse, x[c], y[c]);
  }
  const S mu = viscosity(v.gas, 0.5 * (a.t + b.t));
  const S rho_nu = (0.25 * v.turbulence.unit) * (density(v.gas, a) + density(v.gas, b)) * (l.nu + r.nu);
  const S eddy = spalart_allmaras::eddy_viscosity(mu, rho_nu);
  const boundary::Eddies<S> eddies{eddy, v.turbulence.conduction * eddy};
  const ViscousGradient<S> q{x[1], y[1], x[2], y[2], x[3], y[3]};
  return {boundary::turbulent_flux(v.gas, mu, eddies, q, S(0.5 * (a.u + b.u)), S(0.5 * (a.v + b.v)), n),
          spalart_allmaras::diffusivity(mu, rho_nu) * (x[4] * n[0] + y[4] * n[1])};
}

// area (F - F_viscous) . n of interior faces f, f + 1, ... N: scalar of the geometry, double or a pack; S: N or a
// dual number of it.
template <class N, class S, class Scheme>
WEIR_HD inline void flux(const SpatialView& v, const Scheme& scheme, const Side5<S>& l, const Side5<S>& r, int f,
                         S out[5]) {
  const face::Normal<N> m = face::normal<N>(v.faces, f);
  const N &nx = m.n[0], &ny = m.n[1], &area = m.area;
  const Flux<S> F = scheme(make_side(v.gas, l.flow.face, nx, ny), make_side(v.gas, r.flow.face, nx, ny));
  const Diffusion<S> s = diffusion<N>(v, l, r, f);
  out[0] = F.mass;
  out[1] = F.normal * nx - F.tangent * ny - s.flow.x;
  out[2] = F.normal * ny + F.tangent * nx - s.flow.y;
  out[3] = F.energy - s.flow.energy;
  out[4] = F.mass * select(F.mass < 0.0, r.nu_face, l.nu_face) - s.nu;
  for (int c = 0; c < 5; ++c) out[c] = out[c] * area;
}

template <class Scheme>
WEIR_HD inline void flux_of_face(const SpatialView& v, const Scheme& scheme, int f) {
  const InteriorFaces& g = v.faces;
  double out[5];
  flux<double>(v, scheme, side(v, g.owner + f, g.lx[f], g.ly[f]), side(v, g.neighbour + f, g.rx[f], g.ry[f]), f, out);
  store4(out, v.flux + std::int64_t{4} * f);
  v.turbulence.flux[f] = out[4];
}

// Row c and column k of the block of J at four times `place`.
WEIR_HD inline void store(const SpatialView& v, int place, int c, int k, double value) {
  const std::int64_t block = std::int64_t{25} * (place / 4);
  if (v.values)
    v.values[block + 5 * c + k] = value;
  else
    v.floats[block + (v.by_columns ? 5 * k + c : 5 * c + k)] = static_cast<float>(value);
}

// m columns of an off-diagonal block, from `first` on. side 0: dR_neighbour / dU_owner; 1: dR_owner / dU_neighbour.
template <int m, class Scheme>
WEIR_HD inline void jacobian_of_face(const SpatialView& v, const Scheme& scheme, int f, int side, int first) {
  Dual<double, m> out[5];
  flux<double>(v, scheme, dual_side<m>(v, v.faces.owner[f], first, side == 0),
               dual_side<m>(v, v.faces.neighbour[f], first, side == 1), f, out);
  const double sign = side == 0 ? -1 : 1;
  for (int c = 0; c < 5; ++c)
    for (int k = 0; k < m; ++k)
      store(v, (side == 0 ? v.neighbour_row : v.owner_row)[f], c, first + k, sign * out[c].d[k]);
}

// Flux at a boundary face. nu_face: reconstructed at the face.
template <class S, class Scheme>
WEIR_HD inline void boundary_flux(const SpatialView& v, const Scheme& scheme, const boundary::Inside<S>& i,
                                  const Side5<S>& in, int f, S out[5]) {
  const BoundaryFaces& b = v.boundary;
  const BoundaryType t = boundary::type(b, f);
  const S eddy = boundary::is_no_slip(t) ? S(0.0) : eddy_viscosity(v, State<S>{i.centre, in.nu});
  boundary::flux(v, scheme, i, f, out, boundary::Eddies<S>{eddy, v.turbulence.conduction * eddy});
  out[4] = S(0.0);
  if (boundary::is_no_slip(t)) {
    const double n[2] = {b.nx[f], b.ny[f]}, d[2] = {b.lx[f], b.ly[f]};
    S x, y;
    compact_gradient(in.nu_x, in.nu_y, S(-in.nu), d, n, b.inverse[f], x, y);
    const S mu = viscosity(v.gas, boundary::state(v, i.centre, f).t);
    out[4] = -b.area[f] * (spalart_allmaras::diffusivity(mu, S(0.0)) * (x * n[0] + y * n[1]));
  } else if (t != BoundaryType::slip_wall) {
    out[4] = out[0] * select(out[0] < 0.0, S(v.turbulence.outside), in.nu_face);
  }
}
template <class Scheme>
WEIR_HD inline void flux_of_boundary_face(const SpatialView& v, const Scheme& scheme, int f) {
  const BoundaryFaces& b = v.boundary;
  double out[5];
  boundary_flux(v, scheme, boundary::inside(v, f), side(v, b.cell + f, b.lx[f], b.ly[f]), f, out);
  store4(out, v.boundary_flux + std::int64_t{4} * f);
  v.turbulence.boundary_flux[f] = out[4];
}
template <int m, class Scheme>
WEIR_HD inline void jacobian_of_boundary_face(const SpatialView& v, const Scheme& scheme, int f, int first) {
  using D = Dual<double, m>;
  const Side5<D> in = dual_side<m>(v, v.boundary.cell[f], first);
  boundary::Inside<D> i{in.flow.centre, in.flow.face, {}, {}};
  for (int c = 0; c < 4; ++c) i.gx[c] = i.gy[c] = D(0.0);
  D out[5];
  boundary_flux(v, scheme, i, in, f, out);
  for (int c = 0; c < 5; ++c)
    for (int k = 0; k < m; ++k) v.boundary_block[25 * f + 5 * c + first + k] = out[c].d[k];
}

}  // namespace weir::turbulent
