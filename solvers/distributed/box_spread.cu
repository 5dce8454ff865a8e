// One index per cell: per value 2 x 8 bytes, and 4 for the index.
#include "solvers/distributed/box_spread.hpp"

#include <numeric>

#include "solvers/device/for_each.hpp"

namespace weir {
namespace spread_kernels {

template <class Space, class T>
void move(View<const int> from_place, View<const int> to_place, const T* from, T* to) {
  for_each<Space>(from_place.size(), [=] WEIR_HD(int i) { to[to_place[i]] = from[from_place[i]]; });
}
template <class Space, class T>
void pack(View<const int> place, const T* from, int width, int part, View<double> message) {
  for_each<Space>(place.size(),
                  [=] WEIR_HD(int i) { message[i * width + part] = static_cast<double>(from[place[i]]); });
}
template <class Space, class T>
void unpack(View<const int> place, View<const double> message, int width, int part, T* to) {
  for_each<Space>(place.size(), [=] WEIR_HD(int i) { to[place[i]] = static_cast<T>(message[i * width + part]); });
}

}  // namespace spread_kernels

namespace {

// f(cell, the same cell in the whole grid).
template <class F>
void for_cells(const RankBox& box, const std::array<int, 3>& sizes, const F& f) {
  for (int c = 0; c < extents_of(box).count(); ++c) {
    const std::array<int, 3> cell = cell_of(box, c);
    std::array<int, 3> in = cell;
    for (int d = 0; d < 3; ++d) in[d] = (in[d] + sizes[d]) % sizes[d];
    f(cell, in);
  }
}

}  // namespace

template <class Space>
void take_at(View<const int> place, View<const double> from, View<double> to) {
  spread_kernels::pack<Space>(place, from.data(), 1, 0, to);
}

template <class Space>
BoxSpread<Space>::BoxSpread(const Communicator& ranks, const BoxCuts& cuts, std::array<int, 3> sizes,
                            const std::function<RankBox(int)>& source, const RankBox& target, int width, bool with_own,
                            const HaloOptions& options, PlaceInBox place_in)
    : width_(width) {
  std::vector<int> own_from, own_to;
  std::vector<GhostRequest> requests;
  const int me = ranks.rank();
  std::vector<RankBox> sources;
  for (int r = 0; r < ranks.size(); ++r) sources.push_back(source(r));
  for_cells(target, sizes, [&](const std::array<int, 3>& cell, const std::array<int, 3>& in) {
    const int place = place_in(target, cell), owner = cuts.owner(in);
    const int index = place_in(sources[owner], in);
    if (owner != me) {
      requests.push_back({place, owner, index});
    } else if (with_own) {
      own_from.push_back(index);
      own_to.push_back(place);
    }
  });
  HaloPattern pattern = make_halo_pattern(ranks, requests);
  send_ = Array<int, Space>(pattern.send);
  receive_ = Array<int, Space>(pattern.receive);
  own_from_ = Array<int, Space>(own_from);
  own_to_ = Array<int, Space>(own_to);
  message_ = Array<double, Space>(static_cast<std::int64_t>(pattern.send.size()) * width);
  std::iota(pattern.send.begin(), pattern.send.end(), 0);
  halo_ = Halo<Space>(ranks, pattern, width, options);
}

template <class Space>
template <class T>
void BoxSpread<Space>::operator()(const Arrays<const T>& from, const Arrays<T>& to) const {
  for (int p = 0; p < width_; ++p) spread_kernels::pack<Space>(send_, from.part[p], width_, p, message_);
  halo_.start(HaloFields::blocks(message_.data(), width_));
  for (int p = 0; p < width_; ++p) spread_kernels::move<Space>(own_from_, own_to_, from.part[p], to.part[p]);
  halo_.finish();
  for (int p = 0; p < width_; ++p) spread_kernels::unpack<Space>(receive_, halo_.ghosts(), width_, p, to.part[p]);
}

template <class Space>
BoxGather<Space>::BoxGather(const Communicator& ranks, std::array<int, 3> sizes, const RankBox& own,
                            const RankBox& source, const RankBox& target, PlaceInBox place)
    : is_root_(ranks.is_root()) {
  std::vector<int> from, own_cells, to, target_cells, whole;
  const RankBox all{{0, 0, 0}, sizes};
  for_cells(own, sizes, [&](const std::array<int, 3>& cell, const std::array<int, 3>& in) {
    from.push_back(place(source, cell));
    own_cells.push_back(index_in(all, in));
  });
  for_cells(target, sizes, [&](const std::array<int, 3>& cell, const std::array<int, 3>& in) {
    to.push_back(place(target, cell));
    target_cells.push_back(index_in(all, in));
  });
  own_ = RankMap(ranks, own_cells);
  target_ = RankMap(ranks, target_cells);
  from_ = Array<int, Space>(from);
  to_ = Array<int, Space>(to);
  mine_ = Array<double, Space>(from_.size());
  wide_ = Array<double, Space>(to_.size());
  mine_host_.resize(from.size());
  wide_host_.resize(to.size());
  if (!is_root_) return;
  for_cells(all, sizes, [&](const std::array<int, 3>& cell, const auto&) { whole.push_back(place(all, cell)); });
  whole_ = Array<int, Space>(whole);
  all_ = Array<double, Space>(whole_.size());
  all_host_.resize(whole.size());
}

template <class Space>
template <class T>
void BoxGather<Space>::gather(const T* from, T* whole) const {
  spread_kernels::pack<Space>(from_, from, 1, 0, mine_);
  mine_.download(mine_host_);
  own_.gather(mine_host_, all_host_);
  if (!is_root_) return;
  all_.upload(all_host_);
  spread_kernels::unpack<Space>(whole_, all_, 1, 0, whole);
}

template <class Space>
template <class T>
void BoxGather<Space>::scatter(const T* whole, T* to) const {
  if (is_root_) {
    spread_kernels::pack<Space>(whole_, whole, 1, 0, all_);
    all_.download(all_host_);
  }
  target_.scatter(all_host_, wide_host_);
  wide_.upload(wide_host_);
  spread_kernels::unpack<Space>(to_, wide_, 1, 0, to);
}

#define WEIR_BOX_SPREAD(S)                                                                          \
  template void take_at<S>(View<const int>, View<const double>, View<double>);                      \
  template class BoxSpread<S>;                                                                      \
  template void BoxSpread<S>::operator()(const Arrays<const double>&, const Arrays<double>&) const; \
  template void BoxSpread<S>::operator()(const Arrays<const float>&, const Arrays<float>&) const;   \
  template class BoxGather<S>;                                                                      \
  template void BoxGather<S>::gather(const float*, float*) const;                                   \
  template void BoxGather<S>::gather(const double*, double*) const;                                 \
  template void BoxGather<S>::scatter(const float*, float*) const;                                  \
  template void BoxGather<S>::scatter(const double*, double*) const;
WEIR_BOX_SPREAD(Host)
WEIR_BOX_SPREAD(Device)
#undef WEIR_BOX_SPREAD

}  // namespace weir
