// A block stencil on one rank, and over ranks.
#pragma once
#include <cstddef>
#include <vector>

#include "base/at.hpp"
#include "solvers/distributed/distributed_block_stencil.hpp"
#include "tests/solvers/distributed/world.hpp"
#include "tests/support/systems/block_systems.hpp"

namespace weir::test {

// A random system with the blocks that point out of the grid left not-a-number, and its rows on this rank.
template <class Space>
struct BothBlockStencils {
  BothBlockStencils(Extents cells, int block, Periodic periodic, Cutting cutting)
      : n(block),
        system(random_system(cells, block, 3, periodic)),
        cuts(cuts_of(BlockPartition({cells.nx, cells.ny, cells.nz}, world().size(), cutting))),
        mine(places_of(cells, cuts.box(world().rank()))),
        alone(cells, block, periodic),
        spread(world(), cells, periodic, block, cuts) {
    alone.upload(system.values);
    const std::size_t size = at(n * n), slots = system.values.size() / size / at(cells.count());
    std::vector<double> own;
    for (std::size_t s = 0; s < slots; ++s)
      for (const int c : mine) {
        const auto from = system.values.begin() + static_cast<std::ptrdiff_t>((s * at(cells.count()) + at(c)) * size);
        own.insert(own.end(), from, from + static_cast<std::ptrdiff_t>(size));
      }
    spread.own().upload(own);
    spread.finish_blocks();
  }
  std::vector<double> part(const std::vector<double>& whole) const {
    std::vector<double> v;
    for (const int c : mine)
      for (int u = 0; u < n; ++u) v.push_back(whole[at(c * n + u)]);
    return v;
  }
  int n;
  BlockSystem system;
  BoxCuts cuts;
  std::vector<int> mine;
  BlockStencil<Space> alone;
  DistributedBlockStencil<Space> spread;
};

}  // namespace weir::test
