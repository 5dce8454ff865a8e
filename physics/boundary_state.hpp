// Boundary states from the interior state w and the boundary data, along the unit normal out of the domain.
#pragma once
#include "physics/gas.hpp"

namespace weir {

// State with the entropy and tangential velocity of one side, for given normal velocity and speed of sound.
template <class T>
WEIR_HD inline Primitive<T> carried_state(const Gas& gas, const Primitive<T>& from, const T& change, const T& t,
                                          double nx, double ny) {
  return {from.p * power(t / from.t, gas.gamma / (gas.gamma - 1)), from.u + change * nx, from.v + change * ny, t};
}

// Characteristic far field: outgoing Riemann invariant from inside, incoming one from outside, entropy and tangential
// velocity from upstream (Hirsch 1990, section 19.1.2). Supersonic streams take all variables from upstream. Where
// the stream is tangential the two sides are blended over a twentieth of the outside's speed, so that the residual
// has no jump.
template <class T>
WEIR_HD inline Primitive<T> farfield_state(const Gas& gas, const Primitive<T>& w, const Primitive<T>& outside,
                                           double nx, double ny) {
  const double to_sound = gas.gamma / gas.gamma_m2, twice = 2 / (gas.gamma - 1);
  const T un = w.u * nx + w.v * ny, a = square_root(to_sound * w.t);
  const T un_outside = outside.u * nx + outside.v * ny, a_outside = square_root(to_sound * outside.t);
  if (!(un < a)) return w;
  if (un < -a) return outside;
  const T leaving = un + twice * a, entering = un_outside - twice * a_outside;
  const T normal = 0.5 * (leaving + entering), sound = (0.5 / twice) * (leaving - entering);
  const T t = sound * sound * (1 / to_sound);
  const T speed2 = outside.u * outside.u + outside.v * outside.v + 1e-4 * a_outside * a_outside;
  const T share = 20.0 * normal / square_root(speed2);
  if (!(share < 1.0)) return carried_state(gas, w, T(normal - un), t, nx, ny);
  if (!(-share < 1.0)) return carried_state(gas, outside, T(normal - un_outside), t, nx, ny);
  const Primitive<T> l = carried_state(gas, w, T(normal - un), t, nx, ny);
  const Primitive<T> r = carried_state(gas, outside, T(normal - un_outside), t, nx, ny);
  const T of_w = share * (0.75 - 0.25 * share * share) + 0.5;
  return {r.p + of_w * (l.p - r.p), r.u + of_w * (l.u - r.u), r.v + of_w * (l.v - r.v), t};
}

// Subsonic outlet with prescribed static pressure: outgoing Riemann invariant u_n + 2 a / (gamma - 1), entropy and
// tangential velocity from inside (Hirsch 1990, section 19.1.2). Supersonic outflow is not changed; reverse flow has
// the entropy of the interior.
template <class T>
WEIR_HD inline Primitive<T> pressure_outlet_state(const Gas& gas, const Primitive<T>& w, const T& pressure, double nx,
                                                  double ny) {
  const double to_sound = gas.gamma / gas.gamma_m2, twice = 2 / (gas.gamma - 1);
  const T un = w.u * nx + w.v * ny, a = square_root(to_sound * w.t);
  if (!(un < a)) return w;
  const T sound = a * power(pressure / w.p, (gas.gamma - 1) / (2 * gas.gamma)), change = twice * (a - sound);
  return {pressure, w.u + change * nx, w.v + change * ny, sound * sound * (1 / to_sound)};
}

// Subsonic inlet with prescribed total pressure and temperature (total.p, total.t) and unit direction of the velocity
// (total.u, total.v): the outgoing Riemann invariant from inside and a^2 = a_t^2 - (gamma - 1) / 2 q^2 give a quadratic
// equation for the speed q (Carlson, NASA/TM-2011-217181). Reverse flow: an outlet with the total pressure as pressure.
template <class T>
WEIR_HD inline Primitive<T> total_pressure_state(const Gas& gas, const Primitive<T>& w, const Primitive<T>& total,
                                                 double nx, double ny) {
  const double to_sound = gas.gamma / gas.gamma_m2, half = 0.5 * (gas.gamma - 1);
  const T cosine = -(total.u * nx + total.v * ny), at2 = to_sound * total.t;
  const T leaving = half * (w.u * nx + w.v * ny) + square_root(to_sound * w.t);
  const T grown = half * cosine * cosine + 1.0;
  const T root2 = (grown * at2 - leaving * leaving) * (1 / half);
  const T q = (square_root(larger_of(root2, T(1e-12 * at2))) - leaving * cosine) / grown;
  if (q < 0.0) return pressure_outlet_state(gas, w, total.p, nx, ny);
  const T t = total.t - (half / to_sound) * q * q;
  return {total.p * power(t / total.t, gas.gamma / (gas.gamma - 1)), q * total.u, q * total.v, t};
}

// Subsonic outlet with prescribed mass flux rho u_n > 0: Riemann invariant, entropy and tangential velocity as for a
// pressure outlet. Newton's method for the speed of sound starts at u_n = 0, from where it converges monotonically. A
// mass flux above the largest one of this invariant is replaced by it.
template <class T>
WEIR_HD inline Primitive<T> mass_flow_outlet_state(const Gas& gas, const Primitive<T>& w, const T& flux, double nx,
                                                   double ny) {
  const double to_sound = gas.gamma / gas.gamma_m2, twice = 2 / (gas.gamma - 1);
  const T un = w.u * nx + w.v * ny, a = square_root(to_sound * w.t), inside = gas.gamma_m2 * w.p / w.t;
  if (!(un < a)) return w;
  const T leaving = larger_of(un + twice * a, T(1e-3 * a)), least = (1.001 / (1 + twice)) * leaving;
  T sound = (1 / twice) * leaving;
  for (int k = 0; k < 10; ++k) {
    const T speed = leaving - twice * sound, rho = inside * power(sound / a, twice);
    sound = larger_of(sound - (rho * speed - flux) / (twice * rho * (speed / sound - 1.0)), least);
  }
  const T change = twice * (a - sound);
  return {w.p * power(sound / a, gas.gamma * twice), w.u + change * nx, w.v + change * ny,
          sound * sound * (1 / to_sound)};
}

// Slip: the tangential velocity only.
template <class T>
WEIR_HD inline Primitive<T> slip_state(const Primitive<T>& w, double nx, double ny) {
  const T un = w.u * nx + w.v * ny;
  return {w.p, w.u - un * nx, w.v - un * ny, w.t};
}

}  // namespace weir
