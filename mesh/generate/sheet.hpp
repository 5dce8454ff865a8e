// A mesh that is a rectangle of nx x ny cells, bent: what box, channels and O-grids have in common.
//
//        ny  +--- top ---+        node (i, j) is node[j * columns() + i]; a sheet that wraps around (an O-grid) has no
//            |           |        left and right side, and node (nx, j) is node (0, j)
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
  triangles,         // each quadrilateral halved, the diagonals in turn this way and that way
  triangles_aligned  // all diagonals one way
};

enum class SheetSide { left, right, bottom, top };
inline bool is_vertical(SheetSide side) { return side == SheetSide::left || side == SheetSide::right; }

// Faces first .. first + count - 1 of a side; count < 0: to its end.
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

  // Moves the nodes inside by up to `fraction` of the distance to the nearest of their four neighbours, at random. Less
  // than 0.25 keeps every cell convex on a sheet of rectangles.
  void jitter(double fraction, std::uint64_t seed);
};

MeshDescription describe(const Sheet& sheet, const std::vector<SheetPatch>& patches);

}  // namespace weir
