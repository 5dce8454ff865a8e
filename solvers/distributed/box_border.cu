// Gathers the blocks of the border rows: one index per row; each block is read and written once.
#include "solvers/distributed/box_border.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/at.hpp"
#include "solvers/device/for_each.hpp"

namespace weir {
namespace {

void add_side(const std::array<int, 3>& sizes, bool wraps, const BoxCuts& cuts, const RankBox& box, int d, int end,
              std::vector<BorderLink>& links) {
  const int size = sizes[d], edge = end == 0 ? box.low[d] : box.high[d] - 1;
  int beyond = end == 0 ? edge - 1 : edge + 1;
  if ((beyond < 0 || beyond >= size) && !wraps) return;
  beyond = (beyond + size) % size;
  RankBox plane = box;
  plane.low[d] = edge;
  plane.high[d] = edge + 1;
  const int slot = slot::delta + (end == 0 ? -1 - d : 1 + d);
  for (int c = 0; c < extents_of(plane).count(); ++c) {
    const std::array<int, 3> cell = cell_of(plane, c);
    std::array<int, 3> other = cell;
    other[d] = beyond;
    const int owner = cuts.owner(other);
    links.push_back({index_in(box, cell), owner, index_in(cuts.box(owner), other), slot, 0});
  }
}

}  // namespace

RankBox BoxCuts::box(int rank) const {
  const int part[3] = {rank % parts(0), rank / parts(0) % parts(1), rank / parts(0) / parts(1)};
  RankBox b;
  for (int d = 0; d < 3; ++d) {
    b.low[d] = begin[d][part[d]];
    b.high[d] = begin[d][part[d] + 1];
  }
  return b;
}
int BoxCuts::owner(const std::array<int, 3>& cell) const {
  int part[3];
  for (std::size_t d = 0; d < 3; ++d)
    part[d] = static_cast<int>(std::upper_bound(begin[d].begin(), begin[d].end() - 1, cell[d]) - begin[d].begin()) - 1;
  return (part[2] * parts(1) + part[1]) * parts(0) + part[0];
}

BoxCuts cuts_of(const BlockPartition& cells, std::array<int, 3> first, std::array<int, 3> last) {
  BoxCuts c;
  for (int d = 0; d < 3; ++d) {
    const int parts = cells.parts()[d];
    for (int p = 0; p <= parts; ++p) c.begin[d].push_back(std::max(0, cells.begin(d, p) - first[d]));
    c.begin[d].back() -= last[d];
  }
  return c;
}

Extents extents_of(const RankBox& box) { return {box.size(0), box.size(1), box.size(2)}; }

Periodic within(const Periodic& whole, const BoxCuts& cuts) {
  return {whole.x && cuts.parts(0) == 1, whole.y && cuts.parts(1) == 1, whole.z && cuts.parts(2) == 1};
}

std::vector<int> places_in(const RankBox& inner, const RankBox& outer) {
  std::vector<int> place;
  for (int c = 0; c < extents_of(inner).count(); ++c) place.push_back(index_in(outer, cell_of(inner, c)));
  return place;
}
std::vector<int> places_of(Extents whole, const RankBox& box) {
  return places_in(box, {{0, 0, 0}, {whole.nx, whole.ny, whole.nz}});
}

std::array<int, 3> cell_of(const RankBox& box, int index) {
  return {box.low[0] + index % box.size(0), box.low[1] + index / box.size(0) % box.size(1),
          box.low[2] + index / box.size(0) / box.size(1)};
}

std::string cell_name(const std::array<int, 3>& c) {
  return "cell (" + std::to_string(c[0]) + ", " + std::to_string(c[1]) + ", " + std::to_string(c[2]) + ")";
}

std::vector<BorderLink> border_links(Extents whole, const Periodic& periodic, const BoxCuts& cuts, int rank) {
  const std::array<int, 3> sizes{whole.nx, whole.ny, whole.nz};
  const bool wraps[3] = {periodic.x, periodic.y, periodic.z};
  std::vector<BorderLink> links;
  for (int d = 0; d < 3; ++d)
    for (int end = 0; end < 2 && cuts.parts(d) > 1; ++end)
      add_side(sizes, wraps[d], cuts, cuts.box(rank), d, end, links);
  return links;
}

BorderCoupling::BorderCoupling(std::vector<BorderLink> all) : links(std::move(all)) {
  std::ranges::stable_sort(links, [](const BorderLink& a, const BorderLink& b) { return a.row < b.row; });
  std::map<std::pair<int, int>, int> number;
  for (const BorderLink& link : links) {
    const auto [it, is_new] = number.emplace(std::pair(link.owner, link.index), static_cast<int>(requests.size()));
    if (is_new) requests.push_back({it->second, link.owner, link.index});
    request_.push_back(it->second);
  }
}

Coupling BorderCoupling::coupling(const HaloPattern& pattern, int block) const {
  std::vector<int> place(requests.size());  // the halo sorts by owner: position of each request
  for (std::size_t g = 0; g < pattern.receive.size(); ++g) place[pattern.receive[g]] = static_cast<int>(g);
  Coupling c;
  c.block = block;
  for (std::size_t e = 0; e < links.size(); ++e) {
    if (c.row.empty() || c.row.back() != links[e].row) {
      if (!c.row.empty()) c.start.push_back(static_cast<int>(e));
      c.row.push_back(links[e].row);
    }
    c.ghost.push_back(place[request_[e]]);
    c.value.push_back(links[e].value);
  }
  if (!c.row.empty()) c.start.push_back(static_cast<int>(links.size()));
  if (block > 1) c.value.assign(links.size() * at(block) * at(block), 0.0);
  return c;
}

std::vector<int> BorderCoupling::slots() const {
  std::vector<int> slots;
  for (const BorderLink& link : links) slots.push_back(link.slot);
  return slots;
}

// BlockStencil is column-major, the coupling row-major.
template <class Space>
void take_border_blocks(const BlockStencilView& blocks, View<const int> row, View<const int> start,
                        View<const int> slot, View<double> value) {
  const BlockStencilView a = blocks;
  for_each<Space>(row.size(), [=] WEIR_HD(int r) {
    for (int e = start[r]; e < start[r + 1]; ++e) {
      if (slot[e] < 0) continue;
      double* out = value.data() + e * a.block_entries();
      for (int u = 0; u < a.n; ++u)
        for (int v = 0; v < a.n; ++v) out[u * a.n + v] = a.entry(row[r], slot[e], u, v);
    }
  });
}

template void take_border_blocks<Host>(const BlockStencilView&, View<const int>, View<const int>, View<const int>,
                                       View<double>);
template void take_border_blocks<Device>(const BlockStencilView&, View<const int>, View<const int>, View<const int>,
                                         View<double>);

}  // namespace weir
