// Distribution of the flow: each rank has the cells of its part of the mesh (METIS, lines uncut) in the order of the
// whole mesh, and two layers of ghosts (mesh/unstructured/mesh_part.hpp), whose states are exchanged before
// evaluations.
//   [ranks]  halo, device_path, reduction: solvers/parallel/rank_map.hpp
#pragma once
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "mesh/ordering/lines.hpp"
#include "mesh/unstructured/mesh_part.hpp"
#include "solvers/distributed/distributed_matrix.hpp"
#include "solvers/parallel/halo.hpp"
#include "solvers/parallel/rank_map.hpp"
#include "solvers/parallel/spread.hpp"

namespace weir {

struct MeshRanks {
  const Communicator& communicator;
  const UnstructuredMesh& whole;  // on rank 0
  HaloOptions halo;
  MeshPart part;
  std::vector<CellRange> lines;  // runs of cells that are on this rank, in local numbers
  int whole_cells;
  HaloPattern states;   // ghost k is local cell own + k
  HaloPattern nearest;  // near ghosts only, for products with the Jacobian
  int values;           // per cell: 4, turbulent 5 or 6
  Spread cells;         // values of each own cell

  // part_of_cell: rank of each cell of the whole mesh. Collective; mesh, part_of_cell and lines are read on rank 0,
  // which sends each rank its part.
  MeshRanks(const Communicator& ranks, const UnstructuredMesh& whole, const std::vector<int>& part_of_cell,
            const HaloOptions& options = {}, int values_of_cell = 4, const std::vector<CellRange>& lines = {});

  Coupling coupling() const;  // pattern of the Jacobian's coupling with zeros, in the order of order_faces

  // Cell values: of own cells from those of the whole mesh; the whole on rank 0 (empty on other ranks).
  std::vector<double> own(std::span<const double> all) const;
  std::vector<double> gathered(std::span<const double> mine) const;
  // Values of this rank's first `cells` cells, `width` per cell, from those of the whole mesh on rank 0. Collective.
  std::vector<double> from_root(std::span<const double> all, int width, int cells) const;

 private:
  struct Received {
    MeshPart part;
    std::vector<CellRange> lines;
    int whole_cells = 0;
  };
  MeshRanks(const Communicator& ranks, const UnstructuredMesh& mesh, Received received, const HaloOptions& options,
            int values_of_cell);
  static Received received(const Communicator& ranks, const UnstructuredMesh& mesh,
                           const std::vector<int>& part_of_cell, const std::vector<CellRange>& lines);
};

// Write into the archive or read from it.
void archive_points(Archive& a, const char* name, std::vector<Point>& points);
void archive_patches(Archive& a, std::vector<Patch>& patches);

// Rank of each cell, on rank 0; empty on the others. lines: lines of the cell order; if empty they are searched. Throws
// Error(usage) if a rank would have no cell.
std::vector<int> partition_of(const Communicator& ranks, const UnstructuredMesh& mesh,
                              const std::vector<CellRange>& lines);

}  // namespace weir
