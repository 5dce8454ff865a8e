// Gases, boundary conditions and states for tests of the discretisation.
#pragma once
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "miniapps/compressible/discretisation/discretisation.hpp"
#include "tests/support/systems/box_mesh.hpp"

namespace weir::test {

inline GasModel euler_gas() { return {.mach = 0.5}; }
inline GasModel viscous_gas() { return {.mach = 0.5, .reynolds = 50}; }

// rho, u, v, p of the undisturbed stream at an angle.
inline std::array<double, 4> free_stream(const GasModel& gas) {
  return {1, std::cos(0.3), std::sin(0.3), 1 / (gas.gamma * gas.mach * gas.mach)};
}
inline std::array<double, 4> conserved(const GasModel& gas, const std::array<double, 4>& q) {
  return {q[0], q[0] * q[1], q[0] * q[2], q[3] / (gas.gamma - 1) + 0.5 * q[0] * (q[1] * q[1] + q[2] * q[2])};
}

// U of a field (x, y) -> (rho, u, v, p) at the cells' centres.
using FlowField = std::function<std::array<double, 4>(double, double)>;
inline std::vector<double> sample(const UnstructuredMesh& mesh, const GasModel& gas, const FlowField& field) {
  std::vector<double> U;
  for (const auto& c : mesh.centre)
    for (double x : conserved(gas, field(c[0], c[1]))) U.push_back(x);
  return U;
}

// The free stream, each number disturbed by up to 20 per cent: another in each cell.
inline std::vector<double> random_state(const UnstructuredMesh& mesh, const GasModel& gas, unsigned seed = 3) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> factor(0.8, 1.2);
  return sample(mesh, gas, [&](double, double) {
    auto q = free_stream(gas);
    for (double& x : q) x *= factor(random);
    return q;
  });
}

inline BoundaryCondition condition(BoundaryType type, const GasModel& gas) {
  BoundaryCondition c;
  c.type = type;
  c.outside = free_stream(gas);
  c.temperature = 1.1;
  if (type == BoundaryType::isothermal_wall || type == BoundaryType::heat_flux_wall) c.velocity = {0.2, -0.1};
  if (type == BoundaryType::heat_flux_wall) c.amount = 0.3;
  if (type == BoundaryType::mass_flow_outlet) c.amount = 0.6;
  if (type == BoundaryType::total_pressure_inlet) c.velocity = {0.8, 0.6}, c.amount = 1.3 * c.outside[3];
  return c;
}
inline std::vector<BoundaryCondition> all_round(const UnstructuredMesh& mesh, BoundaryType type, const GasModel& gas) {
  return std::vector<BoundaryCondition>(mesh.patches.size(), condition(type, gas));
}

// R(U) by way of the space.
template <class Space>
std::vector<double> residual(Discretisation<Space>& d, const std::vector<double>& U) {
  Array<double, Space> u(U), r(static_cast<std::int64_t>(U.size()));
  d.residual(u, r);
  return r.to_vector();
}

// The same outside state at every face of all patches of type `exact`.
template <class Space>
void set_outside_everywhere(Discretisation<Space>& d, const UnstructuredMesh& mesh, const std::array<double, 4>& q) {
  for (std::size_t p = 0; p < mesh.patches.size(); ++p) {
    std::vector<double> states;
    for (int f = 0; f < mesh.patches[p].count; ++f) states.insert(states.end(), q.begin(), q.end());
    d.set_outside(static_cast<int>(p), Array<double, Space>(states).view());
  }
}

inline const FluxScheme every_flux[] = {FluxScheme::roe, FluxScheme::hllc, FluxScheme::ausm_plus, FluxScheme::van_leer,
                                        FluxScheme::rusanov};
inline const CellKind every_kind[] = {CellKind::quads, CellKind::triangles, CellKind::mixed};

}  // namespace weir::test
