// Lines of strongly coupled cells (Mavriplis 1998, J. Comput. Phys. 145; Kashi & Nadarajah 2020, section 5.1): cells
// of boundary layers are long and thin and strongly coupled to the two across their long sides.
//
//   The weight of a face is area / (distance of the two cell centres across the face), with a mirrored cell beyond a
//   boundary face. A face is strong if its weight exceeds anisotropy^2 times the least weight of its two cells. For
//   quadrilaterals this is Mavriplis's ratio of distances, which would find no lines in thin triangles, because
//   centres across their long sides are far apart.
//   A line starts at a cell with a strong boundary face and follows strong faces, the strongest first, until there is
//   none or the next cell already is in a line. It has at least two cells.
#pragma once
#include <vector>

#include "mesh/graph/graph.hpp"
#include "mesh/unstructured/unstructured.hpp"

namespace weir {

struct CellRange {
  int first = 0, count = 0;  // cells first .. first + count - 1
};

struct CellLines {
  std::vector<int> cell;         // line after line, each from its boundary outwards
  std::vector<CellRange> lines;  // position of each line in `cell`
  int count() const { return static_cast<int>(lines.size()); }
};

CellLines find_lines(const UnstructuredMesh& mesh, double anisotropy);

// Line of each cell (0 .. count - 1), or -1.
std::vector<int> line_of_cell(const CellLines& lines, int cells);

// Line of each cell, or a unique number from lines.count() on: the vertices of the graph of lines and single cells
// (section 5.2). `groups`, if given, receives their number.
std::vector<int> line_groups(const CellLines& lines, int cells, int* groups = nullptr);

// Groups in the given order, the cells of each line consecutive, its boundary cell first. `lines`, if given, receives
// the positions of the lines in the new numbering.
Order order_by_groups(const CellLines& lines, int cells, const Order& group_order,
                      std::vector<CellRange>* ranges = nullptr);

}  // namespace weir
