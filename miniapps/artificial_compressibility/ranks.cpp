#include "miniapps/artificial_compressibility/ranks.hpp"

#include "base/at.hpp"

namespace weir {
namespace {

// The side beyond which a cell lies, or -1; -2: beyond an edge, where nothing is read.
int side_beyond(const CoupledCells& c, const int (&at)[3]) {
  int side = -1;
  for (int d = 0; d < 3; ++d)
    if (at[d] < 0 || at[d] >= c.n[d]) side = side == -1 ? 2 * d + (at[d] < 0 ? 0 : 1) : -2;
  return side;
}

// Blocks of unknowns instead of cells.
std::vector<int> unknowns_of(const std::vector<int>& cells, int unknowns) {
  std::vector<int> all;
  all.reserve(cells.size() * at(unknowns));
  for (const int cell : cells)
    for (int u = 0; u < unknowns; ++u) all.push_back(cell * unknowns + u);
  return all;
}

}  // namespace

std::vector<GhostRequest> CoupledRanks::ghosts() const {
  std::vector<GhostRequest> all;
  local().for_padded([&](int i, int j, int k) {
    const int side = side_beyond(local(), {i, j, k});
    if (side >= 0 && local().cut[side]) all.push_back(request(i, j, k));
  });
  return all;
}

CoupledRanks::Places CoupledRanks::places(const std::vector<int>& here, const std::vector<int>& there,
                                          int whole_cells) const {
  const int n = whole().unknowns;
  return {unknowns_of(here, n), unknowns_of(there, n), at(whole_cells) * at(n)};
}

CoupledRanks::Places CoupledRanks::field_places() const {
  const CoupledCells& l = local();
  std::vector<int> here, there;
  l.for_padded([&](int i, int j, int k) {
    const int side = side_beyond(l, {i, j, k}), d = side / 2;
    const bool is_end = side == -1 || (side >= 0 && (side % 2 == 0 ? l.low[d] == 0 : l.low[d] + l.n[d] == l.whole[d]));
    if (!is_end) return;
    here.push_back(l.padded_index(i, j, k));
    there.push_back(whole().padded_index(i + l.low[0], j + l.low[1], k + l.low[2]));
  });
  return places(here, there, whole().padded_count());
}

CoupledRanks::Places CoupledRanks::vector_places() const {
  std::vector<int> here;
  for (int cell = 0; cell < local().extents().count(); ++cell) here.push_back(cell);
  return places(here, cell_numbers(), whole().extents().count());
}

std::vector<int> CoupledRanks::cell_numbers() const {
  return places_of(whole().extents(), partition().box(communicator().rank()));
}

template <class Space>
CoupledHalo<Space>::CoupledHalo(const CoupledRanks& ranks) : unknowns_(ranks.whole().unknowns) {
  if (ranks.alone()) return;
  const Communicator& all = ranks.communicator();
  halo_ = Halo<Space>(all, make_halo_pattern(all, ranks.ghosts()), unknowns_, ranks.options().halo);
}

template <class Space>
void CoupledHalo<Space>::exchange(CoupledField<Space>& x) {
  if (!halo_.empty()) halo_.exchange(HaloFields::blocks(x.values().data(), unknowns_));
}

CoupledGather::CoupledGather(const CoupledRanks& ranks)
    : alone_(ranks.alone()), is_root_(ranks.communicator().is_root()) {
  if (alone_) return;
  field_.places = ranks.field_places();
  vector_.places = ranks.vector_places();
  for (Part* part : {&field_, &vector_}) part->map = RankMap(ranks.communicator(), part->places.whole);
}

std::size_t CoupledGather::whole_size(const std::string& name, std::size_t mine) const {
  return alone_ ? mine : part(name).places.whole_size;
}

std::vector<double> CoupledGather::gathered(const std::string& name, const std::vector<double>& mine) const {
  if (alone_) return mine;
  const Part& p = part(name);
  std::vector<double> packed, whole(is_root_ ? p.places.whole_size : 0);
  packed.reserve(p.places.here.size());
  for (const int place : p.places.here) packed.push_back(mine[at(place)]);
  p.map.gather(packed, whole);
  return whole;
}

std::vector<double> CoupledGather::scattered(const std::string& name, std::span<const double> whole,
                                             std::size_t size) const {
  if (alone_) return {whole.begin(), whole.end()};
  const Part& p = part(name);
  std::vector<double> packed(p.places.here.size()), mine(size, 0.0);
  p.map.scatter(whole, packed);
  for (std::size_t i = 0; i < packed.size(); ++i) mine[at(p.places.here[i])] = packed[i];
  return mine;
}

template class CoupledHalo<Host>;
template class CoupledHalo<Device>;

}  // namespace weir
