// Cell orderings ([ordering]). The hybrid line_X orders the graph of lines and single cells by X and keeps each line
// contiguous (Kashi & Nadarajah 2020, section 5.2); `line` puts the lines first, in the order of their boundary faces.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/table.hpp"
#include "mesh/graph/graph.hpp"
#include "mesh/ordering/lines.hpp"
#include "mesh/unstructured/unstructured.hpp"

namespace weir {

struct OrderingOptions {
  std::string type = "rcm";
  double anisotropy = 10;
  std::uint64_t seed = 1;
  bool has_lines() const { return type.starts_with("line"); }
};

struct Ordering {
  std::string name;              // the type, as in reports
  Order order;                   // order[new cell] = old cell
  std::vector<CellRange> lines;  // in the new numbering; empty for the types without lines
};

Options ordering_options();
OrderingOptions read_ordering(const Table& options);  // the table [ordering]
Ordering make_ordering(const UnstructuredMesh& mesh, const OrderingOptions& options);

// Graph of the cells, joined across faces (periodic ones included); a double face gives one edge.
Graph cell_graph(const UnstructuredMesh& mesh);

// Part of each cell, 0 .. parts - 1, as partition_graph. Lines are never cut.
std::vector<int> partition_cells(const Graph& cells, const CellLines& lines, int parts);

}  // namespace weir
