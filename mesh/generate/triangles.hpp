// Fills a domain with triangles of a wanted size: the frontal Delaunay method of Rebay (1993, J. Comput. Phys. 106:125).
// Triangles of the right size grow from the boundary inwards; each step puts a node where it completes a good triangle on
// an edge of the front, and the Delaunay criterion mends the rest. Then nodes move to the middle of their neighbours
// where that makes the worst triangle around them better.
#pragma once
#include <array>
#include <functional>
#include <vector>

#include "mesh/generate/predicates.hpp"
#include "mesh/generate/triangulation.hpp"

namespace weir {

// edges: the boundary, directed with the domain on the left. They should be about as long as `size` says there.
Triangulation fill_with_triangles(std::vector<Point> nodes, const std::vector<std::array<int, 2>>& edges,
                                  const std::function<double(const Point&)>& size);

// 1: equilateral; 0: flat; negative: turned over.
double triangle_quality(const Point& a, const Point& b, const Point& c);

}  // namespace weir
