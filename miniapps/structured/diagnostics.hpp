// Diagnostics of a flow, evaluated every diagnostics_every steps: each is a pass over the fields.
#pragma once
#include <array>
#include <optional>

#include "miniapps/structured/layout.hpp"
#include "miniapps/structured/metrics.hpp"
#include "miniapps/structured/whole/whole_flow.hpp"

namespace weir {

// Mean of (u.u)/2 over the box. In a cell the squares on opposite faces are averaged; this is the energy that the
// advection of momentum.hpp conserves.
template <class Space>
double kinetic_energy(const Flow<Space>& flow, const Metrics& m, const Grid& grid);

// Contribution of one component to the kinetic energy.
template <class Space>
double component_energy(const Flow<Space>& flow, const Metrics& m, const Grid& grid, int component);

// max |div u| over the cells.
template <class Space>
double max_divergence(const Flow<Space>& flow, const Metrics& m);

// max over the cells of |u|/hx + |v|/hy + |w|/hz: dt times this is the CFL number.
template <class Space>
double courant_rate(const Flow<Space>& flow, const Metrics& m);

// nu times the mean of |grad u|^2, which is -dE/dt in a box that is periodic in all directions.
template <class Space>
double dissipation(const Flow<Space>& flow, const Metrics& m, const Grid& grid, double viscosity);

// Mean over the box of |curl u|^2 / 2, from the vorticity on the edges of the cells.
template <class Space>
double enstrophy(const Flow<Space>& flow, const Metrics& m, const Grid& grid);

// The largest difference between a padded field at the cell centres and its mean, of all ranks.
template <class Space>
double largest_deviation(const Layout& l, const Array<double, Space>& field, const Communicator& ranks);

// The first cell (k slowest) in which a component or the pressure is not finite.
struct BadCell {
  char field = 'u';
  std::array<int, 3> cell{};
};
std::optional<BadCell> first_not_finite(const WholeFlow& flow);

}  // namespace weir
