#include "miniapps/structured/ranks.hpp"

#include "base/at.hpp"
#include "miniapps/structured/boundary.hpp"

namespace weir {

Options partition_options() {
  static constexpr Option keys[] = {{"partition", Option::text, "slabs",
                                     "partition of a structured grid over ranks; slabs: cuts in the last direction "
                                     "only; blocks: cuts in all directions",
                                     "slabs | blocks"},
                                    {"exact_sums", Option::boolean, "false",
                                     "switch for sums without rounding errors, whose bits do not depend on the numbers "
                                     "of ranks and threads; on the host"}};
  return keys;
}

RankOptions read_rank_options(const Table& config) {
  const Table t = config.table("ranks");
  RankOptions o;
  const Table grid = t.described_by(partition_options());
  o.cutting = grid.get<std::string>("partition") == "slabs" ? Cutting::slabs : Cutting::blocks;
  o.exact_sums = grid.get<bool>("exact_sums");
  o.halo = read_halo_options(t);
  o.reduction = read_reduction(t);
  return o;
}

BoxCuts FlowRanks::cuts(int component) const {
  std::array<int, 3> first{};
  if (component < 3) first[component] = whole().first(component);
  return cuts_of(partition(), first);
}

std::vector<GhostRequest> FlowRanks::ghosts() const {
  std::vector<GhostRequest> all;
  local().for_padded([&](int i, int j, int k) {
    const int point[3] = {i, j, k};
    bool inside = true;
    for (int d = 0; d < 3; ++d) {
      const bool below = point[d] < 0, above = point[d] >= local().n[d];
      if ((below && !local().cut[2 * d]) || (above && !local().cut[2 * d + 1])) return;  // a side, or a period here
      inside = inside && !below && !above;
    }
    if (!inside) all.push_back(request(i, j, k));
  });
  return all;
}

std::vector<GhostRequest> FlowRanks::cells_below() const {
  const auto cell_index = [](const Layout& l, int i, int j, int k) { return l.cells().index(i, j, k); };
  std::vector<GhostRequest> all;
  for (int d = 0; d < local().dim; ++d) {
    if (!local().cut[2 * d]) continue;
    int begin[3] = {}, end[3] = {local().n[0], local().n[1], local().n[2]};
    begin[d] = -1;
    end[d] = 0;
    for (int k = begin[2]; k < end[2]; ++k)
      for (int j = begin[1]; j < end[1]; ++j)
        for (int i = begin[0]; i < end[0]; ++i)
          all.push_back(request(static_cast<int>(all.size()), i, j, k, cell_index));
  }
  return all;
}

std::vector<Places> FlowRanks::places() const {
  std::vector<Places> all(6);
  local().for_padded([&](int i, int j, int k) {
    const int* low = local().low;
    all[0].whole.push_back(whole().padded_index(i + low[0], j + low[1], k + low[2]));
  });
  all[0].whole_size = at(whole().padded_count());
  for (int c = 0; c < 4; ++c)
    if (c < whole().dim || c == 3) all[at(c) + 1] = {{}, unknown_places(c), at(unknowns(c).count())};
  all[5] = {{}, boundary_places(local(), whole()), at(BoundaryPlanes(whole()).total)};
  return all;
}

std::size_t FlowRanks::kind_of(const std::string& name) {
  if (name == "psi") return 4;
  if (name == "boundary") return 5;
  if (!name.starts_with("advection_") && !name.starts_with("delta_")) return 0;
  const std::string of = name.substr(name.find('_') + 1);
  return of == "u" ? 1 : of == "v" ? 2 : of == "w" ? 3 : 4;  // 4: a scalar's
}

std::vector<int> FlowRanks::unknown_places(int component) const {
  return places_of(unknowns(component), cuts(component).box(communicator().rank()));
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
    below_begin_[d] = begin;
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
PsiBelow FlowHalo<Space>::psi_below(View<const double> psi) {
  if (psi_.empty()) return {};
  psi_.start(HaloFields::blocks(psi.data(), 1));
  psi_.finish();
  psi_.unpack(HaloFields::blocks(below_.data(), 1));
  PsiBelow below;
  for (int d = 0; d < 3; ++d) below.plane[d] = below_.data() + below_begin_[d];
  return below;
}

std::vector<double> Gather::gathered(const std::string& name, const std::vector<double>& mine) const {
  const Spread* of = spread(name);
  if (!of) return mine;
  RootReads reads(*ranks_);
  const std::size_t array = reads.add(*of, mine);
  std::vector<double> whole(ranks_->is_root() ? of->whole_size() : 0);
  reads.while_root([&] { reads.read(array, 0, whole); });
  return whole;
}

template class FlowHalo<Host>;
template class FlowHalo<Device>;

}  // namespace weir
