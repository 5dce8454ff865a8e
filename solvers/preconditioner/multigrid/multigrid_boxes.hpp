// Partition of multigrid levels over ranks. Smoothers and transfers are those of one rank and do not depend on the
// ranks.
//  wide box         a rank's own unknowns of a level and enough layers around them, where the grid was cut, that all
//                   sweeps of the way down and up follow from one exchange of the right-hand side and one of the
//                   coarser correction: a few layers are computed twice
//  coarse unknown   belongs to the rank of its first fine one
//  tail             the levels of at most `gather_size` unknowns, on rank 0
// A V cycle has two exchanges per level and one gather and scatter of the tail.
#pragma once
#include <algorithm>

#include "solvers/distributed/box_border.hpp"
#include "solvers/preconditioner/multigrid/multigrid_hierarchy.hpp"

namespace weir::multigrid {

inline int floor_divided(int a, int b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

// The part of a line with fine cells [fine_low, fine_high) and coarse cells [low, high), which may extend beyond the
// ends of a periodic line. Coarse cells without a fine one here have none; fine cells whose parent is not here get the
// nearest one.
template <class Direction>
Direction slice(const Direction& whole, int fine_low, int fine_high, int low, int high) {
  const int n = static_cast<int>(whole.parent.size()), nc = static_cast<int>(whole.ratio.size());
  Direction out;
  for (int I = low; I <= high; ++I) {
    const int turns = floor_divided(I, nc), first = whole.first[I - turns * nc] + turns * n;
    out.first.push_back(std::clamp(first - fine_low, 0, fine_high - fine_low));
    if (I < high) out.ratio.push_back(whole.ratio[I - turns * nc]);
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

// The same for the lines of a separable operator, with [fine_low, fine_high) from whole_pairs(). Coarse unknowns whose
// fine ones are not here have restriction 0.
inline LineTransfer slice(const LineTransfer& whole, int fine_low, int fine_high, int low, int high) {
  const int n = whole.fine(), nc = whole.coarse();
  if (fine_high - fine_low == n && high - low == nc) return whole;
  const auto is_here = [&](int i) { return i >= fine_low && i < fine_high; };
  LineTransfer out;
  for (int I = low; I <= high; ++I) {
    const int turns = floor_divided(I, nc);
    const auto c = static_cast<std::size_t>(I - turns * nc);
    const int first = whole.first[c] + turns * n;
    out.first.push_back(std::clamp(first - fine_low, 0, fine_high - fine_low));
    for (int s = 0; s < 4 && I < high; ++s)
      out.restriction.push_back(
          is_here(first) && is_here(first - 1 + s) ? whole.restriction[4 * c + static_cast<std::size_t>(s)] : 0);
  }
  for (int i = fine_low; i < fine_high; ++i) {
    const int turns = floor_divided(i, n);
    const auto q = static_cast<std::size_t>(i - turns * n);
    const int parent = whole.parent[q] + turns * nc, away = whole.other[q] - whole.parent[q];
    const int other = parent + (away > 1 ? -1 : away < -1 ? 1 : away);  // across the end of a periodic line
    out.parent.push_back(std::clamp(parent - low, 0, high - low - 1));
    out.other.push_back(std::clamp(other - low, 0, high - low - 1));
    out.weight_parent.push_back(whole.weight_parent[q]);
    out.weight_other.push_back(whole.weight_other[q]);
  }
  return out;
}

// Widens [low, high) to whole groups of merged unknowns.
inline void whole_pairs(const LineTransfer& t, int& low, int& high) {
  const int n = t.fine(), nc = t.coarse();
  const auto parent = [&](int i) {
    const int turns = floor_divided(i, n);
    return t.parent[i - turns * n] + turns * nc;
  };
  const auto first = [&](int I) {
    const int turns = floor_divided(I, nc);
    return t.first[I - turns * nc] + turns * n;
  };
  low = first(parent(low));
  high = first(parent(high - 1) + 1);
}

// A coarse cell belongs to the rank of its first fine one.
inline BoxCuts coarser(const BoxCuts& fine, const std::array<LineTransfer, 3>& transfer) {
  BoxCuts coarse;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::vector<int>& first = transfer[d].first;
    for (const int begin : fine.begin[d])
      coarse.begin[d].push_back(static_cast<int>(std::ranges::lower_bound(first, begin) - first.begin()));
  }
  return coarse;
}

// Cuts in the order of the lines of the levels (order_of_lines).
inline BoxCuts ordered(const BoxCuts& cuts, const std::array<std::size_t, 3>& order) {
  return {{cuts.begin[order[0]], cuts.begin[order[1]], cuts.begin[order[2]]}};
}

inline std::array<int, 3> sizes_of(const GridLevel& g) {
  return {g.line[0].size(), g.line[1].size(), g.line[2].size()};
}

// The box of a rank and `more` layers around it where the grid was cut; across the ends of a periodic direction too.
inline RankBox grown(const GridLevel& grid, const BoxCuts& cuts, int rank, int more) {
  RankBox b = cuts.box(rank);
  for (int d = 0; d < 3; ++d) {
    if (cuts.parts(d) == 1) continue;
    b.low[d] -= more;
    b.high[d] += more;
    if (grid.line[d].d.periodic) continue;
    b.low[d] = std::max(b.low[d], 0);
    b.high[d] = std::min(b.high[d], grid.line[d].size());
  }
  return b;
}

// True if every rank has cells of a level, and no wide box contains a cell twice.
inline bool fits(const GridLevel& grid, const BoxCuts& cuts, int layers) {
  for (int d = 0; d < 3; ++d) {
    const int parts = cuts.parts(d), n = grid.line[d].size();
    for (int p = 0; p < parts && parts > 1; ++p) {
      const int size = cuts.begin[d][p + 1] - cuts.begin[d][p];
      if (size < 1 || (grid.line[d].d.periodic && size + 2 * layers > n)) return false;
    }
  }
  return true;
}

}  // namespace weir::multigrid
