// Graphs and meshes whose orderings are known.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "mesh/graph/graph_tools.hpp"
#include "mesh/unstructured/unstructured.hpp"

namespace weir::test {

inline bool is_permutation(const Order& order, int n) {
  if (static_cast<int>(order.size()) != n) return false;
  std::vector<char> seen(order.size(), 0);
  for (int v : order) {
    if (v < 0 || v >= n || seen[static_cast<std::size_t>(v)]) return false;
    seen[static_cast<std::size_t>(v)] = 1;
  }
  return true;
}

inline Graph box_graph(int nx, int ny, int nz = 1) {
  std::vector<std::array<int, 2>> edges;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const int c = i + nx * (j + ny * k);
        if (i + 1 < nx) edges.push_back({c, c + 1});
        if (j + 1 < ny) edges.push_back({c, c + nx});
        if (k + 1 < nz) edges.push_back({c, c + nx * ny});
      }
  return graph_of_edges(nx * ny * nz, edges);
}

inline Graph path_graph(int n) { return box_graph(n, 1); }

inline Graph star_graph(int leaves) {
  std::vector<std::array<int, 2>> edges;
  for (int i = 1; i <= leaves; ++i) edges.push_back({0, i});
  return graph_of_edges(leaves + 1, edges);
}

inline Graph random_graph(int n, int edges, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::array<int, 2>> all;
  for (int e = 0; e < edges; ++e)
    all.push_back(
        {static_cast<int>(random() % static_cast<unsigned>(n)), static_cast<int>(random() % static_cast<unsigned>(n))});
  return graph_of_edges(n, all);
}

// A graph's vertices under other names.
inline Graph renamed(const Graph& graph, const Order& name) {
  std::vector<std::array<int, 2>> edges;
  for (int v = 0; v < graph.vertices(); ++v)
    for (auto k = graph.start[v]; k < graph.start[v + 1]; ++k)
      if (graph.neighbour[k] > v) edges.push_back({name[v], name[graph.neighbour[k]]});
  return graph_of_edges(graph.vertices(), edges);
}

// Graphs side by side, not connected.
inline Graph side_by_side(const std::vector<Graph>& graphs) {
  std::vector<std::array<int, 2>> edges;
  int first = 0;
  for (const Graph& g : graphs) {
    for (int v = 0; v < g.vertices(); ++v)
      for (auto k = g.start[v]; k < g.start[v + 1]; ++k) edges.push_back({first + v, first + g.neighbour[k]});
    first += g.vertices();
  }
  return graph_of_edges(first, edges);
}

// The quadrilaterals between the grid lines x and y; cell i + nx j. Patches: bottom, right, top, left.
inline UnstructuredMesh box_mesh(const std::vector<double>& x, const std::vector<double>& y) {
  const int nx = static_cast<int>(x.size()) - 1, ny = static_cast<int>(y.size()) - 1;
  UnstructuredMesh mesh;
  for (double b : y)
    for (double a : x) mesh.node.push_back({a, b});
  const auto node = [&](int i, int j) { return i + (nx + 1) * j; };
  const auto cell = [&](int i, int j) { return i + nx * j; };
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      for (int n : {node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)}) mesh.cell_node.push_back(n);
      mesh.cell_start.push_back(static_cast<int>(mesh.cell_node.size()));
      mesh.volume.push_back((x[i + 1] - x[i]) * (y[j + 1] - y[j]));
      mesh.centre.push_back({(x[i] + x[i + 1]) / 2, (y[j] + y[j + 1]) / 2});
    }
  const auto face = [&](int a, int b, int owner) {
    const auto &p = mesh.node[a], &q = mesh.node[b];
    const double length = std::hypot(q[0] - p[0], q[1] - p[1]);
    mesh.face_node.push_back({a, b});
    mesh.owner.push_back(owner);
    mesh.area.push_back(length);
    mesh.normal.push_back({(q[1] - p[1]) / length, (p[0] - q[0]) / length});
    mesh.face_centre.push_back({(p[0] + q[0]) / 2, (p[1] + q[1]) / 2});
  };
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      if (i + 1 < nx) face(node(i + 1, j), node(i + 1, j + 1), cell(i, j)), mesh.neighbour.push_back(cell(i + 1, j));
      if (j + 1 < ny) face(node(i + 1, j + 1), node(i, j + 1), cell(i, j)), mesh.neighbour.push_back(cell(i, j + 1));
    }
  const auto patch = [&](const char* name, int count, auto&& add) {
    mesh.patches.push_back({name, mesh.faces(), count});
    for (int i = 0; i < count; ++i) add(i);
  };
  patch("bottom", nx, [&](int i) { face(node(i, 0), node(i + 1, 0), cell(i, 0)); });
  patch("right", ny, [&](int j) { face(node(nx, j), node(nx, j + 1), cell(nx - 1, j)); });
  patch("top", nx, [&](int i) { face(node(i + 1, ny), node(i, ny), cell(i, ny - 1)); });
  patch("left", ny, [&](int j) { face(node(0, j + 1), node(0, j), cell(0, j)); });
  return mesh;
}

inline std::vector<double> even(int n, double length) {
  std::vector<double> x;
  for (int i = 0; i <= n; ++i) x.push_back(length * i / n);
  return x;
}

// n widths, each `growth` times the one before.
inline std::vector<double> stretched(int n, double first, double growth) {
  std::vector<double> x{0};
  for (int i = 0; i < n; ++i, first *= growth) x.push_back(x.back() + first);
  return x;
}

}  // namespace weir::test
