// Normals of the faces, edges and corners of a surface that tell the side of every point whose closest point is there: sums of
// the two faces' at edges, weighted by the angle at corners (Baerentzen & Aanaes 2005, IEEE TVCG 11:243).
#pragma once
#include <vector>

#include "base/buckets.hpp"
#include "mesh/body/surface.hpp"

namespace weir {

struct Pseudonormals {
  std::vector<Vec3> face, edge;  // of faces of unit length, into the fluid

  void update(const Surface& s, const SurfaceEdges& edges);  // allocates the first time alone

  // Of corner n of the surface as it is now: few are ever the closest point of anything, and angles are dear.
  Vec3 node(const Surface& s, int n) const;

 private:
  struct Corner {
    int element, k;
  };
  Buckets<Corner> corners_;  // of each node, by increasing element
};

}  // namespace weir
