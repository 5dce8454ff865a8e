// A time step of the lid-driven cavity (Re 1000, uniform grid) compared with OpenFOAM's icoFoam on the same grid with
// the same time step: whole programs, processor time. A step is the difference of a long and a short run, so that
// start, mesh and output drop out.
#pragma once
#include <string>
#include <vector>

#include "tests/benchmarks/peers/rows.hpp"

namespace weir::bench {

struct CavityOptions {
  bool quick = false;
  int rounds = 7;
};
std::vector<std::string> cavity_cases();  // "cavity_2d", "cavity_3d"
// Cases and runs lie in a temporary folder, which stays where one fails. Without icoFoam Weir alone. Its pressure
// solvers are searched in the first place: those of pressure_solvers (cavity.cpp).
void measure_cavity(PeerRows& rows, const std::string& name, const CavityOptions& options);

}  // namespace weir::bench
