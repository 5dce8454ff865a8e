// Building blocks of build_mesh and renumber_cells: faces before they are sorted into a mesh.
#pragma once
#include <array>
#include <vector>

#include "mesh/unstructured/build_mesh.hpp"

namespace weir {

// From node a to node b with the owner on the left. other: the neighbour of an interior face; of a boundary face the
// edge of the description it came from (match_faces), or its patch (set_faces).
struct Face {
  int owner, other, a, b;
};

struct PeriodicFace : Face {
  Point shift;
};

struct FaceSet {
  std::vector<Face> interior, boundary;
  std::vector<PeriodicFace> periodic;
};

// The faces of counter-clockwise cells; every fault that the build_mesh comment names is refused.
FaceSet match_faces(const MeshDescription& description, MeshRepairs& repairs);

// Joins the boundary faces of periodic markers, and moves the nodes of each second marker onto those of the first
// (they may differ by 1e-4 of a face), so that both cells see one and the same face.
void join_periodic(MeshDescription& description, FaceSet& faces);

// Sorts the faces as the mesh wants them and computes their geometry. The mesh has its nodes and cells.
void set_faces(UnstructuredMesh& mesh, FaceSet faces, const std::vector<std::string>& patches);

// An edge of a cell that met neither twin nor marker.
struct LooseEdge {
  int cell, a, b;
};

// Messages: each throws.
[[noreturn]] void refuse_cell(const MeshDescription& d, int cell, const std::string& message);
[[noreturn]] void refuse_edge(const MeshDescription& d, int edge, const std::string& message);
[[noreturn]] void refuse_fold(const MeshDescription& d, int cell, int twin, int a, int b);
[[noreturn]] void refuse_loose(const MeshDescription& d, const std::vector<LooseEdge>& loose);
std::string point_text(const Point& x);
std::string face_text(const MeshDescription& d, int a, int b);
std::string line_text(const std::vector<int>& lines, int item);  // " (line 12)", or nothing where no line is known

}  // namespace weir
