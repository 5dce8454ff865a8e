// Pseudonormals of the faces, edges and corners of a surface, which give the side of every point from its closest
// point: sums of the two face normals at edges, weighted by the angle at corners (Baerentzen & Aanaes 2005, IEEE TVCG
// 11:243).
#pragma once
#include <vector>

#include "base/buckets.hpp"
#include "mesh/body/surface.hpp"

namespace weir {

struct Pseudonormals {
  std::vector<Vec3> face, edge;  // face: unit length, into the fluid

  void update(const Surface& s, const SurfaceEdges& edges);  // allocates in the first call only

  // Pseudonormal of corner n, computed on demand, because few corners are closest points.
  Vec3 node(const Surface& s, int n) const;

 private:
  struct Corner {
    int element, k;
  };
  Buckets<Corner> corners_;  // per node, by ascending element
};

}  // namespace weir
