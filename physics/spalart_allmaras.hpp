// The Spalart-Allmaras turbulence model, negative variant: Allmaras, Johnson & Spalart, ICCFD7-1902 (2012); constants
// of Spalart & Allmaras, AIAA 92-0439 (1992). n is the working variable nu~, chi = n / nu:
//   mu_t = rho n f_v1,   f_v1 = chi^3 / (chi^3 + c_v1^3);   0 where n < 0                                          (1)
//   D(rho n)/Dt = rho (P - D) + 1/sigma div(rho (nu + n f_n) grad n)
//                 + c_b2/sigma rho |grad n|^2 - 1/sigma (nu + n f_n) grad rho . grad n                             (2)
//   n >= 0:  P = c_b1 (1 - f_t2) S n,   D = (c_w1 f_w - c_b1/kappa^2 f_t2) (n/d)^2,   f_n = 1                       (3)
//   n < 0:   P = c_b1 (1 - c_t3) W n,   D = -c_w1 (n/d)^2,   f_n = (c_n1 + chi^3) / (c_n1 - chi^3)                  (4)
// W is the magnitude of the vorticity, d the distance to the nearest wall, S > 0 the modified vorticity:
//   S = W + s,   s = n / (kappa d)^2 f_v2;   where s < -c_2 W:  S = W + W (c_2^2 W + c_3 s) / ((c_3 - 2 c_2) W - s) (5)
// At a wall n = 0. Negative n give no eddy viscosity; they diffuse and decay to 0.
#pragma once
#include "physics/scalar.hpp"

namespace weir::spalart_allmaras {

inline constexpr double sigma = 2.0 / 3.0, kappa = 0.41, cb1 = 0.1355, cb2 = 0.622, cw2 = 0.3, cw3 = 2, cv1 = 7.1,
                        ct3 = 1.2, ct4 = 0.5, c2 = 0.7, c3 = 0.9, cn1 = 16, largest_r = 10;
inline constexpr double cw1 = cb1 / (kappa * kappa) + (1 + cb2) / sigma;

template <class T>
WEIR_HD inline T cube(const T& x) {
  return x * x * x;
}

// (1); rho_n = rho n, mu = rho nu.
template <class T>
WEIR_HD inline T eddy_viscosity(const T& mu, const T& rho_n) {
  const T chi = larger_of(rho_n / mu, T(0.0)), chi3 = cube(chi);
  return chi * mu * chi3 / (chi3 + cv1 * cv1 * cv1);
}

// rho (nu + n f_n) / sigma.
template <class T>
WEIR_HD inline T diffusivity(const T& mu, const T& rho_n) {
  const T chi3 = cube(smaller_of(rho_n / mu, T(0.0)));
  return (1 / sigma) * (mu + rho_n * (cn1 + chi3) / (cn1 - chi3));
}

// (5)
template <class T>
WEIR_HD inline T modified_vorticity(const T& vorticity, const T& s) {
  if (s < -c2 * vorticity)
    return vorticity + vorticity * (c2 * c2 * vorticity + c3 * s) / ((c3 - 2 * c2) * vorticity - s);
  return vorticity + s;
}

// f_w of r = n / (S kappa^2 d^2); `scaled` is the denominator.
template <class T>
WEIR_HD inline T wall_function(const T& n, const T& scaled) {
  const double most = largest_r;  // a copy: device code must not take the address of a host constant
  const T r = n < most * scaled ? n / scaled : T(most);
  const T r3 = cube(r), g = r + cw2 * (r3 * r3 - r), g3 = cube(g);
  constexpr double cw36 = cw3 * cw3 * cw3 * cw3 * cw3 * cw3;
  return g * power((1 + cw36) / (g3 * g3 + cw36), 1.0 / 6.0);
}

// P - D, by (3) or (4).
template <class T>
WEIR_HD inline T production_less_destruction(const T& nu, const T& n, const T& vorticity, double distance) {
  const double near = 1 / (distance * distance), by_kappa = 1 / (kappa * kappa);
  if (n < 0.0) return cb1 * (1 - ct3) * vorticity * n + cw1 * near * n * n;
  const T chi = n / nu, chi3 = cube(chi), fv1 = chi3 / (chi3 + cv1 * cv1 * cv1), fv2 = 1.0 - chi / (1.0 + chi * fv1);
  const T S = modified_vorticity(vorticity, by_kappa * near * n * fv2), ft2 = ct3 * exponential(-ct4 * chi * chi);
  const T fw = wall_function(n, (kappa * kappa / near) * S);
  return cb1 * (1.0 - ft2) * S * n - near * n * n * (cw1 * fw - cb1 * by_kappa * ft2);
}

}  // namespace weir::spalart_allmaras
