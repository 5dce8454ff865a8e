// States at a boundary: what the inside state w and the data of the boundary make together, along the unit normal that
// points out of the domain.
#pragma once
#include "physics/gas.hpp"

namespace weir {

// Characteristic far field: the outgoing Riemann invariant from inside, the incoming one from outside; entropy and
// tangential velocity from where the stream comes (Hirsch 1990, section 19.1.2). Supersonic streams take all from there.
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
  const bool out = !(normal < 0.0);
  const Primitive<T> from = out ? w : outside;
  const T change = normal - (out ? un : un_outside), t = sound * sound * (1 / to_sound);
  return {from.p * power(t / from.t, gas.gamma / (gas.gamma - 1)), from.u + change * nx, from.v + change * ny, t};
}

// Subsonic outlet of given static pressure: from inside the outgoing Riemann invariant u_n + 2 a / (gamma - 1), entropy
// and tangential velocity (Hirsch 1990, section 19.1.2). What leaves faster than sound is not changed, what comes back has
// the inside's entropy.
template <class T>
WEIR_HD inline Primitive<T> pressure_outlet_state(const Gas& gas, const Primitive<T>& w, const T& pressure, double nx,
                                                  double ny) {
  const double to_sound = gas.gamma / gas.gamma_m2, twice = 2 / (gas.gamma - 1);
  const T un = w.u * nx + w.v * ny, a = square_root(to_sound * w.t);
  if (!(un < a)) return w;
  const T sound = a * power(pressure / w.p, (gas.gamma - 1) / (2 * gas.gamma)), change = twice * (a - sound);
  return {pressure, w.u + change * nx, w.v + change * ny, sound * sound * (1 / to_sound)};
}

// Slip: the velocity along the wall alone.
template <class T>
WEIR_HD inline Primitive<T> slip_state(const Primitive<T>& w, double nx, double ny) {
  const T un = w.u * nx + w.v * ny;
  return {w.p, w.u - un * nx, w.v - un * ny, w.t};
}

}  // namespace weir
