// A two-dimensional face-based mesh of triangles and quadrilaterals for finite volumes.
//
//          b            A face runs from its node a to its node b with the owner on its left, so that the unit normal
//    owner | -> normal  (y_b - y_a, x_a - x_b) / area points out of the owner, into the neighbour. Interior faces come
//          a            first, then those of each patch, contiguous. owner < neighbour; interior faces are sorted by
//                       (owner, neighbour): a loop over faces walks through the cells.
//
// Periodic boundaries are interior faces (the last `periodic_faces` of them, sorted separately), but the neighbour's
// centre and nodes are elsewhere: add the face's `shift` to them.
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
  std::vector<int> cell_node;      // 3 or 4 corners per cell, counter-clockwise
  std::vector<double> volume;      // per cell, per unit depth
  std::vector<Point> centre;       // centroid of each cell

  std::vector<std::array<int, 2>> face_node;  // a, b
  std::vector<int> owner, neighbour;          // owner: all faces; neighbour: interior faces only
  std::vector<Point> normal;                  // unit vectors
  std::vector<double> area;                   // length of each face
  std::vector<Point> face_centre;             // midpoint of each face, on the owner's side
  int periodic_faces = 0;
  std::vector<Point> shift;  // shift of each periodic face
  std::vector<Patch> patches;

  int cells() const { return static_cast<int>(volume.size()); }
  int nodes() const { return static_cast<int>(node.size()); }
  int faces() const { return static_cast<int>(owner.size()); }
  int interior_faces() const { return static_cast<int>(neighbour.size()); }
  int corners(int cell) const { return cell_start[cell + 1] - cell_start[cell]; }
  const Patch* patch(const std::string& name) const {  // null: none
    for (const Patch& p : patches)
      if (p.name == name) return &p;
    return nullptr;
  }
};

}  // namespace weir
