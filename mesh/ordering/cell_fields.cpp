#include "mesh/ordering/cell_fields.hpp"

#include "mesh/graph/colouring.hpp"
#include "mesh/graph/graph_tools.hpp"
#include "mesh/ordering/cell_graph.hpp"
#include "mesh/graph/levels.hpp"
#include "mesh/ordering/partition.hpp"

namespace weir {

CellFields cell_fields(const UnstructuredMesh& mesh, const OrderingOptions& options, int parts) {
  const Graph graph = cell_graph(mesh);
  const Order order = make_ordering(mesh, options).order;
  const CellLines lines = find_lines(mesh, options.anisotropy);
  LevelSets sets = level_sets(graph, order);
  Colouring colouring = colour_balanced(graph);
  CellFields fields;
  fields.order = inverse(order);
  fields.line = line_of_cell(lines, mesh.cells());
  fields.lines = lines.count();
  fields.level = std::move(sets.level);
  fields.levels = sets.levels;
  fields.colour = std::move(colouring.colour);
  fields.colours = colouring.colours;
  fields.part = partition_cells(graph, lines, parts);
  fields.aspect_ratio = cell_anisotropy(mesh);
  return fields;
}

}  // namespace weir
