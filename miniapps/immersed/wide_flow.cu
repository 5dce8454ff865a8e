#include "miniapps/immersed/wide_flow.hpp"

#include <algorithm>

#include "solvers/device/for_each.hpp"

namespace weir {
namespace {

// Points of the padded region that this rank does not own: a ghost next to a side of the whole box, or where a period
// closes within a rank, belongs to the owner of the cell next to it.
std::vector<GhostRequest> missing_points(const FlowRanks& ranks, const Layout& region) {
  const Layout& whole = ranks.whole();
  const int me = ranks.communicator().rank();
  std::vector<GhostRequest> all;
  region.for_padded([&](int i, int j, int k) {
    const int point[3] = {i + region.low[0], j + region.low[1], k + region.low[2]};
    int cell[3];
    for (int d = 0; d < 3; ++d) cell[d] = std::clamp(point[d], 0, whole.n[d] - 1);
    const int owner = ranks.partition().owner(cell[0], cell[1], cell[2]);
    if (owner == me) return;
    const Layout there = part_of(whole, ranks.partition().box(owner));
    all.push_back({region.padded_index(i, j, k), owner,
                   there.padded_index(point[0] - there.low[0], point[1] - there.low[1], point[2] - there.low[2])});
  });
  return all;
}

// The rank's own points, ghosts included: what of them belongs to others arrives afterwards.
template <class Space>
void copy_own(const Layout& from, const double* own, const Layout& to, double* wide) {
  const Extents padded{from.padded(0), from.padded(1), from.padded(2)};
  const int sy = from.stride(1), sz = from.stride(2), ty = to.stride(1), tz = to.stride(2);
  const int start = (from.low[0] - to.low[0]) + (from.low[1] - to.low[1]) * ty + (from.low[2] - to.low[2]) * tz;
  for_each<Space>(padded,
                  [=] WEIR_HD(int i, int j, int k) { wide[start + i + j * ty + k * tz] = own[i + j * sy + k * sz]; });
}

}  // namespace

template <class Space>
WideFlow<Space>::WideFlow(const FlowRanks& ranks, const Grid& grid, const Layout& region, std::size_t scalars) {
  if (ranks.alone()) return;
  const Communicator& all = ranks.communicator();
  const HaloPattern pattern = make_halo_pattern(all, missing_points(ranks, region));
  wide_ = std::make_unique<Flow<Space>>(region);
  metrics_ = std::make_unique<MetricArrays<Space>>(grid, region);
  for (std::size_t s = 0; s < scalars; ++s) wide_->scalars.emplace_back(region.padded_count());
  const int most = HaloFields::most, fields = region.dim + 1 + static_cast<int>(scalars);
  all_ = Halo<Space>(all, pattern, std::min(fields, most), ranks.options().halo);
  pressure_ = Halo<Space>(all, pattern, 1, ranks.options().halo);
}

template <class Space>
void WideFlow<Space>::fetch(const Flow<Space>& own) {
  if (!wide_) return;
  HaloFields from, to;
  for (int c = 0; c < own.layout.dim; ++c) {
    from.add(own.velocity[c].data());
    to.add(wide_->velocity[c].data());
  }
  from.add(own.p.data());
  to.add(wide_->p.data());
  std::size_t s = 0;
  for (; s < own.scalars.size() && from.width < HaloFields::most; ++s) {
    from.add(own.scalars[s].data());
    to.add(wide_->scalars[s].data());
  }
  all_.start(from);
  for (int c = 0; c < from.width; ++c) copy_own<Space>(own.layout, from.first[c], wide_->layout, to.first[c]);
  all_.finish();
  all_.unpack(to);
  for (; s < own.scalars.size(); ++s)
    fetch_one(own.layout, own.scalars[s], wide_->scalars[s]);  // no room in one message
  is_current_ = true;
}

template <class Space>
void WideFlow<Space>::fetch_one(const Layout& layout, const Array<double, Space>& own, Array<double, Space>& wide) {
  pressure_.start(HaloFields::blocks(own.data(), 1));
  copy_own<Space>(layout, own.data(), wide_->layout, wide.data());
  pressure_.finish();
  pressure_.unpack(HaloFields::blocks(wide.data(), 1));
}

template <class Space>
void WideFlow<Space>::fetch_pressure(const Flow<Space>& own) {
  if (!wide_) return;
  fetch_one(own.layout, own.p, wide_->p);
  is_current_ = false;
}

template class WideFlow<Host>;
template class WideFlow<Device>;

}  // namespace weir
