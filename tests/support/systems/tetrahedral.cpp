#include "tests/support/systems/tetrahedral.hpp"

#include <algorithm>
#include <array>
#include <random>

#include "mesh/graph/graph_tools.hpp"
#include "mesh/graph/orderings.hpp"

namespace weir::test {
namespace {

Graph tetrahedral_graph(int m) {
  const int corners = (m + 1) * (m + 1) * (m + 1);
  const auto corner = [&](int i, int j, int k) { return (k * (m + 1) + j) * (m + 1) + i; };
  const auto centre = [&](int i, int j, int k) { return corners + (k * m + j) * m + i; };
  std::vector<std::array<int, 2>> edges;
  for (int k = 0; k <= m; ++k)
    for (int j = 0; j <= m; ++j)
      for (int i = 0; i <= m; ++i) {
        if (i < m) edges.push_back({corner(i, j, k), corner(i + 1, j, k)});
        if (j < m) edges.push_back({corner(i, j, k), corner(i, j + 1, k)});
        if (k < m) edges.push_back({corner(i, j, k), corner(i, j, k + 1)});
        if (i == m || j == m || k == m) continue;
        const int c = centre(i, j, k);
        if (i + 1 < m) edges.push_back({c, centre(i + 1, j, k)});
        if (j + 1 < m) edges.push_back({c, centre(i, j + 1, k)});
        if (k + 1 < m) edges.push_back({c, centre(i, j, k + 1)});
        for (int a = 0; a < 8; ++a) edges.push_back({c, corner(i + a % 2, j + a / 2 % 2, k + a / 4)});
      }
  return graph_of_edges(corners + m * m * m, edges);
}

}  // namespace

BlockCsrData tetrahedral_system(int m, int n) {
  const Graph graph = tetrahedral_graph(m);
  const Order order = reverse_cuthill_mckee(graph), position = weir::inverse(order);
  BlockCsrData data;
  data.block = n;
  data.row_start = {0};
  for (const int v : order) {
    const std::size_t first = data.column.size();
    data.column.push_back(position[static_cast<std::size_t>(v)]);
    for (auto e = graph.start[static_cast<std::size_t>(v)]; e < graph.start[static_cast<std::size_t>(v) + 1]; ++e)
      data.column.push_back(position[static_cast<std::size_t>(graph.neighbour[static_cast<std::size_t>(e)])]);
    std::sort(data.column.begin() + static_cast<std::ptrdiff_t>(first), data.column.end());
    data.row_start.push_back(static_cast<std::int64_t>(data.column.size()));
  }
  data.value.resize(data.column.size() * static_cast<std::size_t>(n * n));
  std::minstd_rand random(1);
  for (double& v : data.value) v = static_cast<double>(random()) / 2147483647.0 - 0.5;
  for (int i = 0; i < data.rows(); ++i)
    for (auto e = data.row_start[static_cast<std::size_t>(i)]; e < data.row_start[static_cast<std::size_t>(i) + 1]; ++e)
      for (int u = 0; data.column[static_cast<std::size_t>(e)] == i && u < n; ++u)
        data.value[static_cast<std::size_t>((e * n + u) * n + u)] += 8.0 * n;
  return data;
}

}  // namespace weir::test
