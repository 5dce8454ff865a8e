#include "miniapps/artificial_compressibility/ranks.hpp"

#include "base/at.hpp"
#include "miniapps/structured/layout.hpp"

namespace weir {
namespace {

// The side beyond which a cell lies; -1: none; -2: beyond an edge, where values are not read.
int side_beyond(const CoupledCells& c, const int (&at)[3]) {
  int side = -1;
  for (int d = 0; d < 3; ++d)
    if (at[d] < 0 || at[d] >= c.n[d]) side = side == -1 ? 2 * d + (at[d] < 0 ? 0 : 1) : -2;
  return side;
}

}  // namespace

HaloPattern CoupledRanks::ghosts() const {
  std::vector<GhostRequest> all;
  local().for_padded([&](int i, int j, int k) {
    const int side = side_beyond(local(), {i, j, k});
    if (side >= 0 && local().cut[side]) all.push_back(request(i, j, k));
  });
  return make_halo_pattern(communicator(), all);
}

Places CoupledRanks::field_places() const {
  const CoupledCells& l = local();
  Places all{{}, {}, at(whole().padded_count()) * at(l.unknowns)};
  l.for_padded([&](int i, int j, int k) {
    const int side = side_beyond(l, {i, j, k}), d = side / 2;
    const bool is_end = side == -1 || (side >= 0 && (side % 2 == 0 ? l.low[d] == 0 : l.low[d] + l.n[d] == l.whole[d]));
    if (!is_end) return;
    for (int u = 0; u < l.unknowns; ++u) {
      all.here.push_back(l.padded_index(i, j, k) * l.unknowns + u);
      all.whole.push_back(whole().padded_index(i + l.low[0], j + l.low[1], k + l.low[2]) * l.unknowns + u);
    }
  });
  return all;
}

Places CoupledRanks::vector_places() const {
  const int n = whole().unknowns;
  Places all{{}, {}, at(whole().extents().count()) * at(n)};
  for (const int cell : cell_numbers())
    for (int u = 0; u < n; ++u) all.whole.push_back(cell * n + u);
  return all;
}

Places CoupledRanks::copy_places() const {
  Layout mine, all;
  static_cast<GridPart&>(mine) = local();
  static_cast<GridPart&>(all) = whole();
  Places places{{}, {}, at(all.padded_count())};
  mine.for_padded([&](int i, int j, int k) {
    const int point[3] = {i, j, k};
    for (int d = 0; d < 3; ++d)  // values beyond a cut are another rank's
      if ((point[d] < 0 && mine.low[d] > 0) || (point[d] >= mine.n[d] && mine.low[d] + mine.n[d] < mine.whole[d]))
        return;
    places.here.push_back(mine.padded_index(i, j, k));
    places.whole.push_back(all.padded_index(i + mine.low[0], j + mine.low[1], k + mine.low[2]));
  });
  return places;
}

Places CoupledRanks::cell_places() const { return {{}, cell_numbers(), at(whole().extents().count())}; }

std::vector<int> CoupledRanks::cell_numbers() const {
  return places_of(whole().extents(), partition().box(communicator().rank()));
}

}  // namespace weir
