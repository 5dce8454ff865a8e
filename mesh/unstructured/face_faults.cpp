// Error messages for faulty meshes. Faces are identified by the positions of their nodes, independent of numbering.
#include <algorithm>
#include <cstdio>

#include "base/error.hpp"
#include "mesh/unstructured/faces.hpp"

namespace weir {
namespace {

[[noreturn]] void refuse(const MeshDescription& d, const std::vector<int>& lines, int item,
                         const std::string& message) {
  std::string place = d.source.empty() ? "mesh" : d.source;
  if (static_cast<std::size_t>(item) < lines.size()) place += ":" + std::to_string(lines[item]);
  throw Error(Exit::usage, place + ": " + message);
}

std::vector<int> corners_of(const MeshDescription& d, int cell) {
  std::vector<int> c(d.cell_node.begin() + d.cell_start[cell],
                     d.cell_node.begin() + d.cell_start[static_cast<std::size_t>(cell) + 1]);
  std::ranges::sort(c);
  return c;
}

const Point& at(const MeshDescription& d, int node) { return d.node[node]; }

bool lies_between(const Point& x, const Point& a, const Point& b) {
  const double length = distance(a, b), to_a = distance(x, a), to_b = distance(x, b);
  return to_a > 1e-3 * length && to_b > 1e-3 * length && to_a + to_b < (1 + 1e-9) * length;
}

}  // namespace

void refuse_cell(const MeshDescription& d, int cell, const std::string& message) {
  refuse(d, d.cell_line, cell, message);
}

void refuse_edge(const MeshDescription& d, int edge, const std::string& message) {
  refuse(d, d.edge_line, edge, message);
}

std::string point_text(const Point& x) {
  char text[80];
  std::snprintf(text, sizeof text, "(%.6g, %.6g)", x[0], x[1]);
  return text;
}

std::string face_text(const MeshDescription& d, int a, int b) {
  return "the face from " + point_text(at(d, a)) + " to " + point_text(at(d, b));
}

std::string line_text(const std::vector<int>& lines, int item) {
  if (static_cast<std::size_t>(item) >= lines.size()) return {};
  return " (line " + std::to_string(lines[item]) + ")";
}

void refuse_fold(const MeshDescription& d, int cell, int twin, int a, int b) {
  if (corners_of(d, cell) == corners_of(d, twin))
    refuse_cell(d, twin, "the cell is repeated" + line_text(d.cell_line, cell));
  refuse_cell(d, twin,
              "inverted cell: it lies on the same side of " + face_text(d, a, b) + " as the cell that shares it" +
                  line_text(d.cell_line, cell) + "; the mesh folds over itself here");
}

// Loose edges are unmarked boundary, unless two of them should have met: a node in the middle of an edge, or two
// nodes at one position. Only the first few are examined, to stay linear.
void refuse_loose(const MeshDescription& d, const std::vector<LooseEdge>& loose) {
  constexpr std::size_t looked_at = 64;
  for (std::size_t i = 0; i < std::min(loose.size(), looked_at); ++i) {
    const auto &a = at(d, loose[i].a), &b = at(d, loose[i].b);
    for (const LooseEdge& e : loose) {
      if (&e == &loose[i]) continue;
      for (int node : {e.a, e.b})
        if (lies_between(at(d, node), a, b))
          refuse_cell(d, loose[i].cell,
                      "hanging node at " + point_text(at(d, node)) + ", in the middle of " +
                          face_text(d, loose[i].a, loose[i].b) + line_text(d.cell_line, e.cell) +
                          "; cells must share whole faces");
      if (distance(a, at(d, e.b)) + distance(b, at(d, e.a)) < 1e-9 * distance(a, b))
        refuse_cell(d, loose[i].cell,
                    "two cells meet at " + face_text(d, loose[i].a, loose[i].b) + line_text(d.cell_line, e.cell) +
                        " with different nodes at the same positions; merge duplicate nodes");
    }
  }
  const std::string more =
      loose.size() > 1 ? " (the first of " + std::to_string(loose.size()) + " such faces)" : std::string();
  refuse_cell(d, loose.front().cell,
              "unmarked boundary: " + face_text(d, loose.front().a, loose.front().b) +
                  " has a cell on one side only and belongs to no marker" + more);
}

}  // namespace weir
