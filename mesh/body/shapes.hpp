// Generated surfaces, each in its own frame, with elements of about `spacing`.
#pragma once
#include "mesh/body/ellipsoid.hpp"
#include "mesh/body/surface.hpp"

namespace weir {

Surface make_ellipse(const Vec3& radius, double spacing);    // 2D; a circle if both radii are equal
Surface make_ellipsoid(const Vec3& radius, double spacing);  // a subdivided icosahedron: 20 * 4^n triangles
// NACA 4-digit section with closed trailing edge, chord along x; the origin is `origin` chords behind the nose. 2D.
Surface make_aerofoil(const std::string& digits, double chord, double origin, double spacing);
Surface make_rectangle(const Vec3& lengths, double spacing);  // 2D, around the origin
Surface make_box(const Vec3& lengths, double spacing);

// The exact shape for the constructor of Body.
Ellipsoid exact_ellipse(const Vec3& radius);
Ellipsoid exact_ellipsoid(const Vec3& radius);

}  // namespace weir
