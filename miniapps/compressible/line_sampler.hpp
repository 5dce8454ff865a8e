// Values along a straight line through an unstructured mesh: in each cell a linear function, by least squares over the cell
// and its neighbours (weights 1 / distance^2), so that linear fields are exact.
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
    Point centre;  // as this cell sees it: behind a periodic face it is moved
  };
  // Calls visit(Other) for each.
  template <class Visit>
  void of(int cell, const Visit& visit) const {
    for (int i = start_[cell]; i < start_[cell + 1]; ++i) visit(other_[i]);
  }

 private:
  std::vector<int> start_;
  std::vector<Other> other_;
};

// Refers to mesh and neighbours.
class LineSampler {
 public:
  LineSampler(const UnstructuredMesh& mesh, const CellNeighbours& neighbours, const Point& from, const Point& to);
  // At from + t (to - from); NaN where no cell is: outside the mesh, in a body.
  double operator()(double t, const std::function<double(int cell)>& of_cell) const;

 private:
  struct Piece {  // of the line, in a cell
    double from, to;
    int cell;
  };
  const UnstructuredMesh& mesh_;
  const CellNeighbours& neighbours_;
  Point from_, to_;
  std::vector<Piece> pieces_;
};

}  // namespace weir
