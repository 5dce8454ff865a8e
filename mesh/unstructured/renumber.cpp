#include "mesh/unstructured/renumber.hpp"

#include <cmath>
#include <stdexcept>

#include "mesh/unstructured/faces.hpp"

namespace weir {
namespace {

std::vector<int> positions(const Order& order, int cells) {
  std::vector<int> position(static_cast<std::size_t>(cells), -1);
  if (static_cast<int>(order.size()) != cells)
    throw std::invalid_argument("an ordering must contain each cell exactly once");
  for (std::size_t p = 0; p < order.size(); ++p) {
    if (order[p] < 0 || order[p] >= cells || position[order[p]] >= 0)
      throw std::invalid_argument("an ordering must contain each cell exactly once");
    position[order[p]] = static_cast<int>(p);
  }
  return position;
}

// A periodic face on the neighbour's side: the neighbour's two nodes, found by position.
Face seen_by_neighbour(const UnstructuredMesh& m, std::size_t face, const Point& shift) {
  const int cell = m.neighbour[face], begin = m.cell_start[cell];
  Face best{cell, m.owner[face], -1, -1};
  double nearest = HUGE_VAL;
  for (int k = 0; k < m.corners(cell); ++k) {
    const int a = m.cell_node[begin + k];
    const int b = m.cell_node[begin + (k + 1) % m.corners(cell)];
    const auto &x = m.node[a], &y = m.node[b];
    const double away = std::hypot(0.5 * (x[0] + y[0]) + shift[0] - m.face_centre[face][0],
                                   0.5 * (x[1] + y[1]) + shift[1] - m.face_centre[face][1]);
    if (away < nearest) {
      nearest = away;
      best.a = a;
      best.b = b;
    }
  }
  return best;
}

FaceSet renamed_faces(const UnstructuredMesh& m, const std::vector<int>& position) {
  FaceSet faces;
  const std::size_t interior = m.neighbour.size(), plain = interior - static_cast<std::size_t>(m.periodic_faces);
  faces.interior.reserve(plain);
  for (std::size_t f = 0; f < interior; ++f) {
    Face g{m.owner[f], m.neighbour[f], m.face_node[f][0], m.face_node[f][1]};
    const bool swap = position[g.owner] > position[g.other];
    Point shift{};
    if (f >= plain) shift = m.shift[f - plain];
    if (swap && f < plain) g = {g.other, g.owner, g.b, g.a};
    if (swap && f >= plain) {
      g = seen_by_neighbour(m, f, shift);
      shift = {-shift[0], -shift[1]};
    }
    g.owner = position[g.owner];
    g.other = position[g.other];
    if (f < plain)
      faces.interior.push_back(g);
    else
      faces.periodic.push_back({g, shift});
  }
  for (std::size_t p = 0; p < m.patches.size(); ++p)
    for (int f = m.patches[p].first; f < m.patches[p].first + m.patches[p].count; ++f) {
      const auto i = static_cast<std::size_t>(f);
      faces.boundary.push_back({position[m.owner[i]], static_cast<int>(p), m.face_node[i][0], m.face_node[i][1]});
    }
  return faces;
}

}  // namespace

UnstructuredMesh renumber_cells(const UnstructuredMesh& mesh, const Order& order) {
  const std::vector<int> position = positions(order, mesh.cells());
  UnstructuredMesh result;
  result.node = mesh.node;
  result.cell_node.reserve(mesh.cell_node.size());
  result.cell_start.reserve(mesh.cell_start.size());
  for (int old : order) {
    const auto c = static_cast<std::size_t>(old);
    result.cell_node.insert(result.cell_node.end(), mesh.cell_node.begin() + mesh.cell_start[c],
                            mesh.cell_node.begin() + mesh.cell_start[c + 1]);
    result.cell_start.push_back(static_cast<int>(result.cell_node.size()));
    result.volume.push_back(mesh.volume[c]);
    result.centre.push_back(mesh.centre[c]);
  }
  std::vector<std::string> patches;
  for (const Patch& p : mesh.patches) patches.push_back(p.name);
  set_faces(result, renamed_faces(mesh, position), patches);
  return result;
}

}  // namespace weir
