#include "mesh/body/forces.hpp"

namespace weir {

void surface_points(const Body& body, std::vector<SurfacePoint>& points) {
  const Surface& s = body.surface();
  points.resize(s.element.size());
#pragma omp parallel for schedule(static)
  for (int e = 0; e < s.elements(); ++e) {
    const Vec3 a = area_vector(s, e);
    const double size = length(a);
    SurfacePoint& p = points[e];
    p = {centre(s, e), (1 / size) * a, size, e};
    if (!body.exact()) continue;
    const Ellipsoid::Projection on = body.exact()->project(p.point);
    p.point = on.point;
    p.normal = body.is_cavity() ? -1.0 * on.normal : on.normal;
  }
}

SurfaceForce integrate(const Body& body, std::span<const SurfacePoint> points, std::span<const double> pressure,
                       std::span<const Vec3> shear, const Vec3& about) {
  SurfaceForce f;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SurfacePoint& p = points[i];
    // The element's own area vector, whose sum over the closed surface is zero: a constant pressure exerts no force.
    const Vec3 by_pressure = (-pressure[i]) * area_vector(body.surface(), p.element), by_shear = p.area * shear[i];
    const Vec3 both = by_pressure + by_shear;
    f.pressure += by_pressure;
    f.shear += by_shear;
    f.moment += cross(p.point - about, both);
    f.power += dot(both, body.placement().velocity_at(p.point));
  }
  return f;
}

}  // namespace weir
