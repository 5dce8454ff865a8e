// [grid]. Two numbers of cells, or nz = 1, make a 2D grid.
#pragma once
#include "base/table.hpp"
#include "mesh/structured/grid.hpp"

namespace weir {

Options grid_options(), stretching_options();
Grid read_grid(const Table& options);

// One direction of a grid that `options` describe; cells whose sizes no computation can use are refused.
GridLine read_line(const Table& options, int cells, double origin, double length, const Stretching& stretching);

// The key `stretching` alone: one entry a direction, as many as are given.
std::vector<Stretching> read_stretchings(const Table& options);

}  // namespace weir
