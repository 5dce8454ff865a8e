// Small meshes of a box, made the slow and plain way: quadrilaterals, triangles or both, inner nodes moved about by a
// seed, either direction periodic. Patches: x_min, x_max, y_min, y_max (those that are not periodic).
#pragma once
#include <array>
#include <cstdint>
#include <functional>

#include "mesh/unstructured/unstructured.hpp"

namespace weir::test {

enum class CellKind { quads, triangles, mixed };

struct BoxMesh {
  int nx = 6, ny = 5;
  double width = 1, height = 1;
  CellKind kind = CellKind::mixed;
  double shake = 0.2;  // of the spacing
  bool periodic_x = false, periodic_y = false;
  std::uint64_t seed = 1;
  std::function<std::array<double, 2>(double, double)> place{};  // where the box's points lie; none: there
};

UnstructuredMesh box_mesh(const BoxMesh& box);

}  // namespace weir::test
