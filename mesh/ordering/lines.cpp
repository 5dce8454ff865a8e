#include "mesh/ordering/lines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/buckets.hpp"
#include "mesh/graph/graph_tools.hpp"

namespace weir {
namespace {

// area / (distance of the centres across the face). A boundary face is half-way to a mirrored cell.
std::vector<double> face_weights(const UnstructuredMesh& mesh) {
  const int inside = mesh.interior_faces(), first_periodic = inside - mesh.periodic_faces;
  std::vector<double> weight(mesh.owner.size());
  for (int f = 0; f < mesh.faces(); ++f) {
    const auto& here = mesh.centre[mesh.owner[f]];
    const auto& n = mesh.normal[f];
    auto there = mesh.face_centre[f];
    if (f < inside) there = mesh.centre[mesh.neighbour[f]];
    if (f >= first_periodic && f < inside)
      for (int d = 0; d < 2; ++d) there[d] += mesh.shift[f - first_periodic][d];
    double across = std::abs((there[0] - here[0]) * n[0] + (there[1] - here[1]) * n[1]);
    if (f >= inside) across *= 2;
    weight[f] = mesh.area[f] / std::max(across, std::numeric_limits<double>::min());
  }
  return weight;
}

std::vector<double> least_weights(const UnstructuredMesh& mesh, const std::vector<double>& weight) {
  std::vector<double> least(mesh.volume.size(), std::numeric_limits<double>::infinity());
  for (int f = 0; f < mesh.faces(); ++f) {
    least[mesh.owner[f]] = std::min(least[mesh.owner[f]], weight[f]);
    if (f < mesh.interior_faces()) least[mesh.neighbour[f]] = std::min(least[mesh.neighbour[f]], weight[f]);
  }
  return least;
}

struct Coupling {
  int cell;
  double weight;
};

Buckets<Coupling> strong_couplings(const UnstructuredMesh& mesh, const std::vector<double>& weight,
                                   const std::vector<double>& least, double ratio) {
  return into_buckets<Coupling>(mesh.volume.size(), [&](const auto& put) {
    for (int f = 0; f < mesh.interior_faces(); ++f) {
      const int a = mesh.owner[f], b = mesh.neighbour[f];
      if (!(weight[f] > ratio * std::max(least[a], least[b]))) continue;
      put(a, Coupling{b, weight[f]});
      put(b, Coupling{a, weight[f]});
    }
  });
}

}  // namespace

CellLines find_lines(const UnstructuredMesh& mesh, double anisotropy) {
  const auto weight = face_weights(mesh);
  const auto least = least_weights(mesh, weight);
  const double ratio = anisotropy * anisotropy;
  const auto [start, strong] = strong_couplings(mesh, weight, least, ratio);
  std::vector<char> taken(mesh.volume.size(), 0);
  CellLines lines;
  for (int f = mesh.interior_faces(); f < mesh.faces(); ++f) {
    const int seed = mesh.owner[f];
    if (taken[seed] || !(weight[f] > ratio * least[seed])) continue;
    const int first = static_cast<int>(lines.cell.size());
    for (int c = seed; c >= 0;) {
      taken[c] = 1;
      lines.cell.push_back(c);
      int next = -1;
      double strongest = 0;
      for (int k = start[c]; k < start[c + 1]; ++k)
        if (const auto [cell, w] = strong[k]; !taken[cell] && w > strongest) strongest = w, next = cell;
      c = next;
    }
    const int count = static_cast<int>(lines.cell.size()) - first;
    if (count > 1) {
      lines.lines.push_back({first, count});
    } else {
      taken[seed] = 0;
      lines.cell.pop_back();
    }
  }
  return lines;
}

std::vector<int> line_of_cell(const CellLines& lines, int cells) {
  std::vector<int> line(static_cast<std::size_t>(cells), -1);
  for (int l = 0; l < lines.count(); ++l)
    for (int i = 0; i < lines.lines[l].count; ++i) line[lines.cell[lines.lines[l].first + i]] = l;
  return line;
}

std::vector<int> line_groups(const CellLines& lines, int cells, int* groups) {
  std::vector<int> group = line_of_cell(lines, cells);
  int next = lines.count();
  for (int& g : group)
    if (g < 0) g = next++;
  if (groups) *groups = next;
  return group;
}

Order order_by_groups(const CellLines& lines, int cells, const Order& group_order, std::vector<CellRange>* ranges) {
  const std::vector<int> line = line_of_cell(lines, cells);
  std::vector<int> single;  // cell of group lines.count() + i
  for (int c = 0; c < cells; ++c)
    if (line[c] < 0) single.push_back(c);
  Order order;
  order.reserve(static_cast<std::size_t>(cells));
  for (int g : group_order) {
    if (g >= lines.count()) {
      order.push_back(single[g - lines.count()]);
      continue;
    }
    const CellRange& l = lines.lines[g];
    if (ranges) ranges->push_back({static_cast<int>(order.size()), l.count});
    order.insert(order.end(), lines.cell.begin() + l.first, lines.cell.begin() + l.first + l.count);
  }
  return order;
}

}  // namespace weir
