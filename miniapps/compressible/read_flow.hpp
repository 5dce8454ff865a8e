// The case of a flow and the flow built from it.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "miniapps/compressible/compressible.hpp"
#include "miniapps/compressible/flow.hpp"
#include "miniapps/compressible/sampling/history_points.hpp"
#include "postproc/run/machine.hpp"
#include "solvers/parallel/rank_map.hpp"

namespace weir {

// The mesh is read on rank 0 alone. Collective.
struct ReadCase {
  CompressibleCase c;
  std::string ordering;
  std::vector<CellRange> lines;  // on rank 0, like `numbers` and `mesh`
  CellNumbers numbers;
  UnstructuredMesh mesh;
  MeshFacts facts;
  std::vector<FlowBoundary> boundary;

  explicit ReadCase(const Table& config, const Communicator& ranks = Communicator())
      : c(read_compressible_case(config)) {
    UnstructuredMesh outline;
    if (ranks.is_root()) {
      mesh = read_ordered_mesh(config, ordering, &lines, &numbers);
      facts = mesh;
      locate_points(config, mesh, c.points);
    }
    if (ranks.size() > 1) outline = shared(ranks);
    const UnstructuredMesh& known = ranks.is_root() ? mesh : outline;
    take_periods(known, c);
    boundary = read_flow_boundary(config, c, known);
  }

 private:
  // Sends the other ranks the quantities of the mesh that they need. Returns its outline.
  UnstructuredMesh shared(const Communicator& ranks) {
    UnstructuredMesh outline = ranks.is_root() ? outline_of(mesh) : UnstructuredMesh();
    const auto pack = [&](Archive& a) {
      archive(a, facts);
      archive_outline(a, outline);
      std::vector<int> letters(ordering.begin(), ordering.end());
      a.list("ordering", letters);
      ordering.assign(letters.begin(), letters.end());
      for (HistoryPoint& p : c.points) a.number("cell of a point", p.cell);
    };
    Archive all;
    if (ranks.is_root()) pack(all);
    for (int r = 1; ranks.is_root() && r < ranks.size(); ++r) ranks.send(all.numbers(), r);
    if (ranks.is_root()) return outline;
    Archive received(ranks.receive(0));
    pack(received);
    return outline;
  }
};

inline std::vector<RowRange> row_ranges(const std::vector<CellRange>& lines) {
  std::vector<RowRange> ranges;
  for (const CellRange& line : lines) ranges.push_back({line.first, line.count});
  std::ranges::sort(ranges, [](const RowRange& a, const RowRange& b) { return a.first < b.first; });
  return ranges;
}

// This rank's part in its initial state. Collective; read and ranks must outlive it.
template <class Space>
struct BuiltFlow {
  std::optional<MeshRanks> ranks;  // empty on one rank
  CompressibleFlow<Space> flow;

  BuiltFlow(const ReadCase& read, const Table& config, const Communicator& communicator)
      : ranks(parts(read, config, communicator)),
        flow(read.c, ranks ? ranks->part.mesh : read.mesh, read.boundary, config.table("linear"),
             ranks ? &*ranks : nullptr) {
    if (ranks && !flow.pseudo.solver().refresh_policy().is_always())
      config.table("linear").table("flow").fail("refresh", "'refresh' must be \"always\" on more than one rank");
    return_freed_memory();                                                            // the temporary geometry
    flow.pseudo.jacobian().set_lines(row_ranges(ranks ? ranks->lines : read.lines));  // for `line`
    flow.initialise();
  }

 private:
  static std::optional<MeshRanks> parts(const ReadCase& read, const Table& config, const Communicator& communicator) {
    const HaloOptions halo = read_halo_options(config.table("ranks"));
    if (communicator.size() == 1) return {};
    return std::optional<MeshRanks>(std::in_place, communicator, read.mesh,
                                    partition_of(communicator, read.mesh, read.lines), halo,
                                    read.c.turbulence.equations(), read.lines);
  }
};

}  // namespace weir
