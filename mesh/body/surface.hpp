// The surface of a body: closed triangulated shells in 3D; in 2D closed polylines in (x, y), which stand for a body that
// reaches across z. Normals point out of the solid into the fluid: triangles turn counter-clockwise seen from the fluid, and
// along a segment the fluid is on the right.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "mesh/body/vec3.hpp"

namespace weir {

struct Surface {
  int dimension = 3;
  std::vector<Vec3> node;
  std::vector<std::array<int, 3>> element;  // 2D: the first two alone
  std::vector<int> patch;                   // of each element, an index into patch_name
  std::vector<std::string> patch_name = {"wall"};
  bool is_cavity = false;  // the fluid is inside: far outside is solid

  int nodes() const { return static_cast<int>(node.size()); }
  int elements() const { return static_cast<int>(element.size()); }
  int corners() const { return dimension; }  // of an element
};

// The normal times the area (2D: length) of element e.
Vec3 area_vector(const Surface& s, int e);
// The mean of the element's corners.
Vec3 centre(const Surface& s, int e);

double area(const Surface& s);
// What the surface encloses (2D: area), positive where the normals point out of it (negative for a cavity).
double volume(const Surface& s);
Vec3 centroid(const Surface& s);  // of the enclosed volume
Box3 bounding_box(std::span<const Vec3> node);
void include(Box3& box, const Vec3& x);

// The flux of a velocity that is linear on each element. Of that of the nodes: d/dt of volume(s), exactly, as dV/dx_n of a
// polyhedron is a third of the sum of the area vectors around node n.
double flux(const Surface& s, std::span<const Vec3> velocity);

void reverse(Surface& s);  // turns all elements over

// Renumbers the elements of a triangulation so that those with near numbers are near in space (Morton order).
void sort_elements(Surface& s);

// The edges of a triangulation: edge k of an element joins its corners k and k + 1. Motion leaves them as they are.
struct SurfaceEdges {
  int count = 0;
  std::vector<std::array<int, 3>> of_element;
};
SurfaceEdges find_edges(const Surface& s);

}  // namespace weir
