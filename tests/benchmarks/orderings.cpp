#include "tests/benchmarks/orderings.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>

#include "mesh/graph/colouring.hpp"
#include "mesh/graph/graph_tools.hpp"
#include "mesh/graph/orderings.hpp"
#include "mesh/ordering/lines.hpp"
#include "mesh/ordering/make_ordering.hpp"
#include "tests/benchmarks/bench.hpp"
#include "tests/support/systems/graphs.hpp"

namespace weir::bench {
namespace {

constexpr int nx = 2000, ny = 500;  // the boundary layer of a plate: 1 wide, the first cell 1/1000 high

// Of the processor: what other programs take does not count.
double seconds_of(const std::function<void()>& f) {
  const std::clock_t start = std::clock();
  f();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

std::string describe(const Graph& graph, const Order& order) {
  return "bandwidth " + std::to_string(bandwidth(graph, order)) + ", levels " +
         std::to_string(level_sets(graph, order).levels);
}

std::string describe(const Colouring& c) {
  std::vector<int> size(static_cast<std::size_t>(c.colours), 0);
  for (int k : c.colour) ++size[k];
  const auto [least, most] = std::minmax_element(size.begin(), size.end());
  return std::to_string(c.colours) + " colours of " + std::to_string(*least) + " to " + std::to_string(*most);
}

}  // namespace

int bench_orderings(const Report& report) {
  const UnstructuredMesh mesh = test::box_mesh(test::even(nx, nx), test::stretched(ny, 1e-3, 1.0139));
  const int cells = mesh.cells();
  std::printf("%d quadrilaterals, one thread, processor time; nested dissection by %s\n", cells,
              nested_dissection_method());
  Table table({"what                    ", "     s", "result"});
  nlohmann::json rows = nlohmann::json::array();
  const auto add = [&](const std::string& what, double seconds, const std::string& result) {
    table.row({what, number(seconds, "%.2f"), result});
    rows.push_back({{"what", what}, {"processor_seconds", seconds}, {"result", result}});
  };
  Graph graph;
  const double graph_seconds = seconds_of([&] { graph = cell_graph(mesh); });
  add("graph", graph_seconds, std::to_string(graph.neighbour.size() / 2) + " faces");
  for (const char* type : {"natural", "random", "rcm", "1wd", "nd", "line", "line_rcm", "line_1wd", "line_nd"}) {
    Ordering o;
    const double s = seconds_of([&] { o = make_ordering(mesh, {type, 10, 1}); });
    add(type, s, describe(graph, o.order) + (o.lines.empty() ? "" : ", lines " + std::to_string(o.lines.size())));
  }
  Order order;
  double s = seconds_of([&] { order = level_nested_dissection(graph); });
  add("nd by level structures", s, describe(graph, order));
  const Graph shuffled = test::renamed(graph, random_order(cells, 1));
  s = seconds_of([&] { order = reverse_cuthill_mckee(shuffled); });
  add("rcm, cells shuffled", s, describe(shuffled, order));
  Colouring c;
  s = seconds_of([&] { c = colour_largest_first(graph); });
  add("colours, largest first", s, describe(c));
  s = seconds_of([&] { c = colour_balanced(graph); });
  add("colours, balanced", s, describe(c));
  s = seconds_of([&] { c = colour_jones_plassmann(graph, 1); });
  add("colours, jones-plassmann", s, describe(c));
  const CellLines lines = find_lines(mesh, 10);
  std::vector<int> part;
  s = seconds_of([&] { part = partition_cells(graph, lines, 64); });
  add("partition in 64", s, std::to_string(edge_cut(graph, part)) + " faces cut");
  report.write("orderings", rows);
  return 0;
}

}  // namespace weir::bench
