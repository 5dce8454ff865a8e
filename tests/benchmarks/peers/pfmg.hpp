// CG + PFMG, hypre's multigrid for structured grids (semi-coarsening, red-black Gauss-Seidel), on any 7-point matrix. Seconds are
// the processor's. An empty name where hypre is not installed (pfmg_none.cpp).
#pragma once
#include <array>
#include <vector>

#include "tests/benchmarks/peers/peers_poisson.hpp"

namespace weir::bench {

struct StructProblem {
  std::array<int, 3> cells;
  std::vector<double>
      values;  // of each cell: its own, then west, east, south, north, below, above; 0 where there is none
  std::vector<double> b;
  double tolerance = 1e-8;
  int repeats = 3;
};
PeerResult hypre_pfmg(const StructProblem& problem);

// What the plugin offers (pfmg_hypre.cpp).
using RunPfmg = void(const StructProblem& problem, PeerResult& result);
extern "C" RunPfmg weir_pfmg;

}  // namespace weir::bench
