// The 1D arrays of the grid for the coupled scheme. Everything that depends on one direction only is computed here
// once, so that a face costs a few products.
//
// The velocity that carries a face's flux (f between the cells f - 1 and f of its direction; L, R those two cells):
//   U_f = wl u_L + (1 - wl) u_R - c_f D_f(p),     D_f(p) = (p_R - p_L)/m - [ wl (dp/dx)_L + (1 - wl) (dp/dx)_R ]    (1)
// The first two terms are linear interpolation; D_f is the difference of the compact and the interpolated pressure
// gradient, of the size of h^2 p''' (Rhie & Chow, AIAA J. 21 (1983) 1525), which couples neighbouring pressures where
// central differences would leave every other one alone. Its factor is a fraction of the inverse of what stands in
// front of the velocity in the momentum equation, but made of the grid and constants only, so that U_f is linear in
// the unknowns:
//   c_f = epsilon s / (sigma^2 + s^2),   s = U / m + 4 nu / m^2                                                     (2)
// U: the artificial speed, sigma: the factor of u^{n+1} in du/dt. Steady it is epsilon / s; for small time steps it
// falls with dt^2, so that it costs no order in time, and c_f sigma stays below epsilon / 2, which is what the
// sub-iterations contract by.
// On a side that is not periodic the boundary condition is the flux: c_f = 0.
#pragma once
#include "mesh/structured/grid.hpp"
#include "miniapps/artificial_compressibility/cells.hpp"

namespace weir {

// Each rank has the arrays of the whole grid and reads them from its own first cell on.
struct CoupledLine {
  const double *h = nullptr, *inv_h = nullptr;  // of cell -1 .. n
  const double* centre = nullptr;               // of cell -1 .. n
  // Arrays over the faces f = 0 .. n, whose lower cell is f - 1:
  const double* wl = nullptr;       // weight of the lower cell in linear interpolation
  const double* inv_m = nullptr;    // 1 / distance of the two centres
  const double* compact = nullptr;  // c_f / m: factor of p_R - p_L in (1), without the interpolated part
  const double* e[4] = {};          // all of c_f D_f: factors of the pressures of the cells f - 2, f - 1, f, f + 1
};

struct PressureDissipation {
  double epsilon = 1;
  double sigma = 0;      // 1 / s
  double speed = 1;      // U of (2)
  double viscosity = 0;  // nu of (2)
  bool wide = true;      // false: only the compact part of D_f, which the Jacobian differentiates
  bool operator==(const PressureDissipation&) const = default;
};

template <class Space>
class CoupledLines {
 public:
  CoupledLines(const Grid& grid, const CoupledCells& cells);
  // Fills `compact` and `e` if the arguments have changed. Runs in the space, without copies.
  void set_dissipation(const PressureDissipation& with);
  const CoupledLine& operator[](int d) const { return line_[d]; }

 private:
  Array<double, Space> storage_[3];
  CoupledLine line_[3];
  int n_[3] = {};
  PressureDissipation with_;
};

}  // namespace weir
