// Boundary conditions of the coupled scheme: a ghost cell is a linear function of the cells inside,
//   x_ghost = own x_0 + next x_1 + given        (each unknown by itself; x_0 next to the side, x_1 next)   (1)
// so that one formula holds for every face, and the block of the ghost in the Jacobian is added to the row of x_0.
//
//   wall, inlet   velocity 2 b - u_0 (b on the side), pressure extrapolated linearly
//   slip          normal velocity -u_0, others u_0, pressure extrapolated linearly
//   outlet        velocity u_0, pressure -p_0: zero on the side
//   periodic      images of both layers
// The unknowns of a turbulence model have their own rules in SideRule (own, next, given from index dim + 1 on).
#pragma once
#include "miniapps/artificial_compressibility/face.hpp"
#include "miniapps/structured/case.hpp"
#include "solvers/matrix/block/block_stencil.hpp"

namespace weir {

struct SideRule {
  bool periodic = false;
  double own[max_coupled_unknowns] = {}, next[max_coupled_unknowns] = {}, given[max_coupled_unknowns] = {};
  bool shaped[2] = {};  // `given` times a parabola along the first or second direction of the side
};

struct SideRules {
  SideRule side[6];
};

CoupledCells coupled_cells(const IncompressibleCase& c, int unknowns);

// The rules at time t.
SideRules side_rules(const IncompressibleCase& c, const CoupledCells& cells, double t);

// Sets ghosts by (1) on all sides with a boundary condition and across periods within the rank; ghosts that belong to
// other ranks are set by an exchange.
template <class Space>
void fill_ghosts(const SideRules& rules, const CoupledView& v);

// The derivative of (1), on the same sides: adds the blocks that assemble_jacobian wrote for cells outside of the box
// to the row of the cell inside.
template <class Space>
void fold_ghosts(const SideRules& rules, const CoupledCells& cells, const BlockStencilView& A);

}  // namespace weir
