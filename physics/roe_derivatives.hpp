// Hand-coded derivatives of the Roe flux, a quarter of the arithmetic of forward differentiation, because the
// dissipation
//   D = D(u, v, h; [rho], [p], rho [u], rho [v])      u = u_n, v = u_t and h of the Roe average, [x] = x_R - x_L (1)
// is linear in the jumps and the rest is a sparse chain: the average by the sides, a^2 = (gamma - 1)(h - q^2/2).
// Names as in Roe::operator(): sum and difference of the acoustic speeds, even and odd parts of the acoustic waves.
#pragma once
#include "physics/flux.hpp"

namespace weir {
namespace roe {

// Derivatives of a component of D with respect to each argument of (1).
template <class T>
struct Slopes {
  T u, v, h, jump_rho, jump_p, jump_un, jump_ut;
};

// |x| with Harten's fix: derivatives with respect to x and d.
template <class T>
struct FixedSlope {
  T x, d;
};
template <class T>
WEIR_HD inline FixedSlope<T> fixed_slope(const Roe& roe, const T& x, const T& d) {
  const T sign = select(x < 0.0, T(-1.0), T(1.0));
  if (!(roe.fix > 0)) return {sign, T(0.0)};
  const T part = x / d;
  const auto inner = absolute(x) < d;
  return {select(inner, part, sign), select(inner, 0.5 - 0.5 * part * part, T(0.0))};
}

template <class T>
struct Average {
  T wl, wr, rho, un, ut, h;
};
template <class T>
WEIR_HD inline Average<T> average(const Side<T>& l, const Side<T>& r) {
  const T root_l = square_root(l.rho), root_r = square_root(r.rho), wr = root_r / (root_l + root_r);
  return {1.0 - wr, wr, root_l * root_r, l.un + wr * (r.un - l.un), l.ut + wr * (r.ut - l.ut), l.h + wr * (r.h - l.h)};
}

// Half the sum and half the difference of the acoustic wave speeds, with derivatives with respect to u and a.
template <class T>
struct Speeds {
  T sum, difference, sum_u, sum_a, difference_u, difference_a;
};
template <class T>
WEIR_HD inline Speeds<T> speeds(const Roe& roe, const T& u, const T& a, const T& sign) {
  const T d = roe.fix * (absolute(u) + a), d_u = roe.fix * sign;
  const T slow = roe.fixed(u - a, d), fast = roe.fixed(u + a, d);
  const FixedSlope<T> s = fixed_slope(roe, u - a, d), f = fixed_slope(roe, u + a, d);
  const T slow_u = s.x + s.d * d_u, slow_a = roe.fix * s.d - s.x, fast_u = f.x + f.d * d_u,
          fast_a = roe.fix * f.d + f.x;
  return {0.5 * (fast + slow),     0.5 * (fast - slow),     0.5 * (fast_u + slow_u),
          0.5 * (fast_a + slow_a), 0.5 * (fast_u - slow_u), 0.5 * (fast_a - slow_a)};
}

// The four components of D with respect to the arguments of (1).
template <class T>
WEIR_HD inline void dissipation_slopes(const Roe& roe, const Average<T>& m, const Side<T>& l, const Side<T>& r,
                                       Slopes<T> D[4]) {
  const T u = m.un, v = m.ut, q2 = 0.5 * (u * u + v * v), gap = m.h - q2, g(roe.gamma - 1);
  const T a = square_root(g * gap), inverse = 1.0 / a, inverse2 = inverse * inverse;
  const T sign = select(u < 0.0, T(-1.0), T(1.0)), middle = absolute(u);
  const Speeds<T> c = speeds(roe, u, a, sign);
  const T A = (r.p - l.p) * inverse2, B = m.rho * (r.un - l.un) * inverse, C = r.rho - l.rho - A;
  const T A_a = -2.0 * A * inverse, B_a = -B * inverse, jump_ut = m.rho * (r.ut - l.ut);
  const T even = c.sum * A + c.difference * B, odd = c.difference * A + c.sum * B;
  const T mass = even + middle * C, shear = middle * jump_ut;

  const T even_u = c.sum_u * A + c.difference_u * B, odd_u = c.difference_u * A + c.sum_u * B;
  const T even_a = c.sum_a * A + c.difference_a * B + c.sum * A_a + c.difference * B_a;
  const T odd_a = c.difference_a * A + c.sum_a * B + c.difference * A_a + c.sum * B_a;
  const T even_p = c.sum * inverse2, odd_p = c.difference * inverse2;
  const T even_j = c.difference * inverse, odd_j = c.sum * inverse;
  const T mass_u = even_u + sign * C, mass_a = even_a - middle * A_a, mass_p = even_p - middle * inverse2;
  const T shear_u = sign * jump_ut, zero(0.0), ua = u * a;

  D[0] = {mass_u, zero, zero, middle, mass_p, even_j, zero};
  D[1] = {mass + u * mass_u + a * odd_u, zero, zero, u * middle, u * mass_p + a * odd_p, u * even_j + a * odd_j, zero};
  D[2] = {v * mass_u + shear_u, mass, zero, v * middle, v * mass_p, v * even_j, middle};
  D[3] = {mass_u * q2 + (mass - even) * u + even_u * gap + a * odd + ua * odd_u + v * shear_u,
          (mass - even) * v + shear,
          even,
          middle * q2,
          mass_p * q2 + even_p * gap + ua * odd_p,
          even_j * q2 + even_j * gap + ua * odd_j,
          v * middle};
  const T by_a[4] = {mass_a, u * mass_a + odd + a * odd_a, v * mass_a,
                     mass_a * q2 + even_a * gap + u * odd + ua * odd_a};
  const T half = 0.5 * g * inverse;
  for (int i = 0; i < 4; ++i) {
    const T a_h = by_a[i] * half;
    D[i].u = D[i].u - a_h * u;
    D[i].v = D[i].v - a_h * v;
    D[i].h = D[i].h + a_h;
  }
}

// dF/d(rho, u_n, u_t, p) of the exact flux.
template <class T>
WEIR_HD inline void exact_derivatives(double gamma, const Side<T>& s, T F[4][4]) {
  const T m = s.rho * s.un, zero(0.0);
  const T rows[4][4] = {
      {s.un, s.rho, zero, zero},
      {s.un * s.un, 2.0 * m, zero, T(1.0)},
      {s.un * s.ut, s.rho * s.ut, m, zero},
      {0.5 * s.un * (s.un * s.un + s.ut * s.ut), s.rho * s.h + m * s.un, m * s.ut, (gamma / (gamma - 1)) * s.un}};
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 4; ++k) F[i][k] = rows[i][k];
}

// d (F(s) - D) / 2 by (rho, u_n, u_t, p) of side s. `share`: weight in the average; `sign`: of its jumps.
template <class T>
WEIR_HD inline void side_derivatives(double gamma, const Side<T>& s, const Average<T>& m, const T& share, double sign,
                                     const T& jump_un, const T& jump_ut, const Slopes<T> D[4], T out[4][4]) {
  const T inverse = 1.0 / s.rho, half = 0.5 * inverse, weight = share * half;
  const T u = weight * (s.un - m.un), v = weight * (s.ut - m.ut);
  const T h = weight * (s.h - m.h) - share * s.a2 * inverse * (1 / (gamma - 1));
  const T h_p = share * inverse * (gamma / (gamma - 1)), ju = jump_un * m.rho * half, jv = jump_ut * m.rho * half;
  const T rho = sign * m.rho;
  exact_derivatives(gamma, s, out);
  for (int i = 0; i < 4; ++i) {
    const Slopes<T>& d = D[i];
    const T by_rho = u * d.u + v * d.v + h * d.h + sign * d.jump_rho + ju * d.jump_un + jv * d.jump_ut;
    const T by_un = share * (d.u + s.un * d.h) + rho * d.jump_un;
    const T by_ut = share * (d.v + s.ut * d.h) + rho * d.jump_ut;
    const T by_p = h_p * d.h + sign * d.jump_p;
    out[i][0] = 0.5 * (out[i][0] - by_rho);
    out[i][1] = 0.5 * (out[i][1] - by_un);
    out[i][2] = 0.5 * (out[i][2] - by_ut);
    out[i][3] = 0.5 * (out[i][3] - by_p);
  }
}

}  // namespace roe

template <class T>
WEIR_HD inline void flux_derivatives(const Roe& scheme, const Side<T>& l, const Side<T>& r, T left[4][4],
                                     T right[4][4]) {
  const roe::Average<T> m = roe::average(l, r);
  roe::Slopes<T> D[4];
  roe::dissipation_slopes(scheme, m, l, r, D);
  const T jump_un = r.un - l.un, jump_ut = r.ut - l.ut;
  roe::side_derivatives(scheme.gamma, l, m, m.wl, -1, jump_un, jump_ut, D, left);
  roe::side_derivatives(scheme.gamma, r, m, m.wr, 1, jump_un, jump_ut, D, right);
}

}  // namespace weir
