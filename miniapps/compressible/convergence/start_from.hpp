// [flow] start_from: the last state of a run as the first one here, from another mesh too.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "mesh/graph/graph.hpp"

namespace weir {

// How the cells of a mesh are numbered.
struct CellNumbers {
  std::array<int, 2> grid{0, 0};  // of the mesh as it was made: cell (a, b) is a grid[1] + b; 0: no structured mesh
  Order order;                    // of each cell its number there
};

// U of the cells of `from`, `values` numbers each, as U of the cells of `to`. Structured meshes: cubics in a and b, so
// that a layer along a curved wall goes to its layer, whatever lies there in space. Meshes of as many cells: cell by cell. Else
// Error(usage).
std::vector<double> carry_over(const std::vector<double>& U, int values, const CellNumbers& from,
                               const CellNumbers& to);

// source: a run directory, or one of its checkpoints. Error(usage or file_io) where there is none that fits.
std::vector<double> state_of_run(const std::string& source, int values, const CellNumbers& here);

}  // namespace weir
