// [grid]. Two numbers of cells, or nz = 1, give a 2D grid.
#pragma once
#include "base/table.hpp"
#include "mesh/structured/grid.hpp"

namespace weir {

Options grid_options(), stretching_options();
Grid read_grid(const Table& options);

// One direction of a grid described by `options`; refuses cell sizes outside of the valid range.
GridLine read_line(const Table& options, int cells, double origin, double length, const Stretching& stretching);

// The key `stretching`: at most one entry per direction.
std::vector<Stretching> read_stretchings(const Table& options);

}  // namespace weir
