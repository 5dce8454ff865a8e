// A block stencil over ranks: each has a box of the cells, its local matrix is a BlockStencil on that box. Blocks that point
// out of the box where it was cut meet ghosts, a block of x each: they are the coupling of DistributedMatrix.
//
//   ... write every block of A.own(), those that point out of the box too ...
//   A.finish_blocks();
#pragma once
#include "solvers/distributed/box_border.hpp"

namespace weir {

template <class Space>
class DistributedBlockStencil final : private LocalPart<BlockStencil<Space>>, public DistributedMatrix<Space> {
  using Local = LocalPart<BlockStencil<Space>>;

 public:
  // cuts: of `whole` cells, block: unknowns a cell, at most 8 where there are several ranks. A box of a 3D grid needs two
  // layers along z.
  DistributedBlockStencil(const Communicator& ranks, Extents whole, const Periodic& periodic, int block,
                          const BoxCuts& cuts, const HaloOptions& options = {});

  BlockStencil<Space>& own() { return Local::own_matrix; }
  const BlockStencil<Space>& own() const { return Local::own_matrix; }
  // The coupling takes the blocks of own() that point across a cut. Costs nothing on one rank.
  void finish_blocks();

 private:
  Array<int, Space> slot_;  // of each entry of the coupling
};

}  // namespace weir
