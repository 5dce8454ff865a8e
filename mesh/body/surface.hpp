// Surface of a body: closed triangulated shells in 3D; in 2D closed polylines in (x, y) of a body that extends over
// z. Normals point into the fluid: triangles are counter-clockwise seen from the fluid, and the fluid is on the right
// of a segment.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "mesh/body/vec3.hpp"

namespace weir {

struct Surface {
  int dimension = 3;
  std::vector<Vec3> node;
  std::vector<std::array<int, 3>> element;  // 2D: the first two only
  std::vector<int> patch;                   // per element, index into patch_name
  std::vector<std::string> patch_name = {"wall"};
  bool is_cavity = false;  // the fluid is inside

  int nodes() const { return static_cast<int>(node.size()); }
  int elements() const { return static_cast<int>(element.size()); }
  int corners() const { return dimension; }  // per element
};

// Normal times area (2D: length) of element e.
Vec3 area_vector(const Surface& s, int e);
Vec3 centre(const Surface& s, int e);

double area(const Surface& s);
// Enclosed volume (2D: area), positive if normals point out of it (negative for a cavity).
double volume(const Surface& s);
Vec3 centroid(const Surface& s);  // centroid of the enclosed volume
Box3 bounding_box(std::span<const Vec3> node);
void include(Box3& box, const Vec3& x);

// Flux of a velocity that is linear on each element. For the velocity of the nodes it is exactly d/dt of volume(s),
// because dV/dx_n of a polyhedron is a third of the sum of the area vectors around node n.
double flux(const Surface& s, std::span<const Vec3> velocity);

void reverse(Surface& s);  // reverses the orientation of all elements

// Renumbers the elements of a triangulation in Morton order, so that neighbours in number are close in space.
void sort_elements(Surface& s);

// Edges of a triangulation: edge k of an element joins its corners k and k + 1. Independent of motion.
struct SurfaceEdges {
  int count = 0;
  std::vector<std::array<int, 3>> of_element;
};
SurfaceEdges find_edges(const Surface& s);

}  // namespace weir
