// Quantities of the whole mesh that every rank needs; the mesh itself is on rank 0 alone.
#pragma once
#include <algorithm>
#include <cstdint>

#include "base/archive.hpp"
#include "mesh/unstructured/unstructured.hpp"

namespace weir {

struct MeshFacts {
  int cells = 0, triangles = 0, faces = 0, interior_faces = 0;
  std::int64_t bytes = 0;
  Point low{1e300, 1e300}, high{-1e300, -1e300};  // of the nodes

  MeshFacts() = default;
  MeshFacts(const UnstructuredMesh& mesh);  // not explicit: the facts stand for the mesh
};

// Boundary faces and the shifts of periodic ones, without cells: enough to read boundary conditions.
UnstructuredMesh outline_of(const UnstructuredMesh& mesh);

// Writes into the archive or reads from it.
void archive(Archive& a, MeshFacts& facts);
void archive_outline(Archive& a, UnstructuredMesh& outline);

}  // namespace weir
