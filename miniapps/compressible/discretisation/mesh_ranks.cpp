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

}  // namespace

MeshRanks::MeshRanks(const Communicator& ranks, const UnstructuredMesh& mesh, const std::vector<int>& part_of_cell,
                     const HaloOptions& options, int values_of_cell)
    : communicator(ranks),
      whole(mesh),
      halo(options),
      part(part_of_mesh(mesh, part_of_cell, ranks.rank())),
      whole_cells(mesh.cells()),
      states(make_halo_pattern(ranks, requests(part, static_cast<int>(part.ghost.size())))),
      nearest(make_halo_pattern(ranks, requests(part, part.near))),
      values(values_of_cell),
      cells(ranks, at(values) * at(whole_cells), places(part, values)) {}

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

std::vector<CellRange> MeshRanks::own(const std::vector<CellRange>& lines) const {
  const auto begin = part.cell.begin(), end = begin + part.own;
  std::vector<CellRange> mine;
  for (const CellRange& line : lines) {
    const auto found = std::lower_bound(begin, end, line.first);
    if (found != end && *found == line.first) mine.push_back({static_cast<int>(found - begin), line.count});
  }
  return mine;
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

std::vector<int> partition_of(const Communicator& ranks, const UnstructuredMesh& mesh,
                              const std::vector<CellRange>& ordered) {
  const CellLines lines = ordered.empty() ? find_lines(mesh, OrderingOptions{}.anisotropy) : lines_of(ordered);
  std::vector<int> part = partition_cells(cell_graph(mesh), lines, ranks.size());
  ranks.broadcast(part.data(), static_cast<std::int64_t>(part.size() * sizeof(int)), 0);
  std::vector<int> cells(at(ranks.size()), 0);
  for (const int p : part) ++cells[p];
  if (std::find(cells.begin(), cells.end(), 0) != cells.end())
    throw Error(Exit::usage, "a mesh of " + std::to_string(mesh.cells()) + " cells with uncut lines leaves one of " +
                                 std::to_string(ranks.size()) + " ranks without a cell; use fewer ranks");
  return part;
}

}  // namespace weir
