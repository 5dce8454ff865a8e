// [grid] cells = [nx, ny, nz], length = [..], origin = [..], stretching = ["uniform" | { type = "tanh", factor = 2.0 },
// { type = "refined", from = -1.0, to = 2.0, width = 0.05 }, ..] Two entries, or nz = 1, make a 2D grid. Lengths and origins default to 1 and 0, every direction to uniform.
#pragma once
#include "base/table.hpp"
#include "mesh/structured/grid.hpp"

namespace weir {

Grid read_grid(const Table& options);

// The key `stretching` alone: one entry a direction, as many as are given.
std::vector<Stretching> read_stretchings(const Table& options);

}  // namespace weir
