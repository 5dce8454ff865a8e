// Builds a mesh from a description in near-linear time (about a second for a million cells): every edge of every cell
// is put into the bucket of its lower node, where it is matched with the same edge of another cell or a marked boundary
// edge.
//
// Clockwise cells are reversed. Refused (exit code 2) with file and line if known: a node out of range, a repeated
// corner, a cell area that is zero or not finite, a self-intersecting quadrilateral, an inverted cell (the mesh folds
// over), a face with more than two cells or with two markers, a marker between two cells or away from all cells, a
// hanging node, a boundary face without marker, and periodic markers whose faces do not match.
#pragma once
#include "mesh/unstructured/description.hpp"
#include "mesh/unstructured/unstructured.hpp"

namespace weir {

struct MeshRepairs {
  int turned = 0;         // clockwise cells, reversed
  int unused_nodes = 0;   // dropped
  int not_convex = 0;     // quadrilaterals with a re-entrant corner, kept
  int ignored_edges = 0;  // edges between two cells on a marker that may lie inside
};

UnstructuredMesh build_mesh(MeshDescription description, MeshRepairs* repairs = nullptr);

}  // namespace weir
