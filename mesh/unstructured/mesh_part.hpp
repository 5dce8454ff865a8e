// The part of a mesh on one rank: its own cells and two layers of ghosts,
//   near   neighbours of own cells: their gradients and limiters are needed
//   far    neighbours of near cells: their values are needed
// periodic faces included. Faces are those of own and near cells.
#pragma once
#include <vector>

#include "mesh/unstructured/unstructured.hpp"

namespace weir {

struct GhostCell {
  int part, index;  // part that owns it, its index there
};

struct MeshPart {
  // Own cells in the order of the whole mesh, then near, then far ones, each in that order. Nodes are not copied:
  // node, cell_node and face_node are empty. In each patch the faces of own cells come first.
  UnstructuredMesh mesh;
  int own = 0, near = 0;
  std::vector<int> cell;                         // local cell i is cell[i] of the whole mesh
  std::vector<GhostCell> ghost;                  // ghost[k]: owner of local cell own + k
  std::vector<int> own_in_patch;                 // per patch: number of faces of own cells
  std::vector<std::vector<int>> place_in_patch;  // their positions in the patch of the whole mesh
};

// part[i]: part of cell i of the whole mesh.
MeshPart part_of_mesh(const UnstructuredMesh& whole, const std::vector<int>& part, int mine);

}  // namespace weir
