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

// Slip: the tangential velocity only.
template <class T>
WEIR_HD inline Primitive<T> slip_state(const Primitive<T>& w, double nx, double ny) {
  const T un = w.u * nx + w.v * ny;
  return {w.p, w.u - un * nx, w.v - un * ny, w.t};
}

}  // namespace weir
