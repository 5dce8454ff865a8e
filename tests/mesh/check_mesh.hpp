// Properties that hold to round-off on every mesh; each is relative (to the cell's perimeter, to the volume).
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "mesh/unstructured/unstructured.hpp"

namespace weir {

struct MeshCheck {
  double closure = 0;       // max over the cells of |sum of area * normal| / perimeter
  double volume = 0;        // total
  double volume_error = 0;  // |volume - half the sum over the boundary of area * x . n| / volume; 0 where periodic
};
inline MeshCheck check_mesh(const UnstructuredMesh& mesh) {
  std::vector<std::array<double, 2>> sum(mesh.volume.size());
  std::vector<double> perimeter(mesh.volume.size(), 0.0);
  MeshCheck check;
  double by_boundary = 0;
  const auto add = [&](int cell, double sign, std::size_t f) {
    const auto c = static_cast<std::size_t>(cell);
    for (std::size_t e = 0; e < 2; ++e) sum[c][e] += sign * mesh.area[f] * mesh.normal[f][e];
    perimeter[c] += mesh.area[f];
  };
  for (std::size_t f = 0; f < mesh.owner.size(); ++f) {
    add(mesh.owner[f], 1, f);
    if (f < mesh.neighbour.size())
      add(mesh.neighbour[f], -1, f);
    else
      by_boundary += 0.5 * mesh.area[f] *
                     (mesh.face_centre[f][0] * mesh.normal[f][0] + mesh.face_centre[f][1] * mesh.normal[f][1]);
  }
  for (std::size_t c = 0; c < sum.size(); ++c) {
    check.closure = std::max(check.closure, std::hypot(sum[c][0], sum[c][1]) / perimeter[c]);
    check.volume += mesh.volume[c];
  }
  if (mesh.periodic_faces == 0) check.volume_error = std::abs(check.volume - by_boundary) / check.volume;
  return check;
}

}  // namespace weir
