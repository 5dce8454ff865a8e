// Parts of build_mesh and renumber_cells: faces before they are sorted.
#pragma once
#include <array>
#include <vector>

#include "mesh/unstructured/build_mesh.hpp"

namespace weir {

// A face from node a to node b with the owner on the left. other: neighbour of an interior face; for a boundary face
// the edge of the description (match_faces) or the patch (set_faces).
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

// Faces of counter-clockwise cells; refuses the faults listed in build_mesh.hpp.
FaceSet match_faces(const MeshDescription& description, MeshRepairs& repairs);

// Joins the boundary faces of periodic markers and moves the nodes of each second marker onto those of the first
// (they may differ by 1e-4 of a face), so that both cells have identical faces.
void join_periodic(MeshDescription& description, FaceSet& faces);

// Sorts the faces and computes their geometry. The mesh has its nodes and cells.
void set_faces(UnstructuredMesh& mesh, FaceSet faces, const std::vector<std::string>& patches);

struct LooseEdge {
  int cell, a, b;
};

// Each throws an error.
[[noreturn]] void refuse_cell(const MeshDescription& d, int cell, const std::string& message);
[[noreturn]] void refuse_edge(const MeshDescription& d, int edge, const std::string& message);
[[noreturn]] void refuse_fold(const MeshDescription& d, int cell, int twin, int a, int b);
[[noreturn]] void refuse_loose(const MeshDescription& d, const std::vector<LooseEdge>& loose);
std::string point_text(const Point& x);
std::string face_text(const MeshDescription& d, int a, int b);
std::string line_text(const std::vector<int>& lines, int item);  // " (line 12)", or empty if unknown

}  // namespace weir
