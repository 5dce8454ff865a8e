// [[point]]: a field in the cell at a point, in every row of history.csv.
#pragma once
#include <vector>

#include "miniapps/compressible/case.hpp"
#include "miniapps/compressible/discretisation/mesh_ranks.hpp"
#include "solvers/device/array.hpp"

namespace weir {

std::vector<HistoryPoint> read_points(const Table& config);
Options point_options();
// Sets the cells of the points; refuses points outside the mesh.
void locate_points(const Table& config, const UnstructuredMesh& mesh, std::vector<HistoryPoint>& points);

double field_value(const CompressibleCase& c, const PrimitiveState& s, std::string_view field);

template <class Space>
class HistoryPoints {
 public:
  HistoryPoints(const CompressibleCase& c, const MeshRanks* ranks, int values_per_cell);
  const std::vector<double>& measure(View<const double> U);  // returns the value at each point; collective

 private:
  const CompressibleCase& c_;
  const MeshRanks* ranks_;
  int n_;
  Array<int, Space> cell_;      // cell on this rank, or -1
  Array<double, Space> state_;  // U, four numbers per point; 0 where the cell is on another rank
  std::vector<double> host_, values_;
};

}  // namespace weir
