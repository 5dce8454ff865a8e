// Values along a straight line through an unstructured mesh: linear least-squares reconstruction in each cell
// (weights 1 / distance^2), exact for linear fields.
#pragma once
#include <functional>
#include <vector>

#include "mesh/unstructured/unstructured.hpp"

namespace weir {

class CellNeighbours {
 public:
  explicit CellNeighbours(const UnstructuredMesh& mesh);
  struct Other {
    int cell;
    Point centre;  // seen from this cell: shifted across a periodic face
  };
  // Calls visit(Other) for each neighbour.
  template <class Visit>
  void of(int cell, const Visit& visit) const {
    for (int i = start_[cell]; i < start_[cell + 1]; ++i) visit(other_[i]);
  }

 private:
  std::vector<int> start_;
  std::vector<Other> other_;
};

// Keeps references to mesh and neighbours.
class LineSampler {
 public:
  LineSampler(const UnstructuredMesh& mesh, const CellNeighbours& neighbours, const Point& from, const Point& to);
  // Value at from + t (to - from); NaN outside of the mesh.
  double operator()(double t, const std::function<double(int cell)>& of_cell) const;

 private:
  struct Piece {  // part of the line in one cell
    double from, to;
    int cell;
  };
  const UnstructuredMesh& mesh_;
  const CellNeighbours& neighbours_;
  Point from_, to_;
  std::vector<Piece> pieces_;
};

}  // namespace weir
