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
      slot_(Local::border.slots),
      is_joined_(std::is_same_v<Space, Host> && ranks.has_exact_sums() && ranks.size() > 1 && cuts.parts(0) == 1 &&
                 (whole.nz == 1 || cuts.parts(1) == 1)),
      last_direction_(whole.nz > 1 ? 2 : 1) {
  if (is_joined_) planes_.connect(Local::border.coupling, Local::border.slots);
  this->name_rows([box = cuts.box(ranks.rank())](int row) { return cell_name(cell_of(box, row)); });
}

template <class Space>
void DistributedBlockStencil<Space>::finish_blocks() {
  take_border_blocks<Space>(own().stencil(), this->row_, this->start_, slot_, this->value_);
}

template <class Space>
bool DistributedBlockStencil<Space>::exact_product(Product p, const double* b, View<const double> x,
                                                   View<double> y) const {
  if (!is_joined_) return false;
  this->fetch(x);
  const double* around = planes_.around(x, this->ghosts().data()).data() + planes_.values_before();
  BlockStencilView A = own().stencil();
  if (planes_.values_before() > 0) A.before = slot::delta - 1 - last_direction_;
  if (planes_.values_after() > 0) A.after = slot::delta + 1 + last_direction_;
  host_product(A, p, b, around, y.data());
  return true;
}

template class DistributedBlockStencil<Host>;
template class DistributedBlockStencil<Device>;

}  // namespace weir
