// What one rank of several keeps of a mesh: its own cells and two layers of ghosts around them,
//   near   across a face from an own cell: their gradients and limiters are wanted
//   far    across a face from a near one: their values are wanted
// periodic faces included. Faces are those that an own or a near cell has.
#pragma once
#include <vector>

#include "mesh/unstructured/unstructured.hpp"

namespace weir {

// Where a ghost is at home.
struct GhostCell {
  int part, index;  // the part that owns it, its number there
};

struct MeshPart {
  // Own cells in the order of the whole mesh, then the near ones, then the far ones, each in that order. Nodes stay
  // with the whole mesh: node, cell_node and face_node are empty. In each patch the faces of own cells come first.
  UnstructuredMesh mesh;
  int own = 0, near = 0;
  std::vector<int> cell;                         // of the whole mesh: local cell i is cell[i]
  std::vector<GhostCell> ghost;                  // of local cell own + k
  std::vector<int> own_in_patch;                 // of each patch: its faces of own cells ...
  std::vector<std::vector<int>> place_in_patch;  // ... and where these stand in the patch of the whole mesh
};

// part[i]: of cell i of the whole mesh.
MeshPart part_of_mesh(const UnstructuredMesh& whole, const std::vector<int>& part, int mine);

}  // namespace weir
