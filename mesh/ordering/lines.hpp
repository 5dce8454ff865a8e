// Lines of strongly coupled cells (Mavriplis 1998, J. Comput. Phys. 145, as Kashi & Nadarajah 2020, section 5.1, use it):
// in a boundary layer the cells are long and thin, each coupled strongly to the two across its long sides.
//
//   The weight of a face is its conductance, area / (distance of the two cell centres across the face); beyond a
//   boundary face a mirrored cell stands. A face is strong where its weight exceeds anisotropy^2 times the least weight
//   of the cells on its two sides. Between quadrilaterals that is the ratio of distances, the measure of Mavriplis; the
//   centres of thin triangles that share their long sides, though, are far apart, and he would find no lines there.
//   A line starts at a cell with a strong boundary face and goes on through strong faces, the strongest first, until
//   there is none or the next cell is in a line already. A line has two cells at least.
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
  std::vector<CellRange> lines;  // where each is in `cell`
  int count() const { return static_cast<int>(lines.size()); }
};

CellLines find_lines(const UnstructuredMesh& mesh, double anisotropy);

// Of each cell: its line (0 .. count - 1), or -1.
std::vector<int> line_of_cell(const CellLines& lines, int cells);

// Of each cell: its line, or a number of its own from lines.count() on: the vertices of the graph of lines and single
// cells (section 5.2). `groups`, where given, receives their number.
std::vector<int> line_groups(const CellLines& lines, int cells, int* groups = nullptr);

// The groups in the given order, each line's cells side by side, its boundary cell first. `lines`, where given,
// receives where the lines stand in the new numbering.
Order order_by_groups(const CellLines& lines, int cells, const Order& group_order,
                      std::vector<CellRange>* ranges = nullptr);

}  // namespace weir
