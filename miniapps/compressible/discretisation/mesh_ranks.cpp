#include "miniapps/compressible/discretisation/mesh_ranks.hpp"

#include <algorithm>
#include <string>

#include "base/at.hpp"
#include "base/error.hpp"
#include "mesh/graph/graph_tools.hpp"
#include "mesh/ordering/make_ordering.hpp"
#include "miniapps/compressible/discretisation/spatial_arrays.hpp"

namespace weir {
namespace {

CellLines lines_of(const std::vector<CellRange>& ranges) {
  CellLines lines;
  for (const CellRange& r : ranges) {
    lines.lines.push_back({static_cast<int>(lines.cell.size()), r.count});
    for (int i = r.first; i < r.first + r.count; ++i) lines.cell.push_back(i);
  }
  return lines;
}

std::vector<GhostRequest> requests(const MeshPart& part, int count) {
  std::vector<GhostRequest> wanted;
  for (int k = 0; k < count; ++k) wanted.push_back({k, part.ghost[k].part, part.ghost[k].index});
  return wanted;
}

std::vector<int> places(const MeshPart& part, int values) {
  std::vector<int> place;
  for (int i = 0; i < part.own; ++i)
    for (int k = 0; k < values; ++k) place.push_back(values * part.cell[i] + k);
  return place;
}

std::vector<CellRange> own_lines(const MeshPart& part, const std::vector<CellRange>& lines) {
  const auto begin = part.cell.begin(), end = begin + part.own;
  std::vector<CellRange> mine;
  for (const CellRange& line : lines) {
    const auto found = std::lower_bound(begin, end, line.first);
    if (found != end && *found == line.first) mine.push_back({static_cast<int>(found - begin), line.count});
  }
  return mine;
}

// Lists of records of `width` numbers as one list. get(record, k): the k-th number.
template <class T, class Record, class Get>
void archive_records(Archive& a, const char* name, std::vector<Record>& records, std::size_t width, const Get& get) {
  std::vector<T> flat;
  for (Record& r : records)
    for (std::size_t k = 0; k < width; ++k) flat.push_back(get(r, k));
  a.list(name, flat);
  if (!a.reads()) return;
  records.resize(flat.size() / width);
  for (std::size_t i = 0; i < flat.size(); ++i) get(records[i / width], i % width) = flat[i];
}

void archive_lines(Archive& a, std::vector<CellRange>& lines) {
  archive_records<int>(a, "lines", lines, 2, [](CellRange& r, std::size_t k) -> int& { return k ? r.count : r.first; });
}

void archive_part(Archive& a, MeshPart& p) {
  UnstructuredMesh& m = p.mesh;
  a.list("volume", m.volume);
  archive_points(a, "centre", m.centre);
  a.list("owner", m.owner);
  a.list("neighbour", m.neighbour);
  archive_points(a, "normal", m.normal);
  a.list("area", m.area);
  archive_points(a, "face_centre", m.face_centre);
  a.number("periodic_faces", m.periodic_faces);
  archive_points(a, "shift", m.shift);
  archive_patches(a, m.patches);
  a.number("own", p.own);
  a.number("near", p.near);
  a.list("cell", p.cell);
  archive_records<int>(a, "ghost", p.ghost, 2,
                       [](GhostCell& g, std::size_t k) -> int& { return k ? g.index : g.part; });
  a.list("own_in_patch", p.own_in_patch);
  p.place_in_patch.resize(m.patches.size());
  for (std::vector<int>& places : p.place_in_patch) a.list("place_in_patch", places);
}

}  // namespace

void archive_points(Archive& a, const char* name, std::vector<Point>& points) {
  archive_records<double>(a, name, points, 2, [](Point& x, std::size_t k) -> double& { return x[k]; });
}

void archive_patches(Archive& a, std::vector<Patch>& patches) {
  auto count = static_cast<int>(patches.size());
  a.number("patches", count);
  patches.resize(at(count));
  for (Patch& p : patches) {
    std::vector<int> letters(p.name.begin(), p.name.end());
    a.list("name", letters);
    p.name.assign(letters.begin(), letters.end());
    a.number("first", p.first);
    a.number("count", p.count);
  }
}

MeshRanks::MeshRanks(const Communicator& ranks, const UnstructuredMesh& mesh, const std::vector<int>& part_of_cell,
                     const HaloOptions& options, int values_of_cell, const std::vector<CellRange>& lines)
    : MeshRanks(ranks, mesh, received(ranks, mesh, part_of_cell, lines), options, values_of_cell) {}

MeshRanks::MeshRanks(const Communicator& ranks, const UnstructuredMesh& mesh, Received own, const HaloOptions& options,
                     int values_of_cell)
    : communicator(ranks),
      whole(mesh),
      halo(options),
      part(std::move(own.part)),
      lines(std::move(own.lines)),
      whole_cells(own.whole_cells),
      states(make_halo_pattern(ranks, requests(part, static_cast<int>(part.ghost.size())))),
      nearest(make_halo_pattern(ranks, requests(part, part.near))),
      values(values_of_cell),
      cells(ranks, at(values) * at(whole_cells), places(part, values)) {}

MeshRanks::Received MeshRanks::received(const Communicator& ranks, const UnstructuredMesh& mesh,
                                        const std::vector<int>& part_of_cell, const std::vector<CellRange>& lines) {
  const auto pack = [](Archive& a, Received& r) {
    archive_part(a, r.part);
    archive_lines(a, r.lines);
    a.number("cells of the whole mesh", r.whole_cells);
  };
  const auto of = [&](int rank) {
    Received r{part_of_mesh(mesh, part_of_cell, rank), {}, mesh.cells()};
    r.lines = own_lines(r.part, lines);
    return r;
  };
  if (ranks.is_root()) {
    for (int r = 1; r < ranks.size(); ++r) {
      Received part = of(r);
      Archive a;
      pack(a, part);
      ranks.send(a.numbers(), r);
    }
    return of(0);
  }
  Received mine;
  Archive a(ranks.receive(0));
  pack(a, mine);
  return mine;
}

Coupling MeshRanks::coupling() const {
  std::vector<int> number(at(part.near));  // index of a near ghost in the order of the halo
  for (std::size_t g = 0; g < nearest.receive.size(); ++g) number[nearest.receive[g]] = static_cast<int>(g);
  const FaceOrder order = order_faces(part.mesh, part.own);
  Coupling c;
  c.block = values;
  for (int k = order.inner; k < order.count; ++k) {
    const int face = order.face[k], row = part.mesh.owner[face];
    if (c.row.empty() || c.row.back() != row) {
      c.row.push_back(row);
      c.start.push_back(c.start.back());
    }
    ++c.start.back();
    c.ghost.push_back(number[part.mesh.neighbour[face] - part.own]);
  }
  c.value.assign(at(values * values) * c.ghost.size(), 0.0);
  return c;
}

std::vector<double> MeshRanks::own(std::span<const double> all) const {
  std::vector<double> mine;
  mine.reserve(at(values) * at(part.own));
  for (int i = 0; i < part.own; ++i) {
    const auto of_cell = all.subspan(at(values) * at(part.cell[i]), at(values));
    mine.insert(mine.end(), of_cell.begin(), of_cell.end());
  }
  return mine;
}

std::vector<double> MeshRanks::gathered(std::span<const double> mine) const {
  std::vector<double> all(communicator.is_root() ? at(values) * at(whole_cells) : 0);
  RootReads reads(communicator);
  const std::size_t array = reads.add(cells, mine);
  reads.while_root([&] { reads.read(array, 0, all); });
  return all;
}

std::vector<double> MeshRanks::from_root(std::span<const double> all, int width, int count) const {
  const auto of = [&](const auto& cell) {
    std::vector<double> own;
    own.reserve(at(width) * cell.size());
    for (const auto i : cell) {
      const auto of_cell = all.subspan(at(width) * static_cast<std::size_t>(i), at(width));
      own.insert(own.end(), of_cell.begin(), of_cell.end());
    }
    return own;
  };
  const std::span<const int> mine = std::span(part.cell).first(at(count));
  if (!communicator.is_root()) {
    communicator.send(std::vector<double>(mine.begin(), mine.end()), 0);
    return communicator.receive(0);
  }
  for (int r = 1; r < communicator.size(); ++r) communicator.send(of(communicator.receive(r)), r);
  return of(mine);
}

std::vector<int> partition_of(const Communicator& ranks, const UnstructuredMesh& mesh,
                              const std::vector<CellRange>& ordered) {
  if (!ranks.is_root()) return {};
  const CellLines lines = ordered.empty() ? find_lines(mesh, OrderingOptions{}.anisotropy) : lines_of(ordered);
  std::vector<int> part = partition_cells(cell_graph(mesh), lines, ranks.size());
  std::vector<int> cells(at(ranks.size()), 0);
  for (const int p : part) ++cells[p];
  if (std::ranges::find(cells, 0) != cells.end())
    throw Error(Exit::usage, "a mesh of " + std::to_string(mesh.cells()) + " cells with uncut lines leaves one of " +
                                 std::to_string(ranks.size()) + " ranks without a cell; use fewer ranks");
  return part;
}

}  // namespace weir
