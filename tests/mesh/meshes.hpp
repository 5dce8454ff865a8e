// Tiny meshes for tests.
#pragma once
#include <cmath>
#include <random>
#include <string>

#include "mesh/unstructured/build_mesh.hpp"

namespace weir::test {

// nx by ny cells on the unit square, markers bottom, right, top, left; quadrilaterals, or two triangles of each.
inline MeshDescription box_description(int nx, int ny, bool triangles = false, double shake = 0) {
  MeshDescription d;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int j = 0; j <= ny; ++j)
    for (int i = 0; i <= nx; ++i) {
      const bool inside = i > 0 && i < nx && j > 0 && j < ny;
      const double dx = uniform(random), dy = uniform(random);
      d.node.push_back({(i + (inside ? shake * dx : 0)) / nx, (j + (inside ? shake * dy : 0)) / ny});
    }
  const auto node = [&](int i, int j) { return i + (nx + 1) * j; };
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      if (triangles) {
        d.add_cell(node(i, j), node(i + 1, j), node(i + 1, j + 1));
        d.add_cell(node(i, j), node(i + 1, j + 1), node(i, j + 1));
      } else {
        d.add_cell(node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1));
      }
    }
  for (const char* name : {"bottom", "right", "top", "left"}) d.add_marker(name);
  for (int i = 0; i < nx; ++i) {
    d.add_edge(node(i, 0), node(i + 1, 0), 0);
    d.add_edge(node(i, ny), node(i + 1, ny), 2);
  }
  for (int j = 0; j < ny; ++j) {
    d.add_edge(node(nx, j), node(nx, j + 1), 1);
    d.add_edge(node(0, j), node(0, j + 1), 3);
  }
  return d;
}

}  // namespace weir::test
