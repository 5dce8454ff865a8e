// [flow] start_from: initial state from the last state of another run, on another mesh too.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "mesh/graph/graph.hpp"
#include "solvers/parallel/communicator.hpp"

namespace weir {

struct CellNumbers {
  // Cells of the generated mesh: cell (a, b) has the number a grid[1] + b; 0: not structured.
  std::array<int, 2> grid{0, 0};
  Order order;  // number in the generated mesh of each cell
};

// Transfers U, `values` numbers per cell, between meshes. Structured meshes use cubics in a and b, so that layers along
// curved walls map to layers. Other meshes with the same number of cells are copied cell by cell. All others throw
// Error(usage).
std::vector<double> carry_over(const std::vector<double>& U, int values, const CellNumbers& from,
                               const CellNumbers& to);

// order and references of the energy and turbulence residuals: those of a steady run on the same mesh, otherwise 0.
struct CarriedState {
  std::vector<double> U;
  int order = 0;
  double reference = 0, turbulence_reference = 0;
};
// source: a run directory or one of its checkpoints. Throws Error(usage or file_io) if there is no suitable one.
// Collective; U is on rank 0, which alone reads.
CarriedState state_of_run(const std::string& source, int values, const CellNumbers& here, const Communicator& ranks);

}  // namespace weir
