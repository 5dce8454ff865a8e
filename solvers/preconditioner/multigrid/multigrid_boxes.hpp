// How the levels of a multigrid hierarchy are cut over ranks.
#pragma once
#include <algorithm>

#include "solvers/distributed/box_border.hpp"
#include "solvers/preconditioner/multigrid/multigrid_hierarchy.hpp"

namespace weir::multigrid {

inline int floor_divided(int a, int b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

// The numbers of fine cells [fine_low, fine_high) and coarse cells [low, high) of a line, which may reach beyond the ends of a
// periodic one. Coarse cells without a fine one here have none; fine cells whose parent is not here have the nearest that is.
template <class Direction>
Direction slice(const Direction& whole, int fine_low, int fine_high, int low, int high) {
  const int n = static_cast<int>(whole.parent.size()), nc = static_cast<int>(whole.ratio.size());
  Direction out;
  for (int I = low; I <= high; ++I) {
    const int turns = floor_divided(I, nc), first = whole.first[static_cast<std::size_t>(I - turns * nc)] + turns * n;
    out.first.push_back(std::clamp(first - fine_low, 0, fine_high - fine_low));
    if (I < high) out.ratio.push_back(whole.ratio[static_cast<std::size_t>(I - turns * nc)]);
  }
  for (int i = fine_low; i < fine_high; ++i) {
    const int turns = floor_divided(i, n);
    const std::size_t q = static_cast<std::size_t>(i - turns * n);
    out.parent.push_back(std::clamp(whole.parent[q] + turns * nc - low, 0, high - low - 1));
    out.weight.push_back(whole.weight[q]);
    out.end_weight.push_back(whole.end_weight[q]);
    out.end_ratio.push_back(whole.end_ratio[q]);
  }
  return out;
}

// A coarse cell belongs to the rank of its first fine one.
inline BoxCuts coarser(const BoxCuts& fine, const std::array<LineTransfer, 3>& transfer) {
  BoxCuts coarse;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::vector<int>& first = transfer[d].first;
    for (const int begin : fine.begin[d])
      coarse.begin[d].push_back(static_cast<int>(std::lower_bound(first.begin(), first.end(), begin) - first.begin()));
  }
  return coarse;
}

// Whether every rank has cells of a level, and a wide box meets no cell twice.
inline bool fits(const GridLevel& grid, const BoxCuts& cuts, int layers) {
  for (std::size_t d = 0; d < 3; ++d) {
    const int parts = cuts.parts(static_cast<int>(d)), n = grid.line[d].size();
    for (int p = 0; p < parts && parts > 1; ++p) {
      const int size = cuts.begin[d][static_cast<std::size_t>(p) + 1] - cuts.begin[d][static_cast<std::size_t>(p)];
      if (size < 1 || (grid.line[d].d.periodic && size + 2 * layers > n)) return false;
    }
  }
  return true;
}

}  // namespace weir::multigrid
