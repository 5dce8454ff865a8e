// The flow over ranks: each has the cells of its part of the mesh (METIS, lines uncut), in the order of the whole mesh,
// and two layers of ghosts (mesh/unstructured/mesh_part.hpp), whose states it fetches before it evaluates anything.
//   [ranks]  halo, device_path, reduction: solvers/parallel/rank_map.hpp
#pragma once
#include <span>
#include <vector>

#include "mesh/ordering/lines.hpp"
#include "mesh/unstructured/mesh_part.hpp"
#include "solvers/distributed/distributed_matrix.hpp"
#include "solvers/parallel/halo.hpp"
#include "solvers/parallel/rank_map.hpp"

namespace weir {

struct MeshRanks {
  const Communicator& communicator;
  const UnstructuredMesh& whole;  // ranks other than 0 may empty it, once this is built
  HaloOptions halo;
  MeshPart part;
  int whole_cells;
  HaloPattern states;   // ghost k is local cell own + k
  HaloPattern nearest;  // the near ones alone: what products with the Jacobian need
  int values;           // of a cell: 4, turbulent 5
  RankMap cells;        // the values of each own cell

  // part_of_cell: the rank of each cell of the whole mesh. All ranks call.
  MeshRanks(const Communicator& ranks, const UnstructuredMesh& whole, const std::vector<int>& part_of_cell,
            const HaloOptions& options = {}, int values_of_cell = 4);

  Coupling coupling() const;  // of the Jacobian: pattern, and zeros; entries in the order of order_faces

  // Of runs of cells those that are this rank's, in its numbers.
  std::vector<CellRange> own(const std::vector<CellRange>& lines) const;
  // All values of cells: of the own cells from those of the whole mesh, and the whole, on rank 0 (empty on the others).
  std::vector<double> own(std::span<const double> all) const;
  std::vector<double> gathered(std::span<const double> mine) const;
};

// Of each cell its rank, the same on all ranks. lines: those of the cells' order; where it has none they are looked for.
// Error(usage) where a rank would have no cell.
std::vector<int> partition_of(const Communicator& ranks, const UnstructuredMesh& mesh,
                              const std::vector<CellRange>& lines);

}  // namespace weir
