#include "tests/support/systems/anisotropic.hpp"

#include <array>
#include <cmath>
#include <map>
#include <random>

#include "base/at.hpp"
#include "mesh/graph/graph_tools.hpp"
#include "mesh/graph/orderings.hpp"

namespace weir::test {
namespace {

struct Point {
  double x, y;
};
using Triangle = std::array<int, 3>;

// (m + 2)^2 nodes; the outer ones stay on the sides.
struct Mesh {
  int side;
  std::vector<Point> node;
  std::vector<Triangle> triangles;

  explicit Mesh(const AnisotropicProblem& p) : side(p.m + 2) {
    std::mt19937 generator(p.seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto inner = [&](int i) { return i > 0 && i < side - 1; };
    for (int j = 0; j < side; ++j)
      for (int i = 0; i < side; ++i) {
        const double dx = 0.2 * uniform(generator), dy = 0.2 * uniform(generator);
        node.push_back({i + (inner(i) && inner(j) ? dx : 0), j + (inner(i) && inner(j) ? dy : 0)});
      }
    for (int j = 0; j + 1 < side; ++j)
      for (int i = 0; i + 1 < side; ++i) {
        const int a = j * side + i, b = a + 1, c = a + side, d = c + 1;
        if (uniform(generator) > 0) {
          triangles.push_back({a, b, d});
          triangles.push_back({a, d, c});
        } else {
          triangles.push_back({a, b, c});
          triangles.push_back({b, d, c});
        }
      }
  }
  // The unknown of a node, or -1 on the sides.
  int unknown(int p) const {
    const int i = p % side, j = p / side;
    return i == 0 || j == 0 || i == side - 1 || j == side - 1 ? -1 : (j - 1) * (side - 2) + i - 1;
  }
};

using RowMap = std::map<int, double>;

// a_rs = area grad(phi_r)^T K grad(phi_s)
void add_element(const Mesh& mesh, const Triangle& t, double kxx, double kxy, double kyy, std::vector<RowMap>& rows) {
  const Point a = mesh.node[at(t[0])], b = mesh.node[at(t[1])], c = mesh.node[at(t[2])];
  const double area2 = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
  const Point g[3] = {{(b.y - c.y) / area2, (c.x - b.x) / area2},
                      {(c.y - a.y) / area2, (a.x - c.x) / area2},
                      {(a.y - b.y) / area2, (b.x - a.x) / area2}};
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s) {
      const int i = mesh.unknown(t[at(r)]), j = mesh.unknown(t[at(s)]);
      if (i < 0 || j < 0) continue;
      rows[at(i)][j] += area2 / 2 * (g[r].x * (kxx * g[s].x + kxy * g[s].y) + g[r].y * (kxy * g[s].x + kyy * g[s].y));
    }
}

}  // namespace

BlockCsrData anisotropic(const AnisotropicProblem& p) {
  const Mesh mesh(p);
  const double c = std::cos(p.angle), s = std::sin(p.angle);
  std::vector<RowMap> rows(at(p.m * p.m));
  for (const Triangle& t : mesh.triangles)
    add_element(mesh, t, c * c + p.ratio * s * s, (1 - p.ratio) * c * s, s * s + p.ratio * c * c, rows);
  std::vector<std::array<int, 2>> edges;
  for (int i = 0; i < p.m * p.m; ++i)
    for (const auto& [j, a] : rows[at(i)])
      if (i < j) edges.push_back({i, j});
  const Order order = reverse_cuthill_mckee(graph_of_edges(p.m * p.m, edges)), position = inverse(order);
  BlockCsrData data;
  data.row_start = {0};
  data.symmetric = true;
  for (const int i : order) {
    RowMap row;
    for (const auto& [j, a] : rows[at(i)])
      row[position[at(j)]] = i == j ? 1 : a / (std::sqrt(rows[at(i)][i]) * std::sqrt(rows[at(j)][j]));
    for (const auto& [j, a] : row) {
      data.column.push_back(j);
      data.value.push_back(a);
    }
    data.row_start.push_back(static_cast<std::int64_t>(data.column.size()));
  }
  return data;
}

}  // namespace weir::test
