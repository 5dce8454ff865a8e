// Reads a two-dimensional mesh: SU2 (.su2), or Gmsh (.msh) 2.2 or 4.1 written as text. The content decides which.
// Triangles, quadrilaterals and marked boundary edges are read; whatever else a mesh needs, build_mesh makes or checks.
//
// Markers: MARKER_TAG in SU2. In Gmsh the name of the physical group, or its number where it has no name; an edge of no
// group belongs to the marker "curve_N" of its curve N (and is ignored where it lies between two cells).
//
// Faults are refused with exit code 2 and "file:line: what is wrong"; a file that cannot be opened gives exit code 6.
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

// A mesh in SU2's format, so that a generated mesh can be brought elsewhere; parse_su2 gives the same mesh back, to the last
// bit of its nodes. Periodic faces have no place in the format: such a mesh is refused.
std::string su2_text(const UnstructuredMesh& mesh);

// Each patch (and each periodic marker) needs a key in `boundary`, and each key a patch; otherwise an error with the
// line of the case file and the nearest name. mesh_name: the file or generator, for the message.
void require_conditions(const UnstructuredMesh& mesh, const std::string& mesh_name, const Table& boundary,
                        const std::vector<PeriodicPair>& periodic = {});

}  // namespace weir
