// Bands and a remainder that reaches into other boxes: the matrix on one rank, and over ranks.
#pragma once
#include <array>
#include <vector>

#include "base/at.hpp"
#include "solvers/distributed/distributed_banded.hpp"
#include "tests/solvers/distributed/world.hpp"
#include "tests/support/systems/operators.hpp"

namespace weir::test {

inline constexpr Extents small_box = {7, 8, 18};

// A symmetric matrix of positive type with random couplings; its slots side by side.
inline std::vector<double> bands_of(Extents cells, bool wraps_z) {
  const int n = cells.count();
  const Numbers random = random_numbers(3 * n, 5);
  Banded<Host> shape(cells, {false, false, wraps_z});
  const BlockStencilView s = shape.stencil();
  std::vector<double> v(at(s.slots) * at(n), 0.0);
  const auto value = [&](int slot, int c) -> double& { return v[at((slot - s.first) * n + c)]; };
  for (int c = 0; c < n; ++c) value(slot::delta, c) += 3;  // few iterations: more would magnify round-off
  for (int d = 0; d < (cells.nz > 1 ? 3 : 2); ++d)
    for (int c = 0; c < n; ++c) {
      const int to = s.neighbour(c, slot::delta + 1 + d);
      if (to < 0) continue;
      const double a = 1 + 0.5 * random[at(d * n + c)];
      value(slot::delta + 1 + d, c) = value(slot::delta - 1 - d, to) = -a;
      value(slot::delta, c) += a;
      value(slot::delta, to) += a;
    }
  return v;
}

// Rows near the middle of the grid that refer to cells up to five planes away.
inline RemainderData remainder(int first_plane = 4) {
  RemainderData r;
  r.start.push_back(0);
  for (int k = first_plane; k < first_plane + 10; ++k)
    for (const int i : {2, 5}) {
      r.row.push_back(small_box.index(i, 3, k));
      for (const int away : {-4, 0, 5}) {
        r.column.push_back(small_box.index(i, 4, (k + away + 18) % 18));
        r.value.push_back(0.05 * (away + 0.5));
      }
      r.start.push_back(static_cast<int>(r.column.size()));
    }
  return r;
}

inline int local(const RankBox& b, const std::array<int, 3>& p) {
  return ((p[2] - b.low[2]) * b.size(1) + p[1] - b.low[1]) * b.size(0) + p[0] - b.low[0];
}

template <class Space>
struct BothBands {
  BothBands(Cutting cutting, bool wraps_z, bool with_remainder, Extents whole = small_box)
      : cells(whole),
        cuts(cuts_of(BlockPartition({cells.nx, cells.ny, cells.nz}, world().size(), cutting))),
        mine(places_of(cells, cuts.box(world().rank()))),
        alone(cells, {false, false, wraps_z}),
        spread(world(), cells, {false, false, wraps_z}, cuts),
        values(bands_of(cells, wraps_z)) {
    if (with_remainder) {
      alone.set_remainder(remainder());
      set_remainder();
    }
    alone.upload(values);
    const auto slots = at(alone.stencil().slots);
    std::vector<double> own(slots * mine.size());
    for (std::size_t s = 0; s < slots; ++s)
      for (std::size_t q = 0; q < mine.size(); ++q)
        own[s * mine.size() + q] = values[s * at(cells.count()) + at(mine[q])];
    spread.own().upload(own);
    for (auto* m : {&alone, &spread.own()}) m->set_symmetric(!with_remainder);
    spread.finish_bands();
  }
  void set_remainder(int first_plane = 4) {
    const RemainderData all = remainder(first_plane);
    const RankBox box = cuts.box(world().rank());
    RemainderData own;
    std::vector<RemoteEntry> remote;
    own.start.push_back(0);
    for (std::size_t q = 0; q < all.row.size(); ++q) {
      if (owner(all.row[q]) != world().rank()) continue;
      own.row.push_back(local(box, place(all.row[q])));
      for (int e = all.start[q]; e < all.start[q + 1]; ++e) {
        const int column = all.column[at(e)], rank = owner(column);
        if (rank == world().rank()) {
          own.column.push_back(local(box, place(column)));
          own.value.push_back(all.value[at(e)]);
        } else {
          remote.push_back({own.row.back(), rank, local(cuts.box(rank), place(column)), all.value[at(e)]});
        }
      }
      own.start.push_back(static_cast<int>(own.column.size()));
    }
    spread.set_remainder(own, remote);
  }
  int owner(int c) const {
    const auto p = place(c);
    return cuts.owner(p);
  }
  Numbers part(const Numbers& whole) const {
    Numbers v;
    for (const int c : mine) v.push_back(whole[at(c)]);
    return v;
  }
  std::array<int, 3> place(int c) const { return cell_of({{0, 0, 0}, {cells.nx, cells.ny, cells.nz}}, c); }
  Extents cells;
  BoxCuts cuts;
  std::vector<int> mine;
  Banded<Space> alone;
  DistributedBanded<Space> spread;
  std::vector<double> values;
};

}  // namespace weir::test
