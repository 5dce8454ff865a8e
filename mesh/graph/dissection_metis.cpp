// Nested dissection and partitioning by METIS (Karypis & Kumar 1998).
#include <metis.h>

#include <limits>

#include "base/error.hpp"
#include "mesh/graph/graph_tools.hpp"
#include "mesh/graph/orderings.hpp"

namespace weir {
namespace {

std::vector<idx_t> metis_starts(const Graph& graph) {
  if (graph.start.back() > std::numeric_limits<idx_t>::max())
    throw Error(Exit::usage, "the mesh has more faces than the index type of this build of METIS can represent");
  return {graph.start.begin(), graph.start.end()};
}

void check(int status, const char* what) {
  if (status == METIS_ERROR_MEMORY) throw Error(Exit::out_of_memory, std::string(what) + ": METIS ran out of memory");
  if (status != METIS_OK) throw Error(Exit::internal, std::string(what) + ": METIS failed");
}

struct Options {
  idx_t value[METIS_NOPTIONS];
  Options() {
    METIS_SetDefaultOptions(value);
    value[METIS_OPTION_SEED] = 1;  // reproducible
  }
};

constexpr int smallest = 64;  // METIS may fail on tiny graphs

}  // namespace

const char* nested_dissection_method() { return "METIS"; }

Order nested_dissection(const Graph& graph) {
  idx_t n = graph.vertices();
  if (n < smallest || graph.neighbour.empty()) return level_nested_dissection(graph);
  std::vector<idx_t> start = metis_starts(graph), neighbour(graph.neighbour.begin(), graph.neighbour.end());
  std::vector<idx_t> order(static_cast<std::size_t>(n)), position(order.size());
  Options options;
  check(METIS_NodeND(&n, start.data(), neighbour.data(), nullptr, options.value, order.data(), position.data()),
        "nested dissection");
  return {order.begin(), order.end()};
}

std::vector<int> partition_graph(const WeightedGraph& g, int parts) {
  idx_t n = g.graph.vertices(), constraints = 1, k = parts, cut = 0;
  if (k < 2 || n < smallest || n < 2 * k || g.graph.neighbour.empty()) return partition_strips(g, parts);
  std::vector<idx_t> start = metis_starts(g.graph), neighbour(g.graph.neighbour.begin(), g.graph.neighbour.end());
  std::vector<idx_t> weight(g.vertex_weight.begin(), g.vertex_weight.end());
  std::vector<idx_t> edge(g.edge_weight.begin(), g.edge_weight.end()), part(weight.size());
  Options options;
  check(METIS_PartGraphKway(&n, &constraints, start.data(), neighbour.data(), weight.data(), nullptr, edge.data(), &k,
                            nullptr, nullptr, options.value, &cut, part.data()),
        "partition");
  return {part.begin(), part.end()};
}

}  // namespace weir
