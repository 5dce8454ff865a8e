#include "solvers/distributed/distributed_banded.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "solvers/device/for_each.hpp"

namespace weir {
namespace distributed_kernels {

// The bands that point out of the box come into the coupling.
template <class Space>
void take_bands(const BlockStencilView& bands, View<const int> row, View<const int> start, View<const int> slot,
                View<double> value) {
  const BlockStencilView a = bands;
  for_each<Space>(static_cast<int>(row.size()), [=] WEIR_HD(int r) {
    for (int e = start[r]; e < start[r + 1]; ++e)
      if (slot[e] >= 0) value[e] = a.slot_blocks(slot[e])[row[r]];
  });
}

}  // namespace distributed_kernels

namespace {

std::size_t at(int d) { return static_cast<std::size_t>(d); }

Extents extents_of(const RankBox& b) { return {b.size(0), b.size(1), b.size(2)}; }

int local_index(const RankBox& b, const std::array<int, 3>& c) {
  return ((c[2] - b.low[2]) * b.size(1) + c[1] - b.low[1]) * b.size(0) + c[0] - b.low[0];
}

std::vector<int> places_of(Extents whole, const RankBox& b) {
  std::vector<int> place;
  for (int k = b.low[2]; k < b.high[2]; ++k)
    for (int j = b.low[1]; j < b.high[1]; ++j)
      for (int i = b.low[0]; i < b.high[0]; ++i) place.push_back(whole.index(i, j, k));
  return place;
}

// Periods that lie within the box.
Periodic within(const Periodic& p, const BoxCuts& cuts) {
  return {p.x && cuts.parts(0) == 1, p.y && cuts.parts(1) == 1, p.z && cuts.parts(2) == 1};
}

bool same(const std::vector<GhostRequest>& a, const std::vector<GhostRequest>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const GhostRequest& x, const GhostRequest& y) {
    return x.place == y.place && x.owner == y.owner && x.index == y.index;
  });
}

}  // namespace

template <class Space>
DistributedBanded<Space>::DistributedBanded(const Communicator& ranks, Extents whole, Periodic periodic,
                                            const BoxCuts& cuts, const HaloOptions& options)
    : LocalBanded<Space>{Banded<Space>(extents_of(cuts.box(ranks.rank())), within(periodic, cuts))},
      DistributedMatrix<Space>(ranks, LocalBanded<Space>::bands, make_halo_pattern(ranks, {}), {}, false, false,
                               options),
      whole_(whole),
      periodic_(periodic),
      box_(cuts.box(ranks.rank())),
      map_(ranks, places_of(whole, box_)),
      options_(options) {
  if (options_.path == DevicePath::probe)
    options_.path = this->halo_.path().starts_with("direct") ? DevicePath::direct : DevicePath::staged;
  for (int d = 0; d < 3; ++d)
    for (int end = 0; end < 2 && cuts.parts(d) > 1; ++end) add_side(cuts, d, end);
  connect({});
}

template <class Space>
void DistributedBanded<Space>::add_side(const BoxCuts& cuts, int d, int end) {
  const int size = d == 0 ? whole_.nx : d == 1 ? whole_.ny : whole_.nz;
  const bool wraps = d == 0 ? periodic_.x : d == 1 ? periodic_.y : periodic_.z;
  const int edge = end == 0 ? box_.low[at(d)] : box_.high[at(d)] - 1;
  int beyond = end == 0 ? edge - 1 : edge + 1;
  if ((beyond < 0 || beyond >= size) && !wraps) return;
  beyond = (beyond + size) % size;
  RankBox plane = box_;
  plane.low[at(d)] = edge;
  plane.high[at(d)] = edge + 1;
  const int slot = slot::delta + (end == 0 ? -1 - d : 1 + d);
  for (int k = plane.low[2]; k < plane.high[2]; ++k)
    for (int j = plane.low[1]; j < plane.high[1]; ++j)
      for (int i = plane.low[0]; i < plane.high[0]; ++i) {
        const std::array<int, 3> cell{i, j, k};
        std::array<int, 3> other = cell;
        other[at(d)] = beyond;
        const int owner = cuts.owner(other[0], other[1], other[2]);
        border_.push_back({local_index(box_, cell), owner, local_index(cuts.box(owner), other), slot, 0});
      }
}

// A ghost may belong to several rows: it travels once.
template <class Space>
void DistributedBanded<Space>::connect(const std::vector<RemoteEntry>& remote) {
  std::vector<Link> links = border_;
  for (const RemoteEntry& e : remote) links.push_back({e.row, e.owner, e.index, -1, e.value});
  std::stable_sort(links.begin(), links.end(), [](const Link& a, const Link& b) { return a.row < b.row; });
  std::map<std::pair<int, int>, int> number;
  std::vector<GhostRequest> requests;
  for (const Link& link : links) {
    const auto [it, is_new] = number.emplace(std::pair(link.owner, link.index), static_cast<int>(requests.size()));
    if (is_new) requests.push_back({it->second, link.owner, link.index});
  }
  const Communicator& ranks = *this->ranks();
  if (ranks.any(!is_connected_ || !same(requests, requested_))) {
    pattern_ = make_halo_pattern(ranks, requests);
    this->halo_ = Halo<Space>(ranks, pattern_, 1, options_);
    requested_ = requests;
    is_connected_ = true;
  }
  std::vector<int> place(requests.size());  // the halo sorts by owner: where it puts each request
  for (std::size_t g = 0; g < pattern_.receive.size(); ++g) place[at(pattern_.receive[g])] = static_cast<int>(g);
  Coupling c;
  std::vector<int> slot;
  for (const Link& link : links) {
    if (c.row.empty() || c.row.back() != link.row) {
      if (!c.row.empty()) c.start.push_back(static_cast<int>(c.ghost.size()));
      c.row.push_back(link.row);
    }
    c.ghost.push_back(place[at(number[{link.owner, link.index}])]);
    c.value.push_back(link.value);
    slot.push_back(link.slot);
  }
  if (!c.row.empty()) c.start.push_back(static_cast<int>(c.ghost.size()));
  this->row_ = Array<int, Space>(c.row);
  this->start_ = Array<int, Space>(c.start);
  this->ghost_ = Array<int, Space>(c.ghost);
  this->value_ = Array<double, Space>(c.value);
  slot_ = Array<int, Space>(slot);
}

template <class Space>
void DistributedBanded<Space>::set_remainder(const RemainderData& own, const std::vector<RemoteEntry>& remote) {
  this->bands.set_remainder(own);
  const Communicator& ranks = *this->ranks();
  has_remainder_ = ranks.any(!own.row.empty() || !remote.empty());
  connect(remote);
}

template <class Space>
void DistributedBanded<Space>::finish_bands() {
  distributed_kernels::take_bands<Space>(this->bands.stencil(), this->row_, this->start_, slot_, this->value_);
}

template <class Space>
std::unique_ptr<Matrix<Space>> DistributedBanded<Space>::make_whole() const {
  std::unique_ptr<Matrix<Space>> whole;
  if (this->ranks()->is_root()) whole = std::make_unique<Banded<Space>>(whole_, periodic_);
  update_whole(whole.get());
  return whole;
}

template <class Space>
void DistributedBanded<Space>::update_whole(Matrix<Space>* whole) const {
  const auto slots = at(this->bands.stencil().slots), n = at(this->rows()), all = at(whole_.count());
  std::vector<double> mine(slots * n), values(whole ? slots * all : 0);
  this->bands.download(mine);
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
