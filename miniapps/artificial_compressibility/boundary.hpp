// Boundary conditions of the coupled scheme: a ghost cell is a linear function of the cells inside,
//   x_ghost = own x_0 + next x_1 + given        (each unknown by itself; x_0 next to the side, x_1 next)   (1)
// so that one formula serves every face and the ghost's block of the Jacobian folds into the row of x_0.
//
//   wall, inlet   velocity 2 b - u_0 (b on the side), pressure extrapolated linearly
//   slip          normal velocity -u_0, others u_0, pressure extrapolated linearly
//   outlet        velocity u_0, pressure -p_0: zero on the side
//   periodic      images of both layers
// A turbulence model's unknowns have rules of their own in SideRule: own, next, given from dim + 1 on.
#pragma once
#include "miniapps/artificial_compressibility/face.hpp"
#include "miniapps/structured/case.hpp"
#include "solvers/matrix/block/block_stencil.hpp"

namespace weir {

struct SideRule {
  bool periodic = false;
  double own[max_coupled_unknowns] = {}, next[max_coupled_unknowns] = {}, given[max_coupled_unknowns] = {};
  bool shaped[2] = {};  // given times a parabola along the side's first and second direction
};

struct SideRules {
  SideRule side[6];
};

CoupledCells coupled_cells(const IncompressibleCase& c, int unknowns);

// At time t.
SideRules side_rules(const IncompressibleCase& c, const CoupledCells& cells, double t);

// (1), on all sides that carry a boundary condition and across periods within the rank; ghosts that other ranks own
// come by an exchange.
template <class Space>
void fill_ghosts(const SideRules& rules, const CoupledView& v);

// The derivative of (1), on the same sides: what assemble_jacobian wrote into blocks that point out of the box goes
// into the row.
template <class Space>
void fold_ghosts(const SideRules& rules, const CoupledCells& cells, const BlockStencilView& A);

}  // namespace weir
