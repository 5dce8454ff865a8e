#include "mesh/generate/layers.hpp"

#include <algorithm>
#include <cmath>

namespace weir {
namespace {

constexpr double sharp = 0.6;  // radians of turning that make a fan

// To the left of a -> b.
double normal_angle(const Point& a, const Point& b) { return std::atan2(b[0] - a[0], a[1] - b[1]); }

double turned(double angle) { return std::remainder(angle, 6.283185307179586); }

// A closed row of points; columns of a fan share their wall node.
struct Row {
  std::vector<int> wall;  // the wall node of each column
  std::vector<Point> at;
  std::vector<double> direction;
  std::size_t size() const { return at.size(); }
  std::size_t after(std::size_t c) const { return c + 1 == size() ? 0 : c + 1; }
  std::size_t before(std::size_t c) const { return c == 0 ? size() - 1 : c - 1; }
};

// Columns of a fan: none where the wall turns little; where the layers are thin no more than their outer arc has room
// for, half as wide as the wall's faces beside them.
int fan_columns(double turn, const LayerOptions& o, double wall_face) {
  if (turn < sharp) return 0;
  const double by_room = turn * o.height.back() / (0.5 * wall_face);
  return std::max(2, static_cast<int>(std::lround(std::min(turn / o.fan_angle, by_room))));
}

Row first_row(const MeshDescription& mesh, int first, int count, const LayerOptions& o) {
  Row row;
  const auto wall = [&](int i) { return mesh.node[first + (i + count) % count]; };
  for (int i = 0; i < count; ++i) {
    const double before = normal_angle(wall(i - 1), wall(i)), after = normal_angle(wall(i), wall(i + 1));
    const double turn = turned(after - before);  // a clockwise walk turns to the right at a convex corner: negative
    const int columns = fan_columns(-turn, o, std::min(distance(wall(i - 1), wall(i)), distance(wall(i), wall(i + 1))));
    for (int k = 0; k <= columns; ++k) {
      row.wall.push_back(first + i);
      row.at.push_back(wall(i));
      row.direction.push_back(before + turn * (columns ? static_cast<double>(k) / columns : 0.5));
    }
  }
  return row;
}

void turn_to_normals(Row& row) {
  for (std::size_t c = 0; c < row.size(); ++c) {
    const double before = normal_angle(row.at[row.before(c)], row.at[c]),
                 after = normal_angle(row.at[c], row.at[row.after(c)]);
    row.direction[c] = before + 0.5 * turned(after - before);
  }
}

// Moves points along the front towards the wider of their two neighbouring columns. A thin layer keeps its normals: the
// shift is at most half the step outwards.
void even_out(Row& row, double step) {
  const std::vector<Point> old = row.at;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const Point &a = old[row.before(c)], &b = old[c], &d = old[row.after(c)];
    const double behind = distance(a, b), ahead = distance(b, d), chord = distance(a, d);
    const double weight = std::min(1.0, step / std::min(behind, ahead));
    const double shift = std::clamp(0.25 * weight * (ahead - behind), -0.5 * step, 0.5 * step);
    for (std::size_t k = 0; k < 2; ++k) row.at[c][k] += shift * (d[k] - a[k]) / chord;
  }
}

void add_quad(MeshDescription& mesh, int a, int b, int c, int d, bool halve) {
  if (!halve)
    mesh.add_cell(a, b, c, d);
  else if (distance(mesh.node[a], mesh.node[c]) <= distance(mesh.node[b], mesh.node[d])) {
    mesh.add_cell(a, b, c);
    mesh.add_cell(a, c, d);
  } else {
    mesh.add_cell(a, b, d);
    mesh.add_cell(b, c, d);
  }
}

}  // namespace

std::vector<int> add_layers(MeshDescription& mesh, int first, int wall_nodes, const LayerOptions& o) {
  Row row = first_row(mesh, first, wall_nodes, o);
  std::vector<int> below = row.wall;
  if (o.height.size() < 2) {
    below.erase(std::unique(below.begin(), below.end()), below.end());
    return below;
  }
  for (std::size_t k = 1; k < o.height.size(); ++k) {
    const double step = o.height[k] - o.height[k - 1];
    if (k > 1) turn_to_normals(row);
    for (std::size_t c = 0; c < row.size(); ++c) {
      row.at[c][0] += step * std::cos(row.direction[c]);
      row.at[c][1] += step * std::sin(row.direction[c]);
    }
    even_out(row, step);
    std::vector<int> above(row.size());
    for (std::size_t c = 0; c < row.size(); ++c) {
      above[c] = static_cast<int>(mesh.node.size());
      mesh.node.push_back(row.at[c]);
    }
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::size_t d = row.after(c);
      if (below[c] == below[d])
        mesh.add_cell(below[c], above[d], above[c]);
      else
        add_quad(mesh, below[c], below[d], above[d], above[c], o.halve);
    }
    below = std::move(above);
  }
  return below;
}

}  // namespace weir
