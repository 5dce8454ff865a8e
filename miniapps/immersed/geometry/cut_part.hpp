// The part of a rank of a geometry over ranks. A rank classifies a region: its own cells, and at a cut as many layers
// around them as a row of the interpolation or a force may reach ([ranks] body_layers). All of it follows from the
// body, which every rank knows, so that neighbours agree without messages. The kernels use the part of the rank;
// columns of rows that other ranks own are kept apart.
#pragma once
#include <vector>

#include "miniapps/immersed/geometry/cut_geometry.hpp"
#include "miniapps/structured/ranks.hpp"
#include "solvers/distributed/distributed_banded.hpp"

namespace weir {

// Rows reach 4 cells, quadratic ones 5; forces force_reach of the widest cells, and two more for the interpolation. The
// number follows from the cells next to the present body: a body that moves to flatter cells may need more, which is
// then an error.
int body_layers(const Grid& grid, const Bodies& bodies);

// The box of a rank with this many layers more on every side that was cut, if there are as many.
Layout region_of(const FlowRanks& ranks, int layers);
CutRegion cut_region(const FlowRanks& ranks, int layers);

class CutPart {
 public:
  explicit CutPart(const FlowRanks& ranks) : ranks_(&ranks) {}

  // Rows: `row` and `column` count this rank's unknowns, `node` and `place` the places of a field on the region.
  void take(const CutGeometry& cut);
  const CutFields& fields() const { return fields_; }
  // Of the rows of a component: what the matrix couples to other ranks.
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
