// [mesh] generator = { type = "box" | "cylinder" | "naca0012" | "naca" | "bump" | "wedge", ... }:
// docs/howto/use_your_own_mesh.md.
#pragma once
#include "base/table.hpp"
#include "mesh/unstructured/description.hpp"

namespace weir {

MeshDescription read_generator(const Table& options);

}  // namespace weir
