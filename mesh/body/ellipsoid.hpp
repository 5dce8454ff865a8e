// An exact ellipsoid (2D: ellipse) and its closest points, so that curved bodies are not limited by their
// triangulation: spheres and circles in closed form, others by robust root finding (Eberly 2013, Distance from a
// point to an ellipse, an ellipsoid, or a hyperellipsoid).
#pragma once
#include "mesh/body/vec3.hpp"

namespace weir {

struct Ellipsoid {
  int dimension = 3;
  Vec3 position{};
  Vec3 radius{1, 1, 1};  // semi-axes; 2D: the first two
  Rotation rotation = no_rotation;

  struct Projection {
    double distance;  // negative inside
    Vec3 point;       // closest point of the surface
    Vec3 normal;      // outward unit normal there
  };
  Projection project(const Vec3& x) const;

  // A cheap lower bound of the distance of x from the surface.
  double distance_bound(const Vec3& x) const;
  Box3 box() const;
};

}  // namespace weir
