// Diagnostics of the coupled scheme, evaluated every diagnostics_every steps, and a host copy of its fields for output.
// On several ranks the functions return the part of this rank: its part of a sum, or its own largest value.
#pragma once
#include <memory>
#include <vector>

#include "miniapps/artificial_compressibility/equations.hpp"
#include "miniapps/structured/layout.hpp"

namespace weir {

template <class Space>
double mean_kinetic_energy(const CoupledView& v, const Grid& grid);  // (u.u)/2, mean over the box

// max |sum F| / V of the residual in b = -R.
template <class Space>
double max_divergence(const CoupledView& v, View<const double> b);

// max over the cells of sum |u_d| / h_d: dt times this is the CFL number.
template <class Space>
double courant_rate(const CoupledView& v);

// nu times the mean of |grad u|^2 by the differences at the low faces of each cell.
template <class Space>
double mean_dissipation(const CoupledView& v, const Grid& grid);

// max |u - u_before| of the velocities.
template <class Space>
double largest_change(const CoupledView& v, const double* before);

// Cell values with one layer of ghosts, and the divergence, of this rank, in arrays that the first call allocates.
class CoupledCopy {
 public:
  // x: padded values, b: minus the residual
  const Flow<Host>& of(const CoupledCells& cells, const std::vector<double>& x, const std::vector<double>& b,
                       const Grid& grid, double speed);

 private:
  void prepare(const CoupledCells& cells);

  std::unique_ptr<Flow<Host>> flow_;
  std::vector<double> divergence_;
};

}  // namespace weir
