// Writes a mesh as SU2's native format, so that a generated mesh can be brought elsewhere; read_mesh gives the same mesh
// back, to the last bit of its nodes. Periodic faces have no place in the format: such a mesh is refused.
#pragma once
#include <string>

#include "mesh/unstructured/unstructured.hpp"

namespace weir {

std::string su2_text(const UnstructuredMesh& mesh);
void write_su2(const UnstructuredMesh& mesh, const std::string& path);  // under a temporary name, then renamed

}  // namespace weir
