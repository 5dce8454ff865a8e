#include "mesh/ordering/partition.hpp"

#include <stdexcept>

namespace weir {

std::vector<int> partition_cells(const Graph& cells, const CellLines& lines, int parts) {
  if (parts < 1) throw std::invalid_argument("partition_cells: at least one part");
  int groups = 0;
  std::vector<int> part = line_groups(lines, cells.vertices(), &groups);
  const std::vector<int> part_of_group = partition_graph(quotient(cells, part, groups), parts);
  for (int& p : part) p = part_of_group[p];
  return part;
}

}  // namespace weir
