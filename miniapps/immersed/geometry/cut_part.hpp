// The part of a cut geometry on one rank. A rank classifies a region: its own cells, and at a cut as many layers around
// them as a row of the interpolation or a force may reach ([ranks] body_layers). The region follows from the body,
// which every rank has, so that neighbours agree without messages. The kernels use the part of the rank. Columns of
// rows that belong to other ranks are stored separately.
#pragma once
#include <vector>

#include "miniapps/immersed/geometry/cut_geometry.hpp"
#include "miniapps/structured/ranks.hpp"
#include "solvers/distributed/distributed_banded.hpp"

namespace weir {

// Number of layers. Rows reach 4 cells, quadratic ones 5; forces reach force_reach of the widest cells, and two more
// for the interpolation. The number follows from the cells next to the body in its present position. A body that moves
// to flatter cells may need more layers, which is then an error.
int body_layers(const Grid& grid, const Bodies& bodies);

// The box of a rank with this number of additional layers on every side that was cut, as far as the grid has them.
Layout region_of(const FlowRanks& ranks, int layers);
CutRegion cut_region(const FlowRanks& ranks, int layers);

class CutPart {
 public:
  explicit CutPart(const FlowRanks& ranks) : ranks_(&ranks) {}

  // In rows, `row` and `column` are indices of this rank's unknowns, `node` and `place` of a field on the region.
  void take(const CutGeometry& cut);
  const CutFields& fields() const { return fields_; }
  // Entries of the rows of a component that couple to unknowns of other ranks.
  const std::vector<RemoteEntry>& remote(int component) const { return remote_[component]; }

 private:
  void take_fields(const CutGeometry& cut);
  void take_faces(const CutGeometry& cut, int component);
  void take_cells(const CutGeometry& cut);
  void take_rows(const CutGeometry& cut, int component);

  const FlowRanks* ranks_;
  CutFields fields_;
  std::vector<std::vector<RemoteEntry>> remote_;
};

}  // namespace weir
