#include "mesh/unstructured/quality.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weir {
namespace {

// Corners of a cell with cyclic index: corner(k) for any k.
struct Corners {
  const UnstructuredMesh& mesh;
  int first, count;
  Corners(const UnstructuredMesh& m, int cell) : mesh(m), first(m.cell_start[cell]), count(m.corners(cell)) {}
  const Point& operator[](int k) const { return mesh.node[mesh.cell_node[first + k % count]]; }
};

}  // namespace

std::vector<double> aspect_ratios(const UnstructuredMesh& mesh) {
  std::vector<double> ratio(static_cast<std::size_t>(mesh.cells()));
  for (int c = 0; c < mesh.cells(); ++c) {
    const Corners at(mesh, c);
    double longest = 0;
    for (int k = 0; k < at.count; ++k) longest = std::max(longest, distance(at[k], at[k + 1]));
    ratio[c] = (at.count == 3 ? std::numbers::sqrt3 / 4 : 1) * longest * longest / mesh.volume[c];
  }
  return ratio;
}

std::vector<double> least_angles(const UnstructuredMesh& mesh) {
  std::vector<double> angle(static_cast<std::size_t>(mesh.cells()));
  for (int c = 0; c < mesh.cells(); ++c) {
    const Corners at(mesh, c);
    double least = std::numbers::pi;
    for (int k = 0; k < at.count; ++k) {
      const auto &a = at[k], &b = at[k + 1], &d = at[k + at.count - 1];
      const double ux = b[0] - a[0], uy = b[1] - a[1], vx = d[0] - a[0], vy = d[1] - a[1];
      least = std::min(least, std::abs(std::atan2(ux * vy - uy * vx, ux * vx + uy * vy)));
    }
    angle[c] = least * 180 / std::numbers::pi;
  }
  return angle;
}

}  // namespace weir
