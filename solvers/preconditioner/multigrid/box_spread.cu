// One index a cell: 8 bytes, and 4 of index, twice a value.
#include "solvers/preconditioner/multigrid/box_spread.hpp"

#include <numeric>

#include "solvers/device/for_each.hpp"

namespace weir {
namespace spread_kernels {

template <class Space, class T>
void move(View<const int> from_place, View<const int> to_place, const T* from, T* to) {
  for_each<Space>(static_cast<int>(from_place.size()), [=] WEIR_HD(int i) { to[to_place[i]] = from[from_place[i]]; });
}
template <class Space, class T>
void pack(View<const int> place, const T* from, int width, int part, View<double> message) {
  for_each<Space>(static_cast<int>(place.size()),
                  [=] WEIR_HD(int i) { message[i * width + part] = static_cast<double>(from[place[i]]); });
}
template <class Space, class T>
void unpack(View<const int> place, View<const double> message, int width, int part, T* to) {
  for_each<Space>(static_cast<int>(place.size()),
                  [=] WEIR_HD(int i) { to[place[i]] = static_cast<T>(message[i * width + part]); });
}

}  // namespace spread_kernels

template <class Space>
BoxSpread<Space>::BoxSpread(const Communicator& ranks, const BoxCuts& cuts, std::array<int, 3> sizes,
                            const std::function<RankBox(int)>& source, const RankBox& target, int width, bool with_own,
                            const HaloOptions& options)
    : width_(width) {
  std::vector<int> own_from, own_to;
  std::vector<GhostRequest> requests;
  const int me = ranks.rank();
  std::vector<RankBox> sources;
  for (int r = 0; r < ranks.size(); ++r) sources.push_back(source(r));
  int place = 0;
  for (int k = target.low[2]; k < target.high[2]; ++k)
    for (int j = target.low[1]; j < target.high[1]; ++j)
      for (int i = target.low[0]; i < target.high[0]; ++i, ++place) {
        std::array<int, 3> cell{i, j, k};
        for (std::size_t d = 0; d < 3; ++d) cell[d] = (cell[d] + sizes[d]) % sizes[d];
        const int owner = cuts.owner(cell[0], cell[1], cell[2]),
                  index = index_in(sources[static_cast<std::size_t>(owner)], cell);
        if (owner != me) {
          requests.push_back({place, owner, index});
        } else if (with_own) {
          own_from.push_back(index);
          own_to.push_back(place);
        }
      }
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

#define WEIR_BOX_SPREAD(S)                                                                          \
  template class BoxSpread<S>;                                                                      \
  template void BoxSpread<S>::operator()(const Arrays<const double>&, const Arrays<double>&) const; \
  template void BoxSpread<S>::operator()(const Arrays<const float>&, const Arrays<float>&) const;
WEIR_BOX_SPREAD(Host)
WEIR_BOX_SPREAD(Device)
#undef WEIR_BOX_SPREAD

}  // namespace weir
