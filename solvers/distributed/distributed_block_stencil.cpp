#include "solvers/distributed/distributed_block_stencil.hpp"

namespace weir {

template <class Space>
struct DistributedBlockStencil<Space>::Parts {
  Parts(const Communicator& ranks, Extents whole, const Periodic& periodic, int block, const BoxCuts& cuts) {
    const BorderCoupling border(border_links(whole, periodic, cuts, ranks.rank()));
    pattern = make_halo_pattern(ranks, border.requests);
    coupling = border.coupling(pattern, block);
    slots = border.slots();
  }
  HaloPattern pattern;
  Coupling coupling;
  std::vector<int> slots;
};

template <class Space>
DistributedBlockStencil<Space>::DistributedBlockStencil(const Communicator& ranks, Extents whole,
                                                        const Periodic& periodic, int block, const BoxCuts& cuts,
                                                        const HaloOptions& options)
    : DistributedBlockStencil(ranks, whole, periodic, block, cuts, options,
                              Parts(ranks, whole, periodic, block, cuts)) {}

template <class Space>
DistributedBlockStencil<Space>::DistributedBlockStencil(const Communicator& ranks, Extents, const Periodic& periodic,
                                                        int block, const BoxCuts& cuts, const HaloOptions& options,
                                                        const Parts& parts)
    : LocalBlockStencil<Space>{BlockStencil<Space>(extents_of(cuts.box(ranks.rank())), block, within(periodic, cuts))},
      DistributedMatrix<Space>(ranks, LocalBlockStencil<Space>::stencil, parts.pattern, parts.coupling, false, false,
                               options),
      slot_(parts.slots) {
  this->name_rows([box = cuts.box(ranks.rank())](int row) { return cell_name(cell_of(box, row)); });
}

template <class Space>
void DistributedBlockStencil<Space>::finish_blocks() {
  take_border_blocks<Space>(this->stencil.stencil(), this->row_, this->start_, slot_, this->value_);
}

template class DistributedBlockStencil<Host>;
template class DistributedBlockStencil<Device>;

}  // namespace weir
