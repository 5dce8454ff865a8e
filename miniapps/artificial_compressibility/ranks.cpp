#include "miniapps/artificial_compressibility/ranks.hpp"

#include <utility>

namespace weir {
namespace {

// body(i, j, k) for every cell of the padded box with at most one index beyond its ends.
template <class F>
void for_padded(const CoupledCells& c, const F& body) {
  for (int k = -c.pad(2); k < c.n[2] + c.pad(2); ++k)
    for (int j = -c.pad(1); j < c.n[1] + c.pad(1); ++j)
      for (int i = -c.pad(0); i < c.n[0] + c.pad(0); ++i) {
        const int out = (i < 0 || i >= c.n[0]) + (j < 0 || j >= c.n[1]) + (k < 0 || k >= c.n[2]);
        if (out <= 1) body(i, j, k);
      }
}

// The side beyond which a cell lies, or -1.
int side_beyond(const CoupledCells& c, const int (&at)[3]) {
  for (int d = 0; d < 3; ++d) {
    if (at[d] < 0) return 2 * d;
    if (at[d] >= c.n[d]) return 2 * d + 1;
  }
  return -1;
}

int padded_index(const CoupledCells& c, int i, int j, int k) { return c.origin() + c.at(i, j, k); }

// Blocks of unknowns instead of cells.
std::vector<int> unknowns_of(const std::vector<int>& cells, int unknowns) {
  std::vector<int> all;
  all.reserve(cells.size() * static_cast<std::size_t>(unknowns));
  for (const int cell : cells)
    for (int u = 0; u < unknowns; ++u) all.push_back(cell * unknowns + u);
  return all;
}

}  // namespace

CoupledRanks::CoupledRanks(const Communicator& ranks, const IncompressibleCase& c, const RankOptions& options)
    : ranks_(&ranks),
      options_(options),
      whole_(coupled_cells(c, c.unknowns())),
      partition_({whole_.n[0], whole_.n[1], whole_.n[2]}, ranks.size(), options.cutting, options.least_layers),
      local_(part_of_cells(whole_, partition_.box(ranks.rank()))) {}

std::vector<GhostRequest> CoupledRanks::ghosts() const {
  std::vector<GhostRequest> all;
  for_padded(local_, [&](int i, int j, int k) {
    const int at[3] = {i, j, k}, side = side_beyond(local_, at);
    if (side < 0 || !local_.cut[side]) return;
    int cell[3];
    for (int d = 0; d < 3; ++d) cell[d] = (at[d] + local_.low[d] + whole_.n[d]) % whole_.n[d];
    const int owner = partition_.owner(cell[0], cell[1], cell[2]);
    const CoupledCells there = part_of_cells(whole_, partition_.box(owner));
    all.push_back({padded_index(local_, i, j, k), owner,
                   padded_index(there, cell[0] - there.low[0], cell[1] - there.low[1], cell[2] - there.low[2])});
  });
  return all;
}

CoupledRanks::Places CoupledRanks::field_places() const {
  Places cells;
  for_padded(local_, [&](int i, int j, int k) {
    const int at[3] = {i, j, k}, side = side_beyond(local_, at);
    const int d = side / 2;
    const bool is_end = side < 0 || (side % 2 == 0 ? local_.low[d] == 0 : local_.low[d] + local_.n[d] == whole_.n[d]);
    if (!is_end) return;
    cells.here.push_back(padded_index(local_, i, j, k));
    cells.whole.push_back(padded_index(whole_, i + local_.low[0], j + local_.low[1], k + local_.low[2]));
  });
  return {unknowns_of(cells.here, whole_.unknowns), unknowns_of(cells.whole, whole_.unknowns)};
}

CoupledRanks::Places CoupledRanks::vector_places() const {
  std::vector<int> here;
  for (int cell = 0; cell < local_.extents().count(); ++cell) here.push_back(cell);
  return {unknowns_of(here, whole_.unknowns), unknowns_of(cell_numbers(), whole_.unknowns)};
}

std::vector<int> CoupledRanks::cell_numbers() const {
  return places_of(whole_.extents(), partition_.box(ranks_->rank()));
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

CoupledGather::CoupledGather(const CoupledRanks& ranks) : is_root_(ranks.communicator().is_root()) {
  if (ranks.alone()) return;
  const CoupledCells& local = ranks.local();
  const auto n = static_cast<std::size_t>(local.unknowns);
  field_ = part(ranks, ranks.field_places(), static_cast<std::size_t>(local.padded_count()) * n, ranks.field_size());
  vector_ =
      part(ranks, ranks.vector_places(), static_cast<std::size_t>(local.extents().count()) * n, ranks.vector_size());
}

CoupledGather::Part CoupledGather::part(const CoupledRanks& ranks, CoupledRanks::Places places, std::size_t mine,
                                        std::size_t whole) const {
  return {std::move(places.here), RankMap(ranks.communicator(), places.whole), mine, whole};
}

std::vector<double> CoupledGather::gathered(const Part& part, const std::vector<double>& mine) const {
  if (part.whole == 0) return mine;
  std::vector<double> packed, whole(is_root_ ? part.whole : 0);
  packed.reserve(part.here.size());
  for (const int place : part.here) packed.push_back(mine[static_cast<std::size_t>(place)]);
  part.map.gather(packed, whole);
  return whole;
}

std::vector<double> CoupledGather::field_of(std::span<const double> whole) const {
  if (field_.whole == 0) return {whole.begin(), whole.end()};
  std::vector<double> packed(field_.here.size()), mine(field_.mine, 0.0);
  field_.map.scatter(whole, packed);
  for (std::size_t i = 0; i < packed.size(); ++i) mine[static_cast<std::size_t>(field_.here[i])] = packed[i];
  return mine;
}

template class CoupledHalo<Host>;
template class CoupledHalo<Device>;

}  // namespace weir
