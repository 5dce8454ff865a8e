// Forces on a body by integration over its surface: the flow samples pressure and shear at the points, one of each element.
#pragma once
#include <span>
#include <vector>

#include "mesh/body/body.hpp"

namespace weir {

struct SurfacePoint {
  Vec3 point;   // the element's centre, on the exact shape where there is one
  Vec3 normal;  // unit, into the fluid
  double area;  // 2D: length
  int element;
};

// The surface as it is now, in the order of its elements. Allocates only where `points` is too small.
void surface_points(const Body& body, std::vector<SurfacePoint>& points);

// Of a 2D body for a depth of 1.
struct SurfaceForce {
  Vec3 pressure{};   // integral of -p n dA
  Vec3 shear{};      // integral of tau dA, tau the traction of the viscous stress (what the fluid exerts)
  Vec3 moment{};     // of both, about `about`
  double power = 0;  // that the fluid does on the moving wall
  Vec3 total() const { return pressure + shear; }
};

// A sum in the order of the elements: the same on any number of threads.
SurfaceForce integrate(const Body& body, std::span<const SurfacePoint> points, std::span<const double> pressure,
                       std::span<const Vec3> shear, const Vec3& about);

}  // namespace weir
