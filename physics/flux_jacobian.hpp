// Exact Jacobians of the numerical fluxes: first with respect to (rho, u_n, u_t, p) of either side, where they are
// sparse, then by a change to conserved variables. A row is a component of the flux.
#pragma once
#include "physics/dual.hpp"
#include "physics/flux.hpp"
#include "physics/roe_derivatives.hpp"

namespace weir {

// left, right = dF / d(rho, u_n, u_t, p) of each side by forward differentiation (Roe: roe_derivatives.hpp).
template <class Scheme, class T>
WEIR_HD inline void flux_derivatives(const Scheme& scheme, const Side<T>& l, const Side<T>& r, T left[4][4],
                                     T right[4][4]) {
  using D = Dual<T, 4>;
  const auto varied = [&](const Side<T>& s, bool vary) {
    const auto x = [&](const T& value, int k) { return vary ? D::variable(value, k) : D(value); };
    return make_side(scheme.gamma, x(s.rho, 0), x(s.un, 1), x(s.ut, 2), x(s.p, 3));
  };
  for (int side = 0; side < 2; ++side) {
    const Flux<D> f = scheme(varied(l, side == 0), varied(r, side == 1));
    auto& a = side == 0 ? left : right;
    for (int k = 0; k < 4; ++k) {
      a[0][k] = f.mass.d[k];
      a[1][k] = f.normal.d[k];
      a[2][k] = f.tangent.d[k];
      a[3][k] = f.energy.d[k];
    }
  }
}

// Subtracts the Jacobian of the thin-layer viscous flux, in the frame of the face with m = mu / (n . d):
//   (0, 4/3 m [u_n], m [u_t], mean(u_n) 4/3 m [u_n] + mean(u_t) m [u_t] + conduction m [T])                     (1)
template <class T>
WEIR_HD inline void subtract_thin_layer_derivatives(const Gas& gas, const Side<T>& l, const Side<T>& r, const T& tl,
                                                    const T& tr, const T& inverse, T left[4][4], T right[4][4]) {
  const T mean = 0.5 * (tl + tr), m = viscosity(gas, mean) * inverse, half_slope = 0.5 * viscosity_slope(gas, mean);
  const T un = 0.5 * (l.un + r.un), ut = 0.5 * (l.ut + r.ut), m43 = (4.0 / 3) * m, km = gas.conduction * m;
  const T normal = m43 * (r.un - l.un), tangent = m * (r.ut - l.ut);
  const T energy = un * normal + ut * tangent + km * (tr - tl);
  const auto subtract = [&](const Side<T>& s, const T& t, double sign, T a[4][4]) {
    // derivatives of T
    const T inverse_rho = 1.0 / s.rho, by_p = gas.gamma_m2 * inverse_rho, by_rho = -t * inverse_rho;
    const T nt = normal * half_slope, tt = tangent * half_slope, et = energy * half_slope + sign * km;
    a[1][0] = a[1][0] - nt * by_rho;
    a[1][1] = a[1][1] - sign * m43;
    a[1][3] = a[1][3] - nt * by_p;
    a[2][0] = a[2][0] - tt * by_rho;
    a[2][2] = a[2][2] - sign * m;
    a[2][3] = a[2][3] - tt * by_p;
    a[3][0] = a[3][0] - et * by_rho;
    a[3][1] = a[3][1] - (0.5 * normal + sign * un * m43);
    a[3][2] = a[3][2] - (0.5 * tangent + sign * ut * m);
    a[3][3] = a[3][3] - et * by_p;
  };
  subtract(l, tl, -1, left);
  subtract(r, tr, 1, right);
}

// a = scale * d(F in x and y) / d(rho, rho u, rho v, rho E) of side s.
template <class T>
WEIR_HD inline void to_conserved(double gamma, const Side<T>& s, const T& nx, const T& ny, const T& scale, T a[4][4]) {
  const double g = gamma - 1;
  const T inverse = 1.0 / s.rho, energy = (0.5 * g) * (s.un * s.un + s.ut * s.ut);
  for (int i = 0; i < 4; ++i) {
    const T by_un = scale * a[i][1] * inverse, by_ut = scale * a[i][2] * inverse, by_p = scale * a[i][3];
    const T mn = by_un - g * s.un * by_p, mt = by_ut - g * s.ut * by_p;
    a[i][0] = scale * a[i][0] - s.un * by_un - s.ut * by_ut + energy * by_p;
    a[i][1] = mn * nx - mt * ny;
    a[i][2] = mn * ny + mt * nx;
    a[i][3] = g * by_p;
  }
  for (int k = 0; k < 4; ++k) {
    const T n = a[1][k], t = a[2][k];
    a[1][k] = n * nx - t * ny;
    a[2][k] = n * ny + t * nx;
  }
}

}  // namespace weir
