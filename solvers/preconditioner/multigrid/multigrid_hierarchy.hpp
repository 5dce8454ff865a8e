// Grids of a multigrid method, as 1D lines, and the inverse of the coarsest operator.
#pragma once
#include <array>
#include <vector>

#include "solvers/matrix/stencil/separable_operator.hpp"
#include "solvers/matrix/work.hpp"

namespace weir::multigrid {

// One direction of a level: a line of unknowns. LineTransfer: the exchange with the next level.
//
// A tensor grid is coarsened direction by direction: neighbours closer than a limit are merged in pairs,
//
//   fine     |.|.|.|.| . | . |  .  |  .  |  .  | . | . |.|.|.|.|
//   coarse   | . | . | . | . |  .  |  .  |  .  | . | . | . | . |
//
// so that exactly the strongly coupled directions are coarsened at every place, and a point smoother suffices.
struct Line {
  SeparableDirection d;
  std::vector<double> x;  // positions of the unknowns; neighbours are 1 / coupling apart
  double period = 0;      // if periodic

  int size() const { return d.size(); }
  double smallest_distance() const;  // between neighbours; infinite for one unknown
};

Line make_line(const SeparableDirection& direction);

// Linear interpolation P from the coarse line to the fine one, and its transpose in the inner product of the masses:
//   (P e)_i = weight_parent_i e_{parent_i} + weight_other_i e_{other_i}
//   (R r)_I = sum over slots s of restrict[4 I + s] r_{first_I - 1 + s},      R = M_coarse^-1 P^T M_fine
struct LineTransfer {
  std::vector<int> parent, other;                   // fine
  std::vector<double> weight_parent, weight_other;  // fine
  std::vector<int> first;                           // coarse + 1: the fine unknowns first[I] .. first[I+1] - 1 make I
  std::vector<double> restriction;                  // 4 per coarse unknown; slots beyond the ends wrap or have weight 0
  int fine() const { return static_cast<int>(parent.size()); }
  int coarse() const { return static_cast<int>(first.size()) - 1; }
};

// Merges pairs of unknowns that lie closer than the limit.
Line coarsen(const Line& fine, double limit, LineTransfer& transfer);

// Number of unknowns after that.
int coarse_size(const Line& fine, double limit);

struct GridLevel {
  std::array<Line, 3> line;
  std::array<LineTransfer, 3> transfer;  // to the next coarser level; empty on the coarsest
  bool two_colours = true;               // no periodic direction of odd size
  int colour = 0;                        // colour of the first unknown: a part may begin with black
  std::int64_t count() const { return std::int64_t{1} * line[0].size() * line[1].size() * line[2].size(); }
};

// Work per visit of a level with all sweeps on one side of the correction in one pass through memory: downwards g is
// read and u written; upwards u, g and the coarse correction are read and u is written; g of the coarser level is
// written and its u read. coefficients: values per cell read each way.
inline Work work_of_level(std::int64_t cells, std::int64_t coarser, int coefficients, int bands, int sweeps,
                          std::int64_t value_bytes) {
  return {value_bytes * (5 * cells + 2 * coarser + 2 * coefficients * cells), (2 * bands + 2) * (sweeps + 1) * cells};
}
// Coarsest level with a dense matrix.
inline Work work_of_coarsest(std::int64_t cells, std::int64_t matrix_bytes, std::int64_t value_bytes) {
  return {matrix_bytes * cells * cells + 2 * value_bytes * cells, 2 * cells * cells};
}

// Direction of the operator for the first, second and third line of its levels.
std::array<std::size_t, 3> order_of_lines(const SeparableOperator& A);

// Levels, finest first. The first one of at most `coarse_size` unknowns on short lines is the last and solved directly;
// the finest only if it has at most `largest_alone`. Directions of one unknown are moved so that z is the longest loop
// (the memory order stays).
std::vector<GridLevel> make_grids(const SeparableOperator& A, int coarse_size, int largest_alone);

// Inverse of a symmetric positive definite n x n matrix in place, by Gauss-Jordan without pivoting.
void invert_in_place(std::vector<double>& a, std::size_t n);

}  // namespace weir::multigrid
