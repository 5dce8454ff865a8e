// States and models for tests of turbulent flow: a fifth number after the four of flows.hpp.
#pragma once
#include "mesh/unstructured/wall_distance.hpp"
#include "tests/miniapps/compressible/flows.hpp"

namespace weir::test {

// Every side a wall: of a box the model needs some distance.
inline TurbulenceModel turbulence(const UnstructuredMesh& mesh, int order = 1) {
  TurbulenceModel m;
  m.is_on = true;
  m.order = order;
  m.distance = wall_distance(mesh, std::vector<bool>(mesh.patches.size(), true));
  for (double& d : m.distance) d = std::min(d, 1.0);  // fully periodic boxes have none
  return m;
}

// nu~ from -1 to 9 in each cell, in units of the free stream's viscosity.
inline std::vector<double> turbulent_state(const UnstructuredMesh& mesh, const GasModel& gas, unsigned seed = 3) {
  std::mt19937_64 random(seed + 1);
  std::uniform_real_distribution<double> nu(-1, 9);
  const std::vector<double> four = random_state(mesh, gas, seed);
  std::vector<double> U;
  for (std::size_t i = 0; i < four.size(); i += 4) {
    U.insert(U.end(), four.begin() + static_cast<std::ptrdiff_t>(i), four.begin() + static_cast<std::ptrdiff_t>(i + 4));
    U.push_back(four[i] * nu(random));
  }
  return U;
}

// The same for SST, with k and omega of which the eddy viscosity is 1 to 40 times mu. bounded: the bound by the strain
// acts in many cells; otherwise in none.
inline TurbulenceModel sst_model(const UnstructuredMesh& mesh, int order = 1) {
  TurbulenceModel m = turbulence(mesh, order);
  m.is_sst = true;
  m.outside = {1e-2, 0.5};
  return m;
}
inline std::vector<double> sst_state(const UnstructuredMesh& mesh, const GasModel& gas, bool bounded = true,
                                     unsigned seed = 3) {
  std::mt19937_64 random(seed + 1);
  std::uniform_real_distribution<double> k(0.5, 2), omega(1, 2);
  const std::vector<double> four = random_state(mesh, gas, seed);
  std::vector<double> U;
  for (std::size_t i = 0; i < four.size(); i += 4) {
    U.insert(U.end(), four.begin() + static_cast<std::ptrdiff_t>(i), four.begin() + static_cast<std::ptrdiff_t>(i + 4));
    U.push_back(four[i] * k(random));
    U.push_back(four[i] * omega(random) * (bounded ? 0.05 : 20));
  }
  return U;
}

}  // namespace weir::test
