// Viscous fluxes of the Navier-Stokes equations through a face, and their thin-layer form.
//
// The gradient at a face is the mean of the two cells' gradients with the component along the line between them
// replaced by the compact difference, which couples the two cells and damps odd-even modes:
//   grad q = g + (q_R - q_L - g . d) n / (n . d),   d from the left centre to the right one                      (1)
// Exact for linear fields if g is. The thin-layer form has g = 0.
#pragma once
#include "physics/gas.hpp"

namespace weir {

template <class T>
struct ViscousGradient {
  T ux, uy, vx, vy, tx, ty;
};

// (1) for one variable; inverse = 1 / (n . d). N: scalar of the geometry; T: N or a dual number of it.
template <class T, class N>
WEIR_HD inline void compact_gradient(const T& gx, const T& gy, const T& jump, const N d[2], const N n[2],
                                     const N& inverse, T& x, T& y) {
  const T correction = (jump - gx * d[0] - gy * d[1]) * inverse;
  x = gx + correction * n[0];
  y = gy + correction * n[1];
}

// mu (grad u + grad u^T - 2/3 div u) . n as x and y momentum, and the energy flux u . stress + conduction; u, v and
// the temperature of mu are those of the face. (The mass flux is zero.)
template <class T>
struct ViscousFlux {
  T x, y, energy;
};
template <class T, class N>
WEIR_HD inline ViscousFlux<T> viscous_flux(const Gas& gas, const T& mu, const ViscousGradient<T>& g, const T& u,
                                           const T& v, const N n[2]) {
  const T third = (2.0 / 3.0) * (g.ux + g.vy), shear = g.uy + g.vx;
  const T x = mu * ((2.0 * g.ux - third) * n[0] + shear * n[1]);
  const T y = mu * (shear * n[0] + (2.0 * g.vy - third) * n[1]);
  return {x, y, u * x + v * y + gas.conduction * mu * (g.tx * n[0] + g.ty * n[1])};
}

}  // namespace weir
