// A two-dimensional mesh of triangles and quadrilaterals, faces first (finite volumes: cells only know their volume and
// centre, everything that flows passes a face).
//
//          b            A face runs from its node a to its node b with the owner on its left, so that the unit normal
//    owner | -> normal  (y_b - y_a, x_a - x_b) / area points out of the owner, into the neighbour. Interior faces come
//          a            first, then those of each patch, contiguous. owner < neighbour, and interior faces are sorted by
//                       (owner, neighbour): a loop over faces walks through the cells.
//
// Periodic boundaries are interior faces like any other (the last `periodic_faces` of them, sorted among themselves),
// but the neighbour's centre and nodes lie elsewhere: add `shift` of that face to them.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "mesh/point.hpp"

namespace weir {

struct Patch {
  std::string name;
  int first = 0, count = 0;  // faces first .. first + count - 1
};

struct UnstructuredMesh {
  std::vector<Point> node;

  std::vector<int> cell_start{0};  // cells + 1
  std::vector<int> cell_node;      // 3 or 4 corners of each cell, counter-clockwise
  std::vector<double> volume;      // of a cell, per unit depth
  std::vector<Point> centre;       // of a cell: its centroid

  std::vector<std::array<int, 2>> face_node;  // a, b
  std::vector<int> owner, neighbour;          // owner: every face; neighbour: the interior faces alone
  std::vector<Point> normal;                  // unit
  std::vector<double> area;                   // of a face: its length
  std::vector<Point> face_centre;             // its middle, on the owner's side
  int periodic_faces = 0;
  std::vector<Point> shift;  // of the periodic faces
  std::vector<Patch> patches;

  int cells() const { return static_cast<int>(volume.size()); }
  int nodes() const { return static_cast<int>(node.size()); }
  int faces() const { return static_cast<int>(owner.size()); }
  int interior_faces() const { return static_cast<int>(neighbour.size()); }
  int corners(int cell) const { return cell_start[cell + 1] - cell_start[cell]; }
  const Patch* patch(const std::string& name) const {  // null where there is none
    for (const Patch& p : patches)
      if (p.name == name) return &p;
    return nullptr;
  }
};

}  // namespace weir
