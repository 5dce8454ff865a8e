// Menter's shear-stress transport model of 2003: Menter, Kuntz & Langtry, Turbulence, Heat and Mass Transfer 4 (2003)
// 625, with the authors' correction of the production of omega. NASA's Turbulence Modeling Resource names this form
// SST-2003m: the production is mu_t S^2, and 2/3 rho k is neglected against the pressure.
//   mu_t = rho k / max(omega, b),   b = S F_2 / a_1,   S^2 = 2 S_ij S_ij                                           (1)
//   D(rho k)/Dt     = P - beta* rho omega k + div((mu + sigma_k mu_t) grad k),
//                 P = min(mu_t S^2, 10 beta* rho omega k)                                                         (2)
//   D(rho omega)/Dt = gamma rho P / mu_t - beta rho omega^2 + div((mu + sigma_omega mu_t) grad omega)
//                 + (1 - F_1) 2 rho sigma_omega2 / omega grad k . grad omega                                      (3)
//   F_1 = tanh(arg_1^4),   arg_1 = min(max(sqrt(k) / (beta* omega d), 500 nu / (d^2 omega)),
//                 4 rho sigma_omega2 k / (max(2 rho sigma_omega2 / omega grad k . grad omega, 1e-10) d^2))         (4)
//   F_2 = tanh(arg_2^2),   arg_2 = max(2 sqrt(k) / (beta* omega d), 500 nu / (d^2 omega))                         (5)
// d is the distance to the nearest wall. The constants are F_1 c_1 + (1 - F_1) c_2. At a wall k = 0 and
//   omega = 60 nu / (beta_1 d_1^2),   d_1 of the first cell (Menter, AIAA J. 32 (1994) 1598)                      (6)
#pragma once
#include "physics/scalar.hpp"

namespace weir::sst {

inline constexpr double a1 = 0.31, beta_star = 0.09, sigma_k1 = 0.85, sigma_k2 = 1, sigma_w1 = 0.5, sigma_w2 = 0.856,
                        beta1 = 0.075, beta2 = 0.0828, gamma1 = 5.0 / 9.0, gamma2 = 0.44, limit = 10;
// Lower bounds of k and omega, in units of the free stream: the functions below divide by them.
inline constexpr double least_k = 1e-14, least_omega = 1e-8;

// strain2: S^2; cross: grad k . grad omega. k and omega must be positive.
template <class T>
struct Point {
  T rho, mu, k, omega, strain2, cross;
};

template <class T>
WEIR_HD inline T hyperbolic_tangent(const T& x) {
  const double most = 20;  // tanh is one there to rounding, and the exponential is finite
  return 1.0 - 2.0 / (exponential(T(2.0 * smaller_of(x, T(most)))) + 1.0);
}

// The two arguments that (4) and (5) share.
template <class T>
WEIR_HD inline T turbulent_length(const Point<T>& q, double d) {
  return square_root(q.k) / (beta_star * d * q.omega);
}
template <class T>
WEIR_HD inline T viscous_length(const Point<T>& q, double d) {
  return 500.0 * q.mu / (d * d * q.rho * q.omega);
}

template <class T>
WEIR_HD inline T cross_diffusion(const Point<T>& q) {
  return 2 * sigma_w2 * q.rho * q.cross / q.omega;
}

// F_1
template <class T>
WEIR_HD inline T blend(const Point<T>& q, double d) {
  const double least = 1e-10;
  const T inner = larger_of(turbulent_length(q, d), viscous_length(q, d));
  const T outer = 4 * sigma_w2 / (d * d) * q.rho * q.k / larger_of(cross_diffusion(q), T(least));
  const T most(10.0), arg = smaller_of(smaller_of(inner, outer), most);
  return hyperbolic_tangent(square(T(square(arg))));
}
// c_1 F_1 + c_2 (1 - F_1)
template <class T>
WEIR_HD inline T blended(const T& f1, double c1, double c2) {
  return f1 * (c1 - c2) + c2;
}

// b of (1). The added number keeps the derivative finite where the strain is zero.
template <class T>
WEIR_HD inline T bound(const Point<T>& q, double d) {
  const T arg = smaller_of(larger_of(T(2.0 * turbulent_length(q, d)), viscous_length(q, d)), T(10.0));
  return (1 / a1) * square_root(q.strain2 + 1e-30) * hyperbolic_tangent(square(arg));
}

template <class T>
WEIR_HD inline T eddy_viscosity(const T& rho, const T& k, const T& omega, const T& b) {
  return rho * k / larger_of(omega, b);
}

// Right-hand sides of (2) and (3) without the diffusion.
template <class T>
struct Sources {
  T k, omega;
};
template <class T>
WEIR_HD inline Sources<T> sources(const Point<T>& q, double d) {
  const T f1 = blend(q, d), rate = larger_of(q.omega, bound(q, d));
  const T made = smaller_of(q.strain2, T(limit * beta_star * q.omega * rate));  // P / mu_t
  const T gamma = blended(f1, gamma1, gamma2), beta = blended(f1, beta1, beta2);
  return {q.rho * q.k * (made / rate - beta_star * q.omega),
          q.rho * (gamma * made - beta * q.omega * q.omega) + (1.0 - f1) * cross_diffusion(q)};
}

// (6)
template <class T>
WEIR_HD inline T omega_at_wall(const T& nu, double d1) {
  return 60 / (beta1 * d1 * d1) * nu;
}

}  // namespace weir::sst
