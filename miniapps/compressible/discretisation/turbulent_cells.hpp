// Cell kernels of turbulent flow (cell_kernels.hpp for five equations): sums over the faces.
#pragma once
#include "miniapps/compressible/discretisation/turbulent_sources.hpp"

namespace weir::turbulent {

// Net flux of cell i through inner faces minus its source; then boundary fluxes, for boundary cell n.
WEIR_HD inline void balance(const SpatialView& v, double* R, int i, double source) {
  const Cells& c = v.cells;
  double r[5] = {0, 0, 0, 0, -source};
  for (int e = c.start[i]; e < c.start[i + 1]; ++e) {
    const int link = c.link[e], f = link < 0 ? ~link : link;
    const double sign = link < 0 ? -1 : 1;
    for (int k = 0; k < 4; ++k) r[k] += sign * v.flux[std::int64_t{4} * f + k];
    r[4] += sign * v.turbulence.flux[f];
  }
  for (int k = 0; k < 5; ++k) R[std::int64_t{5} * i + k] = r[k];
}
WEIR_HD inline void add_boundary(const SpatialView& v, double* R, int n) {
  const Cells& c = v.cells;
  double* r = R + std::int64_t{5} * c.boundary_cell[n];
  for (int e = c.boundary_start[n]; e < c.boundary_start[n + 1]; ++e) {
    const int f = c.boundary_face[e];
    for (int k = 0; k < 4; ++k) r[k] += v.boundary_flux[4 * f + k];
    r[4] += v.turbulence.boundary_flux[f];
  }
}

// Includes diffusion by eddies and of nu~.
WEIR_HD inline cell::Speeds speeds(const SpatialView& v, int i) {
  const double* w = v.w + 4 * i;
  cell::Speeds s = cell::speeds(v.gas, w);
  const double rho = v.gas.gamma_m2 * w[0] / w[3], mu = viscosity(v.gas, w[3]);
  const double eddies = v.turbulence.unit * rho * larger_of(v.turbulence.nu[i], 0.0);
  const double heat = v.turbulence.conduction * (v.gas.gamma - 1) * v.gas.gamma_m2;  // gamma / Pr_t
  s.diffusion += 2 * larger_of(heat, 1 / spalart_allmaras::sigma) * (mu + eddies) / rho;
  return s;
}
WEIR_HD inline void time_step_scale(const SpatialView& v, double* scale, int i) {
  const InteriorFaces& g = v.faces;
  const cell::Speeds s = speeds(v, i);
  double total = 0;
  for (int e = v.cells.start[i]; e < v.cells.start[i + 1]; ++e) {
    const int link = v.cells.link[e], f = link < 0 ? ~link : link;
    total += g.area[f] * cell::speed(s, g.nx[f], g.ny[f], g.inverse[f]);
  }
  scale[i] = total;
}
WEIR_HD inline void add_boundary_scale(const SpatialView& v, double* scale, int n) {
  const BoundaryFaces& b = v.boundary;
  const int i = v.cells.boundary_cell[n];
  const cell::Speeds s = speeds(v, i);
  for (int e = v.cells.boundary_start[n]; e < v.cells.boundary_start[n + 1]; ++e) {
    const int f = v.cells.boundary_face[e];
    const bool is_wall = boundary::is_no_slip(boundary::type(b, f));
    scale[i] += b.area[f] * cell::speed(s, b.nx[f], b.ny[f], is_wall ? b.inverse[f] : 0);
  }
}

// Storage position of the k-th number of a row-major block of J.
WEIR_HD inline int row_wise(const SpatialView& v, int k) { return v.by_columns ? k % 5 * 5 + k / 5 : k; }

// Diagonal block: minus the other blocks of the column (cell_kernels.hpp), plus the boundary's.
template <class V>
WEIR_HD inline void diagonal_block(const SpatialView& v, V* values, int i) {
  double d[25] = {};
  for (int e = v.cells.start[i]; e < v.cells.start[i + 1]; ++e) {
    const int link = v.cells.link[e];
    const std::int64_t block = std::int64_t{25} * ((link < 0 ? v.owner_row[~link] : v.neighbour_row[link]) / 4);
    if (link < v.faces.inner)
      for (int k = 0; k < 25; ++k) d[k] -= static_cast<double>(values[block + k]);
    else  // on the border, where this cell is the owner
      for (int k = 0; k < 25; ++k) d[k] -= v.border[block + row_wise(v, k)];
  }
  V* out = values + 25 * v.diagonal[i];
  for (int k = 0; k < 25; ++k) out[k] = static_cast<V>(d[k]);
}
template <class V>
WEIR_HD inline void add_boundary_block(const SpatialView& v, V* values, int n) {
  V* d = values + 25 * v.diagonal[v.cells.boundary_cell[n]];
  for (int e = v.cells.boundary_start[n]; e < v.cells.boundary_start[n + 1]; ++e)
    for (int k = 0; k < 25; ++k)
      d[k] += static_cast<V>(v.boundary_block[25 * v.cells.boundary_face[e] + row_wise(v, k)]);
}

}  // namespace weir::turbulent
