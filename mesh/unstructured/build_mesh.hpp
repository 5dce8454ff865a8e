// From a description to the mesh, in near-linear time (a million cells take about a second): every edge of every cell
// is put in the bucket of its lower node, where it meets its twin or a marked boundary edge.
//
// Clockwise cells are turned. Refused (exit code 2) with file and line where the description knows them: a node out of
// range, a corner named twice, a cell whose area is zero or not finite, a quadrilateral that crosses itself, a cell that
// lies on the wrong side of a shared face (inverted: the mesh folds over), a face of more than two cells or with two
// markers, a marker between two cells or away from all cells, a hanging node, a boundary face without a marker, and
// periodic markers whose faces do not match.
#pragma once
#include "mesh/unstructured/description.hpp"
#include "mesh/unstructured/unstructured.hpp"

namespace weir {

struct MeshRepairs {
  int turned = 0;         // cells that were clockwise
  int unused_nodes = 0;   // of no cell: dropped
  int not_convex = 0;     // quadrilaterals with a re-entrant corner: kept
  int ignored_edges = 0;  // between two cells, on a marker that may lie inside
};

UnstructuredMesh build_mesh(MeshDescription description, MeshRepairs* repairs = nullptr);

}  // namespace weir
