#include "miniapps/structured/ranks.hpp"

#include "base/at.hpp"
#include "miniapps/structured/boundary.hpp"
#include "miniapps/structured/metrics.hpp"
#include "solvers/parallel/rank_options.hpp"

namespace weir {
namespace {

int padded_index(const Layout& l, int i, int j, int k) { return l.origin() + i + j * l.stride(1) + k * l.stride(2); }

// body(i, j, k) for every point of the padded box.
template <class F>
void for_padded(const Layout& l, const F& body) {
  for (int k = -l.pad(2); k < l.n[2] + l.pad(2); ++k)
    for (int j = -l.pad(1); j < l.n[1] + l.pad(1); ++j)
      for (int i = -l.pad(0); i < l.n[0] + l.pad(0); ++i) body(i, j, k);
}

}  // namespace

RankOptions read_rank_options(const Table& config) {
  const Table t = config.table("ranks");
  RankOptions o;
  o.cutting = t.choice("partition", {"slabs", "blocks"}, "slabs") == "slabs" ? Cutting::slabs : Cutting::blocks;
  o.halo = read_halo_options(t);
  o.reduction = read_reduction(t);
  return o;
}

FlowRanks::FlowRanks(const Communicator& ranks, const IncompressibleCase& c, const RankOptions& options)
    : ranks_(&ranks), options_(options) {
  const bool periodic[3] = {c.is_periodic(0), c.is_periodic(1), c.is_periodic(2)};
  whole_ = make_layout(c.grid, periodic);
  partition_ =
      BlockPartition({whole_.n[0], whole_.n[1], whole_.n[2]}, ranks.size(), options.cutting, options.least_layers);
  local_ = part_of_layout(whole_, partition_.box(ranks.rank()));
}

BoxCuts FlowRanks::cuts(int component) const {
  std::array<int, 3> first{};
  if (component < 3) first[at(component)] = whole_.first(component);
  return cuts_of(partition_, first);
}

std::vector<GhostRequest> FlowRanks::ghosts() const {
  std::vector<GhostRequest> all;
  for_padded(local_, [&](int i, int j, int k) {
    const int local[3] = {i, j, k};
    int cell[3];
    bool inside = true;
    for (int d = 0; d < 3; ++d) {
      const bool below = local[d] < 0, above = local[d] >= local_.n[d];
      if ((below && !local_.cut[2 * d]) || (above && !local_.cut[2 * d + 1])) return;  // a side, or a period here
      inside = inside && !below && !above;
      cell[d] = (local[d] + local_.low[d] + whole_.n[d]) % whole_.n[d];
    }
    if (inside) return;
    const int owner = partition_.owner(cell[0], cell[1], cell[2]);
    const Layout there = part_of_layout(whole_, partition_.box(owner));
    all.push_back({padded_index(local_, i, j, k), owner,
                   padded_index(there, cell[0] - there.low[0], cell[1] - there.low[1], cell[2] - there.low[2])});
  });
  return all;
}

std::vector<GhostRequest> FlowRanks::cells_below() const {
  std::vector<GhostRequest> all;
  int place = 0;
  for (int d = 0; d < local_.dim; ++d) {
    if (!local_.cut[2 * d]) continue;
    int n[3] = {local_.n[0], local_.n[1], local_.n[2]};
    n[d] = 1;
    for (int k = 0; k < n[2]; ++k)
      for (int j = 0; j < n[1]; ++j)
        for (int i = 0; i < n[0]; ++i) {
          int cell[3] = {i + local_.low[0], j + local_.low[1], k + local_.low[2]};
          cell[d] = (local_.low[d] - 1 + whole_.n[d]) % whole_.n[d];
          const int owner = partition_.owner(cell[0], cell[1], cell[2]);
          const RankBox b = partition_.box(owner);
          all.push_back({place++, owner,
                         ((cell[2] - b.low[2]) * b.size(1) + cell[1] - b.low[1]) * b.size(0) + cell[0] - b.low[0]});
        }
  }
  return all;
}

std::vector<int> FlowRanks::field_places() const {
  std::vector<int> place;
  for_padded(local_, [&](int i, int j, int k) {
    place.push_back(padded_index(whole_, i + local_.low[0], j + local_.low[1], k + local_.low[2]));
  });
  return place;
}

std::vector<int> FlowRanks::unknown_places(int component) const {
  const RankBox b = cuts(component).box(ranks_->rank());
  const Extents e = component == 3 ? whole_.cells() : whole_.unknowns(component);
  std::vector<int> place;
  for (int k = b.low[2]; k < b.high[2]; ++k)
    for (int j = b.low[1]; j < b.high[1]; ++j)
      for (int i = b.low[0]; i < b.high[0]; ++i) place.push_back(e.index(i, j, k));
  return place;
}

template <class Space>
FlowHalo<Space>::FlowHalo(const FlowRanks& ranks) {
  if (ranks.alone()) return;
  const Communicator& all = ranks.communicator();
  const HaloPattern pattern = make_halo_pattern(all, ranks.ghosts());
  velocity_ = Halo<Space>(all, pattern, ranks.local().dim, ranks.options().halo);
  pressure_ = Halo<Space>(all, pattern, 1, ranks.options().halo);
  const std::vector<GhostRequest> below = ranks.cells_below();
  psi_ = Halo<Space>(all, make_halo_pattern(all, below), 1, ranks.options().halo);
  below_ = Array<double, Space>(static_cast<std::int64_t>(below.size()));
  std::int64_t begin = 0;
  const Layout& l = ranks.local();
  for (int d = 0; d < l.dim; ++d) {
    below_begin_[at(d)] = begin;
    if (l.cut[2 * d]) begin += l.cells().count() / l.n[d];
  }
}

template <class Space>
void FlowHalo<Space>::velocity(Flow<Space>& flow) {
  if (velocity_.empty()) return;
  HaloFields fields;
  for (int c = 0; c < flow.layout.dim; ++c) fields.add(flow.velocity[c].data());
  velocity_.exchange(fields);
}
template <class Space>
void FlowHalo<Space>::pressure(Flow<Space>& flow) {
  if (!pressure_.empty()) pressure_.exchange(HaloFields::blocks(flow.p.data(), 1));
}
template <class Space>
PsiBelow FlowHalo<Space>::psi(View<const double> psi) {
  if (psi_.empty()) return {};
  psi_.start(HaloFields::blocks(psi.data(), 1));
  psi_.finish();
  psi_.unpack(HaloFields::blocks(below_.data(), 1));
  PsiBelow below;
  for (int d = 0; d < 3; ++d) below.plane[d] = below_.data() + below_begin_[at(d)];
  return below;
}
template <class Space>
Traffic FlowHalo<Space>::traffic() const {
  Traffic t = velocity_.traffic();
  for (const Traffic& more : {pressure_.traffic(), psi_.traffic()}) {
    t.seconds += more.seconds;
    t.bytes += more.bytes;
    t.calls += more.calls;
  }
  return t;
}

FlowGather::FlowGather(const FlowRanks& ranks) {
  const Communicator& all = ranks.communicator();
  maps_[0] = RankMap(all, ranks.field_places());
  size_[0] = static_cast<std::size_t>(ranks.whole().padded_count());
  for (int c = 0; c < 4; ++c) {
    if (c < 3 && c >= ranks.whole().dim) continue;
    maps_[at(c) + 1] = RankMap(all, ranks.unknown_places(c));
    size_[at(c) + 1] = static_cast<std::size_t>(ranks.whole_size(c));
  }
  maps_[5] = RankMap(all, boundary_places(ranks.local(), ranks.whole()));
  size_[5] = static_cast<std::size_t>(BoundaryPlanes(ranks.whole()).total);
}

std::size_t FlowGather::kind(const std::string& name) const {
  if (name == "psi") return 4;
  if (name == "boundary") return 5;
  if (name.starts_with("advection_") || name.starts_with("delta_"))
    return name.back() == 'u' ? 1 : name.back() == 'v' ? 2 : 3;
  return 0;
}
const RankMap& FlowGather::map(const std::string& name) const { return maps_[kind(name)]; }
std::size_t FlowGather::whole_size(const std::string& name) const { return size_[kind(name)]; }

template class FlowHalo<Host>;
template class FlowHalo<Device>;

}  // namespace weir
