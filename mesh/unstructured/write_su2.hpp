// A mesh in SU2's native format, so that a generated mesh can be brought elsewhere; read_description gives the same mesh
// back, to the last bit of its nodes. Periodic faces have no place in the format: such a mesh is refused.
#pragma once
#include <string>

#include "mesh/unstructured/unstructured.hpp"

namespace weir {

std::string su2_text(const UnstructuredMesh& mesh);

}  // namespace weir
