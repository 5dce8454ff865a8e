// The grids of a multigrid method, as 1D lines only, and the inverse of the coarsest operator.
#pragma once
#include <array>
#include <vector>

#include "solvers/preconditioner/multigrid_line.hpp"

namespace weir::multigrid {

struct GridLevel {
  std::array<Line, 3> line;
  std::array<LineTransfer, 3> transfer;  // to the next coarser level; empty on the coarsest
  std::int64_t count() const { return std::int64_t{1} * line[0].size() * line[1].size() * line[2].size(); }
};

struct Coarsening {
  double merge_factor = 2;  // neighbours closer than this times the smallest distance of the level are merged
  double reduction = 0.75;  // a level keeps at most this part of the finer one's unknowns
  int coarse_size = 64;     // the first level of at most so many unknowns is the last one, solved directly
};

// Finest first. The lines are those of the operator, with directions of one unknown moved so that z is the longest loop
// (memory order stays the same).
std::vector<GridLevel> make_grids(const SeparableOperator& A, const Coarsening& options);

// (A V^-1)^-1 of the coarsest level, row-major, natural order: u = inverse (V g). A constant null space is projected
// out on both sides (the pseudo-inverse). `work` keeps its memory between calls.
void invert_coarsest(const GridLevel& level, double shift, double scale, bool singular, std::vector<double>& inverse,
                     std::vector<double>& work);

}  // namespace weir::multigrid
