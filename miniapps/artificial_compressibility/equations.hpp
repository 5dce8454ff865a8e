// The equations of one pseudo-time step, integrated over the cells (Chorin, J. Comput. Phys. 2 (1967) 12; INCOMP3D of
// Luo et al. 2015):
//   R_0 = U sum F                                                                                                  (1)
//   R_e = V (s0 e^{n+1} + s1 e^n + s2 e^{n-1}) + sum through_e - V f_e      e = u, v, w, k, omega                  (2)
// with the faces of face.hpp, du/dt by BDF2 (steady: without it). Pseudo-time moves the unknowns until R = 0:
//   [ T + J ] dx = -R,   J: exact derivative of the compact part of R,
//   T = V rate / CFL (1/U for p, 1 for the others),   rate = sum_d (|u_d| + sqrt(u_d^2 + U^2)) / h_d + 4 nu / h_d^2 (3)
// One cell is one row of a BlockStencil. No value is written by two cells, so neither atomics nor colours are needed.
#pragma once
#include <cmath>

#include "miniapps/artificial_compressibility/boundary.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

// du/dt of (2). The arrays are padded like x and start at cell (0, 0, 0).
struct TimeDerivative {
  double s0 = 0, s1 = 0, s2 = 0;  // all 0: steady
  const double *x1 = nullptr, *x2 = nullptr;
};

// BDF2 with r = dt / dt_before. dt_before = 0: the first step, by BDF1; a single first-order step does not reduce the
// order of the scheme.
TimeDerivative time_derivative(double dt, double dt_before);

struct CellForce {
  double value[3] = {};
};

// b = -R, a vector of the linear solver. The ghosts of x must be set.
template <class Space>
void residual(const CoupledView& v, const TimeDerivative& time, const CellForce& force, View<double> b);

// Writes T + J, including the boundary conditions, into all blocks of A. Host: one row of cells at a time, vectorised
// over the columns of a block. Device: one thread per entry of a block, so that warps write whole lines.
template <class Space>
void assemble_jacobian(const CoupledView& v, const TimeDerivative& time, const SideRules& rules, double inverse_cfl,
                       const BlockStencilView& A);

// Root mean square over the whole grid of R / V of each equation (of continuity: of sum F / V, the divergence).
template <class Space>
void residual_norms(const CoupledView& v, const Communicator& ranks, View<const double> b,
                    double (&norms)[max_coupled_unknowns]);

// x += factor dx in all cells.
template <class Space>
void add_update(const CoupledView& v, double factor, View<const double> dx);

namespace detail {

// T of a cell by (3).
template <int Dim, int N>
WEIR_HD inline double pseudo_rate(const CoupledView& v, const double* x, const int (&at)[3]) {
  double rate = 0;
  for (int d = 0; d < Dim; ++d) {
    const double u = x[1 + d], inv_h = v.line[d].inv_h[at[d]];
    rate += inv_h * ((u < 0 ? -u : u) + std::sqrt(u * u + v.speed * v.speed) + 4 * v.viscosity * inv_h);
  }
  return rate;
}

void assemble_rows_host(const CoupledView& v, double s0, double inverse_cfl, const BlockStencilView& A);

}  // namespace detail

}  // namespace weir
