// Fills a domain with triangles of required size: the frontal Delaunay method of Rebay (1993, J. Comput. Phys.
// 106:125). Triangles grow from the boundary inwards; each step adds a node that completes a good triangle on an edge
// of the front, and the Delaunay criterion repairs the rest. Then nodes move towards the centre of their neighbours
// if that improves the worst triangle around them.
#pragma once
#include <array>
#include <functional>
#include <vector>

#include "mesh/generate/predicates.hpp"
#include "mesh/generate/triangulation.hpp"

namespace weir {

// edges: boundary edges with the domain on the left, about as long as `size` there.
Triangulation fill_with_triangles(std::vector<Point> nodes, const std::vector<std::array<int, 2>>& edges,
                                  const std::function<double(const Point&)>& size);

// 1: equilateral; 0: flat; negative: inverted.
double triangle_quality(const Point& a, const Point& b, const Point& c);

}  // namespace weir
