// Reads a two-dimensional mesh: SU2 (.su2), or Gmsh (.msh) 2.2 or 4.1 as text, recognised by content: triangles,
// quadrilaterals and marked boundary edges. build_mesh matches the edges of the cells to faces and checks the mesh.
//
// Markers: MARKER_TAG in SU2. In Gmsh the name of the physical group, or its number if unnamed; an edge without a
// group belongs to the marker "curve_N" of its curve N (and is ignored between two cells).
//
// Faults are refused with exit code 2 and "file:line: message"; a file that cannot be opened gives exit code 6.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/table.hpp"
#include "mesh/unstructured/build_mesh.hpp"

namespace weir {

MeshDescription read_description(const std::string& path);
MeshDescription parse_description(std::string_view text, const std::string& name);  // name: for messages
MeshDescription parse_su2(std::string_view text, const std::string& name);
MeshDescription parse_gmsh(std::string_view text, const std::string& name);

// A mesh in SU2's format; parse_su2 restores it, including all bits of its nodes. Meshes with periodic faces are
// refused, because the format does not support them.
std::string su2_text(const UnstructuredMesh& mesh);

// Each patch and periodic marker requires a key in `boundary`, and each key a patch; otherwise an error with the line
// of the case file and the nearest name. mesh_name: the file or generator, for the message.
void require_conditions(const UnstructuredMesh& mesh, const std::string& mesh_name, const Table& boundary,
                        const std::vector<PeriodicPair>& periodic = {});

}  // namespace weir
