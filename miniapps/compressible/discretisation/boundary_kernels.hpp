// State, flux and flux derivative at a boundary face. S is double, or a dual number with derivatives with respect to
// U of the cell.
//
//   far field            F of the characteristic state                     viscous: gradient of the cell
//   slip wall            pressure                                          viscous: stress of a symmetry plane
//   no-slip walls        pressure                                          viscous: compact, wall velocity
//   supersonic in, out   F of the outside, of the inside                   viscous: gradient of the cell
//   pressure outlet      F of the prescribed pressure and the inside       viscous: gradient of the cell
//   total pressure       F of the prescribed total state and the inside    viscous: compact, outside at the face
//   mass flow outlet     F of the prescribed mass flux and the inside      viscous: gradient of the cell
//   exact                the scheme's flux between inside and outside      viscous: compact, outside at the face
// At first order, face states are those of the cell and the gradient of the cell is zero.
#pragma once
#include "miniapps/compressible/discretisation/keep_positive.hpp"
#include "miniapps/compressible/discretisation/spatial_view.hpp"
#include "physics/boundary_state.hpp"
#include "physics/dual.hpp"
#include "physics/flux.hpp"
#include "physics/viscous.hpp"

namespace weir::boundary {

WEIR_HD inline BoundaryType type(const BoundaryFaces& b, int f) { return static_cast<BoundaryType>(b.type[f]); }
WEIR_HD inline bool is_no_slip(BoundaryType t) {
  return t == BoundaryType::adiabatic_wall || t == BoundaryType::isothermal_wall || t == BoundaryType::heat_flux_wall;
}

template <class S>
WEIR_HD inline Primitive<S> outside(const BoundaryFaces& b, int f) {
  const double* o = b.outside + 4 * f;
  return {S(o[0]), S(o[1]), S(o[2]), S(o[3])};
}

template <class S>
WEIR_HD inline Primitive<S> state(const SpatialView& v, const Primitive<S>& w, int f) {
  const BoundaryFaces& b = v.boundary;
  const Primitive<S> o = outside<S>(b, f);
  switch (type(b, f)) {
    case BoundaryType::farfield:
      return farfield_state(v.gas, w, o, b.nx[f], b.ny[f]);
    case BoundaryType::pressure_outlet:
      return pressure_outlet_state(v.gas, w, o.p, b.nx[f], b.ny[f]);
    case BoundaryType::slip_wall:
      return slip_state(w, b.nx[f], b.ny[f]);
    case BoundaryType::adiabatic_wall:
      return {w.p, o.u, o.v, w.t};
    case BoundaryType::isothermal_wall:
      return {w.p, o.u, o.v, o.t};
    case BoundaryType::heat_flux_wall:
      return {w.p, o.u, o.v, w.t + o.p / (v.gas.conduction * b.inverse[f] * viscosity(v.gas, w.t))};
    case BoundaryType::total_pressure_inlet:
      return total_pressure_state(v.gas, w, o, b.nx[f], b.ny[f]);
    case BoundaryType::mass_flow_outlet:
      return mass_flow_outlet_state(v.gas, w, o.p, b.nx[f], b.ny[f]);
    case BoundaryType::supersonic_outflow:
      return w;
    default:
      return o;
  }
}

// Components of state() that are boundary data, usable in gradients: velocity, temperature and pressure.
struct Given {
  bool p, velocity, t;
};
WEIR_HD inline Given given(BoundaryType t) {
  const bool all = t == BoundaryType::supersonic_inflow || t == BoundaryType::exact || t == BoundaryType::farfield ||
                   t == BoundaryType::total_pressure_inlet;
  return {all || t == BoundaryType::pressure_outlet, all || is_no_slip(t) || t == BoundaryType::slip_wall,
          all || t == BoundaryType::isothermal_wall || t == BoundaryType::heat_flux_wall};
}

template <class S>
struct Inside {
  Primitive<S> centre, face;
  S gx[4], gy[4];  // of W; zero at first order
};

// Eddy viscosity and conductivity of laminar flow: none.
struct NoEddies {};
template <class S>
struct Eddies {
  S viscosity, conductivity;
};
template <class S, class N>
WEIR_HD inline ViscousFlux<S> turbulent_flux(const Gas& gas, const S& mu, const Eddies<S>& e,
                                             const ViscousGradient<S>& g, const S& u, const S& v, const N n[2]) {
  Gas cold = gas;
  cold.conduction = 0;
  ViscousFlux<S> s = viscous_flux(cold, S(mu + e.viscosity), g, u, v, n);
  s.energy = s.energy + (gas.conduction * mu + e.conductivity) * (g.tx * n[0] + g.ty * n[1]);
  return s;
}
template <class S>
WEIR_HD inline S with_eddies(const S& mu, NoEddies) {
  return mu;
}
template <class S>
WEIR_HD inline S with_eddies(const S& mu, const Eddies<S>& e) {
  return mu + e.viscosity;
}

template <class S>
WEIR_HD inline Side<S> side(const Gas& gas, const Primitive<S>& w, double nx, double ny) {
  return make_side(gas, w, S(nx), S(ny));
}

// Inviscid flux along the normal, in the frame of the face.
template <class S, class Scheme>
WEIR_HD inline Flux<S> inviscid(const SpatialView& v, const Scheme& scheme, const Primitive<S>& w, int f) {
  const BoundaryFaces& b = v.boundary;
  const double nx = b.nx[f], ny = b.ny[f];
  const BoundaryType t = type(b, f);
  if (t == BoundaryType::slip_wall || is_no_slip(t)) return {S(0.0), w.p, S(0.0), S(0.0)};
  if (t == BoundaryType::exact) return scheme(side(v.gas, w, nx, ny), side(v.gas, outside<S>(b, f), nx, ny));
  return exact_flux(side(v.gas, state(v, w, f), nx, ny));
}

// On a symmetry plane shear and heat flux vanish; d u_n / dn is compact, d u_t / dt is that of the cell.
template <class S, class E>
WEIR_HD inline ViscousFlux<S> symmetry_stress(const SpatialView& v, const Inside<S>& i, int f, const E& eddies) {
  const double nx = v.boundary.nx[f], ny = v.boundary.ny[f];
  const S along = (nx * i.gy[2] - ny * i.gx[2]) * nx - (nx * i.gy[1] - ny * i.gx[1]) * ny;
  const S across = -(i.centre.u * nx + i.centre.v * ny) * v.boundary.inverse[f];
  const S stress = with_eddies(viscosity(v.gas, i.centre.t), eddies) * (2.0 * across - (2.0 / 3) * (across + along));
  return {stress * nx, stress * ny, S(0.0)};
}

template <class S>
WEIR_HD inline ViscousFlux<S> whole_stress(const SpatialView& v, const Primitive<S>& at, const ViscousGradient<S>& g,
                                           const S n[2], NoEddies) {
  return viscous_flux(v.gas, viscosity(v.gas, at.t), g, at.u, at.v, n);
}
template <class S>
WEIR_HD inline ViscousFlux<S> whole_stress(const SpatialView& v, const Primitive<S>& at, const ViscousGradient<S>& g,
                                           const S n[2], const Eddies<S>& e) {
  const S mu = viscosity(v.gas, at.t);
  return turbulent_flux(v.gas, mu, e, g, at.u, at.v, n);
}

// The eddy viscosity is zero at no-slip walls.
template <class S, class E = NoEddies>
WEIR_HD inline ViscousFlux<S> viscous(const SpatialView& v, const Inside<S>& i, int f, const E& eddies = {}) {
  const BoundaryFaces& b = v.boundary;
  const BoundaryType t = type(b, f);
  if (t == BoundaryType::slip_wall) return symmetry_stress(v, i, f, eddies);
  const Given known = given(t);
  ViscousGradient<S> g{i.gx[1], i.gy[1], i.gx[2], i.gy[2], i.gx[3], i.gy[3]};
  Primitive<S> at = i.face;
  const S n[2] = {S(b.nx[f]), S(b.ny[f])}, d[2] = {S(b.lx[f]), S(b.ly[f])}, inverse(b.inverse[f]);
  if (known.velocity) {
    at = state(v, i.centre, f);
    compact_gradient(g.ux, g.uy, at.u - i.centre.u, d, n, inverse, g.ux, g.uy);
    compact_gradient(g.vx, g.vy, at.v - i.centre.v, d, n, inverse, g.vx, g.vy);
  }
  if (known.t) compact_gradient(g.tx, g.ty, at.t - i.centre.t, d, n, inverse, g.tx, g.ty);
  if (t == BoundaryType::adiabatic_wall || t == BoundaryType::heat_flux_wall) g.tx = g.ty = S(0.0);
  ViscousFlux<S> s = whole_stress(v, at, g, n, eddies);
  if (t == BoundaryType::heat_flux_wall) s.energy = s.energy + b.outside[4 * f];
  return s;
}

// area (F - F_viscous) . n
template <class S, class Scheme, class E = NoEddies>
WEIR_HD inline void flux(const SpatialView& v, const Scheme& scheme, const Inside<S>& i, int f, S out[4],
                         const E& eddies = {}) {
  const BoundaryFaces& b = v.boundary;
  const double nx = b.nx[f], ny = b.ny[f], area = b.area[f];
  const Flux<S> F = inviscid(v, scheme, i.face, f);
  out[0] = F.mass;
  out[1] = F.normal * nx - F.tangent * ny;
  out[2] = F.normal * ny + F.tangent * nx;
  out[3] = F.energy;
  if (v.gas.viscosity > 0) {
    const ViscousFlux<S> s = viscous(v, i, f, eddies);
    out[1] = out[1] - s.x;
    out[2] = out[2] - s.y;
    out[3] = out[3] - s.energy;
  }
  for (int c = 0; c < 4; ++c) out[c] = out[c] * area;
}

// Interior state at a face, reconstructed with the limited gradient at second order.
WEIR_HD inline Inside<double> inside(const SpatialView& v, int f) {
  const int cell = 4 * v.boundary.cell[f];
  const double* w = v.w + cell;
  Inside<double> i{};
  i.centre = i.face = {w[0], w[1], w[2], w[3]};
  if (v.order == 1) return i;
  double step[4];
  for (int c = 0; c < 4; ++c) {
    i.gx[c] = v.wx[cell + c];
    i.gy[c] = v.wy[cell + c];
    step[c] = i.gx[c] * v.boundary.lx[f] + i.gy[c] * v.boundary.ly[f];
    if (v.limiter != Limiter::none) step[c] *= v.phi[cell + c];
  }
  keep_positive(w, step);
  i.face = {w[0] + step[0], w[1] + step[1], w[2] + step[2], w[3] + step[3]};
  return i;
}

// Stress on the wall: pressure, shear along the tangent from a to b, heat flux into the wall. With n out of the
// domain and the owner on the left of a -> b, the tangent is (-ny, nx), and the force on the wall is -(viscous stress
// of the fluid's surface).
struct Stress {
  double pressure, shear, heat, wall_unit;
};
WEIR_HD inline Stress stress(const SpatialView& v, int f) {
  const BoundaryFaces& b = v.boundary;
  const Inside<double> i = inside(v, f);
  Stress s{i.face.p, 0, 0, 0};
  if (v.gas.viscosity > 0 && is_no_slip(type(b, f))) {
    const ViscousFlux<double> t = viscous(v, i, f);
    s.shear = t.x * b.ny[f] - t.y * b.nx[f];
    const Primitive<double> wall = state(v, i.centre, f);
    s.heat = wall.u * t.x + wall.v * t.y - t.energy;  // without the work of a moving wall
    s.wall_unit = std::sqrt(std::fabs(s.shear) * v.gas.gamma_m2 * wall.p / wall.t) / viscosity(v.gas, wall.t);
  }
  return s;
}

template <class Scheme>
WEIR_HD inline void flux_of_face(const SpatialView& v, const Scheme& scheme, int f) {
  double out[4];
  flux(v, scheme, inside(v, f), f, out);
  for (int c = 0; c < 4; ++c) v.boundary_flux[4 * f + c] = out[c];
}

// d flux / dU at first order.
template <class Scheme>
WEIR_HD inline void jacobian_of_face(const SpatialView& v, const Scheme& scheme, int f) {
  using D = Dual<double, 4>;
  const double* w = v.w + 4 * v.boundary.cell[f];
  const double rho = v.gas.gamma_m2 * w[0] / w[3];
  const double energy = w[0] / (v.gas.gamma - 1) + 0.5 * rho * (w[1] * w[1] + w[2] * w[2]);
  Inside<D> i;
  i.centre = i.face = primitive(v.gas, D::variable(rho, 0), D::variable(rho * w[1], 1), D::variable(rho * w[2], 2),
                                D::variable(energy, 3));
  for (int c = 0; c < 4; ++c) i.gx[c] = i.gy[c] = D(0.0);
  D out[4];
  flux(v, scheme, i, f, out);
  for (int c = 0; c < 4; ++c)
    for (int k = 0; k < 4; ++k) v.boundary_block[16 * f + 4 * c + k] = out[c].d[k];
}

}  // namespace weir::boundary
