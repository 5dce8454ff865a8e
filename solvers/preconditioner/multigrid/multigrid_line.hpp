// One direction of a multigrid hierarchy: a line of unknowns, and how two lines of neighbouring levels exchange values.
//
// A tensor grid is coarsened direction by direction: neighbours closer than a limit are merged in pairs,
//
//   fine     |.|.|.|.| . | . |  .  |  .  |  .  | . | . |.|.|.|.|
//   coarse   | . | . | . | . |  .  |  .  |  .  | . | . | . | . |
//
// so that at every place exactly the strongly coupled directions are coarsened, and a point smoother is enough.
#pragma once
#include <vector>

#include "solvers/matrix/stencil/separable_operator.hpp"

namespace weir::multigrid {

struct Line {
  SeparableDirection d;
  std::vector<double> x;  // positions of the unknowns; neighbours are 1 / coupling apart
  double period = 0;      // where periodic

  int size() const { return d.size(); }
  double smallest_distance() const;  // between neighbours; infinite where there is one unknown
};

Line make_line(const SeparableDirection& direction);

// Linear interpolation P from the coarse line to the fine one, and its transpose in the inner product of the masses:
//   (P e)_i = weight_parent_i e_{parent_i} + weight_other_i e_{other_i}
//   (R r)_I = sum over slots s of restrict[4 I + s] r_{first_I - 1 + s},      R = M_coarse^-1 P^T M_fine
struct LineTransfer {
  std::vector<int> parent, other;                   // fine
  std::vector<double> weight_parent, weight_other;  // fine
  std::vector<int> first;                           // coarse + 1: the fine unknowns first[I] .. first[I+1] - 1 make I
  std::vector<double> restriction;                  // 4 a coarse unknown; slots beyond the ends wrap or have weight 0
  int fine() const { return static_cast<int>(parent.size()); }
  int coarse() const { return static_cast<int>(first.size()) - 1; }
};

// Merges pairs of unknowns that lie closer than the limit.
Line coarsen(const Line& fine, double limit, LineTransfer& transfer);

// How many unknowns that would leave.
int coarse_size(const Line& fine, double limit);

}  // namespace weir::multigrid
