// Layers of quadrilaterals around a closed body, by marching along the normals.
//
//   A sharp corner gets a fan of columns that turn from the one side's normal to the other's; at the corner itself the
//   first layer's cells are triangles. Where the cells are no longer thin, neighbouring columns even out their widths,
//   so that the front is left smooth for the triangles outside.
#pragma once
#include <array>
#include <vector>

#include "mesh/generate/predicates.hpp"
#include "mesh/unstructured/description.hpp"

namespace weir {

struct LayerOptions {
  std::vector<double> height;  // of the fronts above the wall: 0, first height, ...
  double fan_angle = 0.35;     // radians a column of a fan, about
  bool halve = false;          // each quadrilateral into two triangles
};

// wall: the body's nodes, clockwise (the fluid on the left), already in `mesh` from node `first` on. Adds nodes and
// cells; returns the nodes of the outermost front, in the same sense.
std::vector<int> add_layers(MeshDescription& mesh, int first, int wall_nodes, const LayerOptions& options);

}  // namespace weir
