#include "tests/benchmarks/flow_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "base/at.hpp"
#include "mesh/graph/orderings.hpp"

namespace weir::bench {
namespace {

using Neighbours = std::vector<std::vector<int>>;

void couple(Neighbours& of, int a, int b) {
  of[at(a)].push_back(b);
  of[at(b)].push_back(a);
}

// side x side squares; those of the upper half are cut in two by the diagonal from their lower left corner.
Neighbours mesh(int side) {
  const int quads = side * (side / 2), cells = quads + 2 * side * (side - side / 2);
  const auto lower = [&](int i, int j) {
    return j < side / 2 ? j * side + i : quads + 2 * ((j - side / 2) * side + i);
  };
  const auto upper = [&](int i, int j) {
    return j < side / 2 ? j * side + i : lower(i, j) + 1;
  };  // lower: below, right
  Neighbours of(at(cells));
  for (int j = 0; j < side; ++j)
    for (int i = 0; i < side; ++i) {
      if (lower(i, j) != upper(i, j)) couple(of, lower(i, j), upper(i, j));
      if (i + 1 < side) couple(of, lower(i, j), upper(i + 1, j));
      if (j + 1 < side) couple(of, upper(i, j), lower(i, j + 1));
    }
  return of;
}

Graph graph_of(const Neighbours& of) {
  Graph g;
  for (std::vector<int> row : of) {
    std::sort(row.begin(), row.end());
    g.neighbour.insert(g.neighbour.end(), row.begin(), row.end());
    g.start.push_back(static_cast<std::int64_t>(g.neighbour.size()));
  }
  return g;
}

}  // namespace

FlowSystem flow_system(int side, unsigned seed) {
  const Neighbours of = mesh(side);
  const Order order = reverse_cuthill_mckee(graph_of(of));
  std::vector<int> position(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) position[at(order[p])] = static_cast<int>(p);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  FlowSystem s;
  s.A.block = 4;
  s.A.row_start = {0};
  for (std::size_t p = 0; p < order.size(); ++p) {
    std::vector<int> row{static_cast<int>(p)};
    for (const int c : of[at(order[p])]) row.push_back(position[at(c)]);
    std::sort(row.begin(), row.end());
    // Row sums of the blocks vanish but for a pseudo-time term, as those of a flux do; upwind: stronger on one side.
    std::array<double, 16> sum{};
    std::size_t diagonal = 0;
    for (const int j : row) {
      s.A.column.push_back(j);
      if (j == static_cast<int>(p)) diagonal = s.A.value.size();
      const double strength = j == static_cast<int>(p) ? 0 : (j < static_cast<int>(p) ? 1.0 : 0.5);
      for (std::size_t e = 0; e < 16; ++e) {
        const double v = strength * ((e % 5 == 0 ? -1.0 : 0.0) + 0.3 * uniform(random));
        sum[e] -= v;
        s.A.value.push_back(v);
      }
    }
    for (std::size_t e = 0; e < 16; ++e) s.A.value[diagonal + e] = sum[e] + (e % 5 == 0 ? 0.01 : 0);
    s.A.row_start.push_back(static_cast<std::int64_t>(s.A.column.size()));
    for (int u = 0; u < 4; ++u) s.b.push_back(uniform(random));
  }
  return s;
}

}  // namespace weir::bench
