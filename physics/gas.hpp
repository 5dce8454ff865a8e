// The ideal gas and the frame of a face.
//
// Reference state: rho = 1, |velocity| = 1, p = 1 / (gamma M^2), T = gamma M^2 p / rho = 1; viscosity mu(T) / Re.
// Then a^2 = gamma p / rho = T / M^2, and the heat flux is -mu / (Re Pr (gamma - 1) M^2) grad T.
//
// Cells store W = (p, u, v, T): viscous terms need T; rho = gamma M^2 p / T, a^2 and the enthalpy follow with one
// division.
#pragma once
#include "physics/scalar.hpp"

namespace weir {

struct Gas {
  double gamma = 1.4;
  double gamma_m2 = 0.35;   // gamma M^2: T = gamma_m2 p / rho
  double viscosity = 0;     // 1 / Re; 0: inviscid
  double sutherland = 0.4;  // S / T_infinity; negative: constant viscosity
  double conduction = 0;    // 1 / (Pr (gamma - 1) M^2): heat flux over mu grad T
};

template <class T>
struct Primitive {
  T p, u, v, t;
};

// State on one side of a face: velocity along n = (nx, ny) and (-ny, nx), a2 = gamma p / rho, h = total enthalpy.
template <class T>
struct Side {
  T rho, un, ut, p, a2, h;
};

// Mass, normal momentum, tangential momentum and energy flux per unit area along the normal.
template <class T>
struct Flux {
  T mass, normal, tangent, energy;
};

template <class T>
WEIR_HD inline Side<T> make_side(double gamma, const T& rho, const T& un, const T& ut, const T& p) {
  const T a2 = gamma * p / rho;
  return {rho, un, ut, p, a2, (1 / (gamma - 1)) * a2 + 0.5 * (un * un + ut * ut)};
}
template <class T, class N>
WEIR_HD inline Side<T> make_side(const Gas& gas, const Primitive<T>& w, const N& nx, const N& ny) {
  const T un = w.u * nx + w.v * ny, ut = w.v * nx - w.u * ny, a2 = w.t * (gas.gamma / gas.gamma_m2);
  return {gas.gamma_m2 * w.p / w.t, un, ut, w.p, a2, (1 / (gas.gamma - 1)) * a2 + 0.5 * (un * un + ut * ut)};
}

// W from (rho, rho u, rho v, rho E).
template <class T>
WEIR_HD inline Primitive<T> primitive(const Gas& gas, const T& rho, const T& mx, const T& my, const T& energy) {
  const T inverse = 1.0 / rho, u = mx * inverse, v = my * inverse;
  const T p = (gas.gamma - 1) * (energy - 0.5 * (mx * u + my * v));
  return {p, u, v, gas.gamma_m2 * p * inverse};
}

// Flux of one state, F(U) . n.
template <class T>
WEIR_HD inline Flux<T> exact_flux(const Side<T>& s) {
  const T m = s.rho * s.un;
  return {m, m * s.un + s.p, m * s.ut, m * s.h};
}

// Sutherland's law, mu(1) = 1 / Re.
template <class T>
WEIR_HD inline T viscosity(const Gas& gas, const T& t) {
  if (gas.sutherland < 0) return T(gas.viscosity);
  return (gas.viscosity * (1 + gas.sutherland)) * t * square_root(t) / (t + gas.sutherland);
}
// (d mu / dT) / mu.
template <class T>
WEIR_HD inline T viscosity_slope(const Gas& gas, const T& t) {
  if (gas.sutherland < 0) return T(0.0);
  return 1.5 / t - 1.0 / (t + gas.sutherland);
}

}  // namespace weir
