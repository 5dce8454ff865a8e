// Parts of about equal size with few faces between them: by METIS, or by strips of the reverse Cuthill-McKee order where
// Weir was built without it. A line is never cut: it goes to one part as a whole.
#pragma once
#include <vector>

#include "mesh/graph/graph_partition.hpp"
#include "mesh/ordering/lines.hpp"

namespace weir {

// Of each cell: its part, 0 .. parts - 1. Fewer cells than parts leave parts empty.
std::vector<int> partition_cells(const Graph& cells, const CellLines& lines, int parts);

}  // namespace weir
