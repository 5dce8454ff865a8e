// The k-omega model (physics/k_omega.hpp) in the coupled scheme: k and omega are unknowns of a cell like p and u, so
// that blocks have n = 6 (5 in 2D) and one linear solve updates all of them. Advection and diffusion are fluxes
// (face.hpp); the terms of the cells are
//   nu_t       from the last iterate, frozen within a sub-iteration
//   sources    V (production - destruction) into b = -R; destruction into the diagonal blocks, production not, so that
//              the diagonal only gains
//   walls      cells of the viscous sublayer have no equation for omega: omega = 6 nu / (beta y^2), y of their centre
// The transposed part of the stress, nu_t (grad u)^T, is neglected: it vanishes in the parallel flows of this model.
#pragma once
#include "miniapps/artificial_compressibility/face.hpp"

namespace weir {

struct SideWalls {
  bool wall[6] = {};  // x_min, x_max, y_min, ...
};

namespace k_omega {

// nu_t of every padded cell; ghosts must be set. eddy: of cell (0, 0, 0).
template <class Space>
void update_eddy_viscosity(const CoupledView& v, double* eddy);

// Adds the sources and the equations of omega in the sublayer; call it after residual().
template <class Space>
void add_sources(const CoupledView& v, const SideWalls& walls, View<double> b);

// The same for the matrix; call it after assemble_jacobian().
template <class Space>
void add_source_jacobian(const CoupledView& v, const SideWalls& walls, const BlockStencilView& A);

// Multiplies row omega of b and of A by rate / omega of the cell, so that it has the size of the other rows: near walls
// omega is larger by orders of magnitude and would dominate a norm of b.
template <class Space>
void balance_rows(const CoupledView& v, double rate, View<double> b);
template <class Space>
void balance_rows(const CoupledView& v, double rate, const BlockStencilView& A);

// Limits an update to nine tenths of k and omega, so that both stay positive.
template <class Space>
void limit_update(const CoupledView& v, double factor, View<double> dx);

}  // namespace k_omega
}  // namespace weir
