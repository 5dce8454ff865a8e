// Laminar NACA0012 (Mach 0.5, Re 5000), second order to six decades, compared with FVENS on the meshes that come with
// it: whole programs from start to exit, Weir with its page, processor time.
#pragma once
#include <string>
#include <vector>

#include "tests/benchmarks/peers/rows.hpp"

namespace weir::bench {

std::vector<std::string> aerofoil_cases();  // "aerofoil_13k", "aerofoil_52k"
// FVENS is what FVENS_DIR names: its sources with build/fvens_steady. Without it the row is left out, and said so. Its
// solver and CFL numbers are searched in the first place. Error(solver_failed) where a run fails.
void measure_aerofoil(PeerRows& rows, const std::string& name, int rounds);

}  // namespace weir::bench
