#include "mesh/ordering/make_ordering.hpp"

#include <stdexcept>

#include "mesh/graph/graph_tools.hpp"
#include "mesh/graph/orderings.hpp"

namespace weir {
namespace {

constexpr Option ordering_keys[] = {
    {"type", Option::text, "rcm",
     "ordering of the cells; rcm: reverse Cuthill-McKee; 1wd: one-way dissection; nd: nested dissection; line: lines "
     "of strongly coupled cells first; line_X: ordering X of the lines, whose cells stay together",
     "natural | random | rcm | 1wd | nd | line | line_rcm | line_1wd | line_nd"},
    {"anisotropy", Option::number, "10",
     "ratio of the distances to neighbouring cells above which the nearer ones are strongly coupled (line types)",
     "[1, inf)"},
    {"seed", Option::integer, "1", "seed of the random numbers for type = \"random\""}};

Order order_graph(const Graph& graph, const std::string& method, std::uint64_t seed) {
  if (method == "natural") return natural_order(graph.vertices());
  if (method == "random") return random_order(graph.vertices(), seed);
  if (method == "rcm") return reverse_cuthill_mckee(graph);
  if (method == "1wd") return one_way_dissection(graph);
  if (method == "nd") return nested_dissection(graph);
  throw std::invalid_argument("no ordering '" + method + "'");
}

}  // namespace

Options ordering_options() { return ordering_keys; }

OrderingOptions read_ordering(const Table& options) {
  const Table t = options.described_by(ordering_keys);
  OrderingOptions o;
  o.type = t.get<std::string>("type");
  if (o.has_lines()) o.anisotropy = t.get<double>("anisotropy");
  if (o.type == "random") o.seed = static_cast<std::uint64_t>(t.get<std::int64_t>("seed"));
  return o;
}

Ordering make_ordering(const UnstructuredMesh& mesh, const OrderingOptions& o) {
  Ordering result;
  result.name = o.type;
  if (!o.has_lines()) {
    result.order = o.type == "natural" ? natural_order(mesh.cells()) : order_graph(cell_graph(mesh), o.type, o.seed);
    return result;
  }
  const CellLines lines = find_lines(mesh, o.anisotropy);
  int groups = 0;
  const std::vector<int> group = line_groups(lines, mesh.cells(), &groups);
  const std::string method = o.type == "line" ? "natural" : o.type.substr(5);
  const Order group_order = method == "natural"
                                ? natural_order(groups)
                                : order_graph(quotient(cell_graph(mesh), group, groups).graph, method, o.seed);
  result.order = order_by_groups(lines, mesh.cells(), group_order, &result.lines);
  return result;
}

Graph cell_graph(const UnstructuredMesh& mesh) {
  std::vector<std::array<int, 2>> edges(mesh.neighbour.size());
  for (std::size_t f = 0; f < edges.size(); ++f) edges[f] = {mesh.owner[f], mesh.neighbour[f]};
  return graph_of_edges(mesh.cells(), edges);
}

std::vector<int> partition_cells(const Graph& cells, const CellLines& lines, int parts) {
  if (parts < 1) throw std::invalid_argument("partition_cells: at least one part");
  int groups = 0;
  std::vector<int> part = line_groups(lines, cells.vertices(), &groups);
  const std::vector<int> part_of_group = partition_graph(quotient(cells, part, groups), parts);
  for (int& p : part) p = part_of_group[p];
  return part;
}

}  // namespace weir
