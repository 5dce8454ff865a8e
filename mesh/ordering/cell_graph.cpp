#include "mesh/ordering/cell_graph.hpp"

#include <array>
#include <vector>

#include "mesh/graph/graph_tools.hpp"

namespace weir {

Graph cell_graph(const UnstructuredMesh& mesh) {
  std::vector<std::array<int, 2>> edges(mesh.neighbour.size());
  for (std::size_t f = 0; f < edges.size(); ++f) edges[f] = {mesh.owner[f], mesh.neighbour[f]};
  return graph_of_edges(mesh.cells(), edges);
}

}  // namespace weir
