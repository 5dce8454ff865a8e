// A mesh as given by files and generators: nodes, cells, marked boundary edges. build_mesh makes the faces.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "mesh/point.hpp"

namespace weir {

// The faces of marker `second` are those of marker `first` moved by `translation` (default: the distance between the
// centres of gravity). Both markers become interior faces.
struct PeriodicPair {
  std::string first, second;
  std::optional<Point> translation;
};

struct MeshDescription {
  std::string source;  // file, for messages; empty: a generator

  std::vector<Point> node;
  std::vector<int> cell_start{0};  // cells + 1
  std::vector<int> cell_node;      // 3 or 4 corners per cell, in either direction
  std::vector<int> cell_line;      // line of the cell in the source, or empty

  std::vector<std::string> marker;       // names of the patches, in this order
  std::vector<std::array<int, 2>> edge;  // nodes of each boundary face, in either direction
  std::vector<int> edge_marker;          // index into marker
  std::vector<int> edge_line;            // line of the edge in the source, or empty
  std::vector<char> may_lie_inside;      // per marker: ignore its edges between two cells; empty: never

  std::vector<PeriodicPair> periodic;

  std::array<int, 2> grid{0, 0};  // structured mesh: cell (a, b) is number a grid[1] + b; else 0

  int cells() const { return static_cast<int>(cell_start.size()) - 1; }
  int edges() const { return static_cast<int>(edge.size()); }
  template <class... Node>
  void add_cell(Node... corner) {
    (cell_node.push_back(corner), ...);
    cell_start.push_back(static_cast<int>(cell_node.size()));
  }
  void add_edge(int a, int b, int marker_index) {
    edge.push_back({a, b});
    edge_marker.push_back(marker_index);
  }
  int add_marker(std::string name) {
    marker.push_back(std::move(name));
    return static_cast<int>(marker.size()) - 1;
  }
};

}  // namespace weir
