#include "solvers/distributed/distributed_banded.hpp"

#include <algorithm>
#include <utility>

#include "base/at.hpp"

namespace weir {
template <class Space>
DistributedBanded<Space>::DistributedBanded(const Communicator& ranks, Extents whole, Periodic periodic,
                                            const BoxCuts& cuts, const HaloOptions& options)
    : Local{Banded<Space>(extents_of(cuts.box(ranks.rank())), within(periodic, cuts)),
            ConnectedBorder(ranks, BorderCoupling({}))},  // empty until connect
      DistributedMatrix<Space>(ranks, Local::own_matrix, Local::border.pattern, {}, false, false, options),
      whole_(whole),
      periodic_(periodic),
      cuts_(cuts),
      box_(cuts.box(ranks.rank())),
      map_(ranks, places_of(whole, box_)),
      direction_(directions_of(cubes(whole, periodic), whole, periodic)),
      is_joined_(std::is_same_v<Space, Host> && ranks.has_exact_sums() && cuts.parts(0) == 1) {
  border_ = border_links(whole, periodic, cuts, ranks.rank());
  connect({}, {});
  this->name_rows([box = box_](int row) { return cell_name(cell_of(box, row)); });
}

template <class Space>
void DistributedBanded<Space>::connect(const RemainderData& own, const std::vector<RemoteEntry>& remote) {
  std::vector<BorderLink> links = border_;
  for (const RemoteEntry& e : remote) links.push_back({e.row, e.owner, e.index, -1, e.value});
  const BorderCoupling border(std::move(links));
  const Communicator& ranks = *this->ranks();
  if (ranks.any(!is_connected_ || border.requests != requested_)) {
    pattern_ = make_halo_pattern(ranks, border.requests);
    this->halo_.connect(ranks, pattern_, 1, this->halo_options());
    requested_ = border.requests;
    is_connected_ = true;
  }
  const Coupling c = border.coupling(pattern_);
  this->row_.assign(c.row);
  this->start_.assign(c.start);
  this->ghost_.assign(c.ghost);
  this->value_.assign(c.value);
  slot_.assign(border.slots());
  ++this->connections_;
  if (is_joined_) join_rows(own, remote, c);
}

// The entries of the coupling without a slot are those of `remote`, in its order.
template <class Space>
void DistributedBanded<Space>::join_rows(const RemainderData& own, const std::vector<RemoteEntry>& remote,
                                         const Coupling& c) {
  planes_.connect(c, slot_.to_vector());
  std::vector<int> ghost;
  for (std::size_t e = 0; e < c.ghost.size(); ++e)
    if (slot_.data()[e] < 0) ghost.push_back(c.ghost[e]);
  remainder_ = {};
  remainder_.start.push_back(0);
  auto next = remote.begin();
  for (std::size_t q = 0; q < own.row.size(); ++q) {
    int place = 0;
    const auto take_remote = [&] {
      for (; next != remote.end() && next->row == own.row[q] && next->place == place; ++next, ++place) {
        remainder_.column.push_back(this->rows() + ghost[at(next - remote.begin())]);
        remainder_.value.push_back(next->value);
      }
    };
    take_remote();
    for (int e = own.start[q]; e < own.start[q + 1]; ++e, ++place, take_remote()) {
      remainder_.column.push_back(own.column[at(e)]);
      remainder_.value.push_back(own.value[at(e)]);
    }
    remainder_.start.push_back(static_cast<int>(remainder_.column.size()));
  }
}

template <class Space>
bool DistributedBanded<Space>::exact_product(Product p, const double* b, View<const double> x, View<double> y) const {
  if (!is_joined_) return false;
  this->fetch(x);
  const double* ghosts = this->ghosts().data();
  BandedView A = own().banded();
  A.beyond = planes_.take(ghosts);
  A.remainder.start = remainder_.start.data();
  A.remainder.column = remainder_.column.data();
  A.remainder.value = remainder_.value.data();
  A.remainder.beyond = ghosts;
  banded_products::product(Host{}, A, p, b, x.data(), y.data());
  return true;
}

template <class Space>
void DistributedBanded<Space>::set_remainder(const RemainderData& own, const std::vector<RemoteEntry>& remote) {
  Local::own_matrix.set_remainder(own);
  const Communicator& ranks = *this->ranks();
  has_remainder_ = ranks.any(!own.row.empty() || !remote.empty());
  connect(own, remote);
}

template <class Space>
void DistributedBanded<Space>::set_grid(const BandedGrid& grid) {
  direction_ = directions_of(grid, whole_, periodic_);
  has_grid_ = true;
}

template <class Space>
void DistributedBanded<Space>::finish_bands() {
  take_border_blocks<Space>(own().stencil(), this->row_, this->start_, slot_, this->value_);
}

template <class Space>
std::unique_ptr<Matrix<Space>> DistributedBanded<Space>::make_whole() const {
  std::unique_ptr<Matrix<Space>> whole;
  if (this->ranks()->is_root()) {
    auto banded = std::make_unique<Banded<Space>>(whole_, periodic_);
    if (has_grid_) banded->set_directions(direction_);
    whole = std::move(banded);
  }
  update_whole(whole.get());
  return whole;
}

template <class Space>
void DistributedBanded<Space>::update_whole(Matrix<Space>* whole) const {
  const auto slots = at(own().stencil().slots), n = at(this->rows()), all = at(whole_.count());
  std::vector<double> mine(slots * n), values(whole ? slots * all : 0);
  own().download(mine);
  for (std::size_t s = 0; s < slots; ++s)
    map_.gather(std::span(mine).subspan(s * n, n), whole ? std::span(values).subspan(s * all, all) : std::span(values));
  if (!whole) return;
  auto& banded = dynamic_cast<Banded<Space>&>(*whole);
  banded.upload(values);
  banded.set_symmetric(is_symmetric());
  banded.set_constant_null_space(has_constant_null_space());
}

template class DistributedBanded<Host>;
template class DistributedBanded<Device>;

}  // namespace weir
