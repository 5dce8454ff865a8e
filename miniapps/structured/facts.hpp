// Information of the structured flow codes for the instrumentation (miniapps/driver/lab.hpp).
#pragma once
#include <string>
#include <vector>

#include "mesh/structured/grid.hpp"
#include "miniapps/driver/lab.hpp"
#include "miniapps/structured/layout.hpp"
#include "solvers/distributed/box_border.hpp"

namespace weir {

// x, y, z of each unknown of a velocity component (3: of each cell), in the order of the solver's vectors.
std::vector<double> places_of_unknowns(const Grid& grid, const Layout& layout, int component);

// "u of cell (3, 4, 0)", in the same order. A velocity is named after the cell at whose lower face it is stored.
std::string name_of_unknown(const Layout& layout, int component, int row);

// The name of a cell of this rank, numbered with x fastest.
inline std::string name_of_cell(const GridPart& cells, std::int64_t index) {
  const int i = static_cast<int>(index), *n = cells.n, *low = cells.low;
  return cell_name({low[0] + i % n[0], low[1] + i / n[0] % n[1], low[2] + i / n[0] / n[1]});
}

// One variable of a padded field with `unknowns` values per cell, for the failure diagnostics. Keeps references.
template <class Space, class Cells>
WatchedVariable watched_variable(const std::string& name, const Cells& cells, const Array<double, Space>& field,
                                 int unknown = 0, int unknowns = 1) {
  WatchedVariable v;
  v.name = name;
  v.range = [&field, unknown, unknowns] { return range_of<Space>(field.view(), unknown, unknowns); };
  v.values = [&cells, &field, unknown, unknowns] {
    const std::vector<double> padded = field.to_vector();
    std::vector<double> values;
    cells.for_cells([&](int i, int j, int k) {
      values.push_back(padded[(cells.origin() + cells.at(i, j, k)) * unknowns + unknown]);
    });
    return values;
  };
  v.place = [&cells](std::int64_t cell) { return name_of_cell(cells, cell); };
  return v;
}

}  // namespace weir
