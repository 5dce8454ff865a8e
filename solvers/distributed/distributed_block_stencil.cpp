#include "solvers/distributed/distributed_block_stencil.hpp"

namespace weir {

template <class Space>
DistributedBlockStencil<Space>::DistributedBlockStencil(const Communicator& ranks, Extents whole,
                                                        const Periodic& periodic, int block, const BoxCuts& cuts,
                                                        const HaloOptions& options)
    : Local{BlockStencil<Space>(extents_of(cuts.box(ranks.rank())), block, within(periodic, cuts)),
            ConnectedBorder(ranks, BorderCoupling(border_links(whole, periodic, cuts, ranks.rank())), block)},
      DistributedMatrix<Space>(ranks, Local::own_matrix, Local::border.pattern, Local::border.coupling, false, false,
                               options),
      slot_(Local::border.slots) {
  this->name_rows([box = cuts.box(ranks.rank())](int row) { return cell_name(cell_of(box, row)); });
}

template <class Space>
void DistributedBlockStencil<Space>::finish_blocks() {
  take_border_blocks<Space>(own().stencil(), this->row_, this->start_, slot_, this->value_);
}

template class DistributedBlockStencil<Host>;
template class DistributedBlockStencil<Device>;

}  // namespace weir
