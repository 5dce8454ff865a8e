// A mapped mesh of nx x ny cells, used by box, channels and O-grids.
//
//        ny  +--- top ---+        node (i, j) is node[j * columns() + i]; an O-grid has no left and right
//            |           |        side, and node (nx, j) is node (0, j)
//       left |           | right
//        0   +- bottom --+
//            0          nx
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mesh/unstructured/description.hpp"

namespace weir {

enum class CellShape {
  quads,
  triangles,         // halved with alternating diagonals
  triangles_aligned  // halved with parallel diagonals
};

enum class SheetSide { left, right, bottom, top };
inline bool is_vertical(SheetSide side) { return side == SheetSide::left || side == SheetSide::right; }

// Faces first .. first + count - 1 of a side; count < 0: to the end.
struct SheetPatch {
  SheetSide side;
  std::string name;
  int first = 0, count = -1;
};

struct Sheet {
  int nx = 0, ny = 0;
  bool wraps = false;
  CellShape shape = CellShape::quads;
  std::vector<Point> node;

  Sheet(int nx, int ny, CellShape shape, bool wraps = false);
  int columns() const { return wraps ? nx : nx + 1; }
  int index(int i, int j) const { return j * columns() + (wraps ? i % nx : i); }
  Point& at(int i, int j) { return node[index(i, j)]; }

  // Moves inner nodes randomly by up to `fraction` of the distance to the nearest of their four neighbours. Below
  // 0.25 all cells of a sheet of rectangles stay convex.
  void jitter(double fraction, std::uint64_t seed);
};

MeshDescription describe(const Sheet& sheet, const std::vector<SheetPatch>& patches);

}  // namespace weir
