// What an ordering makes of a mesh, cell by cell, for pictures and for solvers that ask.
#pragma once
#include <vector>

#include "mesh/ordering/make_ordering.hpp"

namespace weir {

// One value a cell, in the numbering of the mesh they are asked for.
struct CellFields {
  std::vector<int> order;            // the cell's position
  std::vector<int> line;             // its line, or -1; found for every ordering, with the options' threshold
  std::vector<int> level;            // its level set in the lower triangle of that order
  std::vector<int> colour;           // of the balanced colouring
  std::vector<int> part;             // of `parts`; lines are not cut
  std::vector<double> aspect_ratio;  // cell_anisotropy
  int lines = 0, levels = 0, colours = 0;
};

CellFields cell_fields(const UnstructuredMesh& mesh, const OrderingOptions& options, int parts);

}  // namespace weir
