#include "miniapps/immersed/geometry/cut_part.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/at.hpp"
#include "miniapps/structured/metrics.hpp"

namespace weir {
namespace {

std::array<int, 3> from_index(const Extents& e, int index) {
  return {index % e.nx, index / e.nx % e.ny, index / e.nx / e.ny};
}

bool holds(const RankBox& b, const std::array<int, 3>& c) {
  for (std::size_t d = 0; d < 3; ++d)
    if (c[d] < b.low[d] || c[d] >= b.high[d]) return false;
  return true;
}

// Indices in the whole box of an unknown of a component on the region.
std::array<int, 3> in_whole(const Layout& region, const Layout& whole, int component, int unknown) {
  std::array<int, 3> u = from_index(region.unknowns(component), unknown);
  for (int d = 0; d < 3; ++d) {
    u[d] += region.low[d];
    if (d == component) u[d] += region.first(d) - whole.first(d);
  }
  return u;
}

// Takes the part on `to` of a padded field on `from`.
template <class T>
void take_field(const Layout& from, const std::vector<T>& field, const Layout& to, std::vector<T>& part) {
  const int shift[3] = {to.low[0] - from.low[0], to.low[1] - from.low[1], to.low[2] - from.low[2]};
  part.resize(at(to.padded_count()));
  for (int k = -to.pad(2); k < to.n[2] + to.pad(2); ++k)
    for (int j = -to.pad(1); j < to.n[1] + to.pad(1); ++j) {
      const auto a = at(from.padded_index(shift[0] - to.pad(0), j + shift[1], k + shift[2]));
      const auto b = at(to.padded_index(-to.pad(0), j, k));
      std::copy_n(field.begin() + static_cast<std::ptrdiff_t>(a), at(to.padded(0)), &part[b]);
    }
}

int layers_for(const Grid& grid, const Body& body) {
  constexpr int rows_and_forces = 6, margin = 4;
  const Box3 box = bounding_box(body.surface().node);
  double widest = 0, narrowest = std::numeric_limits<double>::infinity();
  for (std::size_t d = 0; d < (grid.is_2d() ? 2U : 3U); ++d) {
    const GridLine& line = grid.line[d];
    const auto cell_at = [&](double x) {
      return static_cast<int>(std::ranges::upper_bound(line.faces, x) - line.faces.begin()) - 1;
    };
    const int first = std::max(cell_at(box.low[d]) - margin, 0);
    const int last = std::min(cell_at(box.high[d]) + margin, line.cells() - 1);
    for (int i = first; i <= last; ++i) {
      widest = std::max(widest, line.width[i]);
      narrowest = std::min(narrowest, line.width[i]);
    }
  }
  return std::max(rows_and_forces, static_cast<int>(std::ceil(force_reach * widest / narrowest)) + 3);
}

}  // namespace

int body_layers(const Grid& grid, const Bodies& bodies) {
  int most = 0;
  for (const Body& body : bodies) most = std::max(most, layers_for(grid, body));
  return most;
}

Layout region_of(const FlowRanks& ranks, int layers) {
  const Layout &whole = ranks.whole(), &own = ranks.local();
  RankBox box;
  for (int d = 0; d < 3; ++d) {
    const int more = ranks.partition().is_cut(d) ? layers : 0;
    box.low[d] = std::max(0, own.low[d] - more);
    box.high[d] = std::min(whole.n[d], own.low[d] + own.n[d] + more);
  }
  return part_of(whole, box);
}

CutRegion cut_region(const FlowRanks& ranks, int layers) {
  const Communicator& all = ranks.communicator();
  return {region_of(ranks, layers), ranks.partition().box(all.rank()), ranks.alone() ? nullptr : &all,
          all.has_exact_sums()};
}

void CutPart::take(const CutGeometry& cut) {
  fields_.kind.resize(cut.kind.size());
  fields_.rows.resize(cut.kind.size());
  remote_.resize(cut.kind.size());
  take_fields(cut);
  take_cells(cut);
  for (int c = 0; c < cut.layout().dim; ++c) {
    take_faces(cut, c);
    take_rows(cut, c);
  }
  for (int c = scalar_nodes; c < cut.nodes(); ++c) take_rows(cut, c);
}

void CutPart::take_fields(const CutGeometry& cut) {
  const Layout &from = cut.layout(), &to = ranks_->local();
  for (std::size_t c = 0; c < at(to.dim); ++c) {
    take_field(from, cut.alpha[c], to, fields_.alpha[c]);
    take_field(from, cut.fraction[c], to, fields_.fraction[c]);
    if (!cut.body_of[c].empty()) take_field(from, cut.body_of[c], to, fields_.body_of[c]);
  }
  for (std::size_t c = 0; c < cut.kind.size(); ++c)
    if (!cut.kind[c].empty()) take_field(from, cut.kind[c], to, fields_.kind[c]);
}

void CutPart::take_faces(const CutGeometry& cut, int c) {
  const Layout &from = cut.layout(), &to = ranks_->local();
  const Extents padded{from.padded(0), from.padded(1), from.padded(2)};
  fields_.cut_faces[c].clear();
  for (CutFace face : cut.cut_faces[c]) {
    std::array<int, 3> i = from_index(padded, face.place);
    bool is_own = true;
    for (int d = 0; d < 3; ++d) {
      i[d] += from.low[d] - from.pad(d) - to.low[d];
      is_own = is_own && i[d] >= 0 && i[d] < to.n[d];
    }
    if (!is_own) continue;
    face.place = to.padded_index(i[0], i[1], i[2]);
    fields_.cut_faces[c].push_back(face);
  }
}

void CutPart::take_cells(const CutGeometry& cut) {
  const Layout &from = cut.layout(), &to = ranks_->local();
  const RankBox own = ranks_->partition().box(ranks_->communicator().rank());
  const Extents region = from.cells(), cells = to.cells();
  fields_.wet.resize(at(cells.count()));
  fields_.body_flux.resize(at(cells.count()));
  for (int q = 0; q < cells.count(); ++q) {
    const std::array<int, 3> c = from_index(cells, q);
    const auto there = at(
        region.index(c[0] + to.low[0] - from.low[0], c[1] + to.low[1] - from.low[1], c[2] + to.low[2] - from.low[2]));
    fields_.wet[q] = cut.wet[there];
    fields_.body_flux[q] = cut.body_flux[there];
  }
  fields_.surface.clear();
  for (Piece piece : cut.surface) {
    std::array<int, 3> c = from_index(region, piece.cell);
    for (int d = 0; d < 3; ++d) c[d] += from.low[d];
    if (!holds(own, c)) continue;
    piece.cell = index_in(own, c);
    fields_.surface.push_back(piece);
  }
}

void CutPart::take_rows(const CutGeometry& cut, int component) {
  const BoxCuts cuts = ranks_->cuts(component);
  const RankBox own = cuts.box(ranks_->communicator().rank());
  const InterpolationRows& from = cut.rows[component];
  InterpolationRows& to = fields_.rows[component];
  std::vector<RemoteEntry>& remote = remote_[component];
  to.row.clear();
  to.entry.clear();
  remote.clear();
  for (InterpolationRow row : from.row) {
    const std::array<int, 3> unknown = in_whole(cut.layout(), ranks_->whole(), component, row.row);
    if (!holds(own, unknown)) continue;
    const int begin = row.begin, end = row.end;
    row.row = index_in(own, unknown);
    row.begin = static_cast<int>(to.entry.size());
    int place = 0;
    for (int e = begin; e < end; ++e) {
      InterpolationEntry entry = from.entry[e];
      if (entry.column >= 0) {
        const std::array<int, 3> u = in_whole(cut.layout(), ranks_->whole(), component, entry.column);
        const int owner = cuts.owner(u);
        const bool is_own = holds(own, u);
        if (!is_own) remote.push_back({row.row, owner, index_in(cuts.box(owner), u), row.blend * entry.weight, place});
        ++place;
        entry.column = is_own ? index_in(own, u) : -1;
      }
      to.entry.push_back(entry);
    }
    row.end = static_cast<int>(to.entry.size());
    to.row.push_back(row);
  }
}

}  // namespace weir
