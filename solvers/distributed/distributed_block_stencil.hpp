// A block stencil over ranks: the local matrix is a BlockStencil on the rank's box. Blocks that point out of the box
// at a cut are the coupling of DistributedMatrix.
//
//   ... write every block of A.own(), including those that point out of the box ...
//   A.finish_blocks();
#pragma once
#include "solvers/distributed/box_border.hpp"
#include "solvers/distributed/ghost_planes.hpp"

namespace weir {

template <class Space>
class DistributedBlockStencil final : private LocalPart<BlockStencil<Space>>, public DistributedMatrix<Space> {
  using Local = LocalPart<BlockStencil<Space>>;

 public:
  // cuts: of the cells of `whole`; block: at most 8 with several ranks. 3D boxes need two layers along z.
  DistributedBlockStencil(const Communicator& ranks, Extents whole, const Periodic& periodic, int block,
                          const BoxCuts& cuts, const HaloOptions& options = {});

  BlockStencil<Space>& own() { return Local::own_matrix; }
  const BlockStencil<Space>& own() const { return Local::own_matrix; }
  // Copies the blocks of own() that point across a cut to the coupling. Free on one rank.
  void finish_blocks();

 private:
  bool exact_product(Product p, const double* b, View<const double> x, View<double> y) const override;

  Array<int, Space> slot_;  // of each coupling entry
  // Exact sums, host, slabs: rows are those of one rank bit by bit.
  bool is_joined_;
  int last_direction_;
  mutable GhostPlanes planes_;
};

}  // namespace weir
