// Points and vectors for the geometry of bodies.
#pragma once
#include <array>
#include <cmath>

namespace weir {

using Vec3 = std::array<double, 3>;

constexpr Vec3 operator+(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
constexpr Vec3 operator-(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
constexpr Vec3 operator*(double s, const Vec3& a) { return {s * a[0], s * a[1], s * a[2]}; }
constexpr Vec3& operator+=(Vec3& a, const Vec3& b) { return a = a + b; }

constexpr double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
constexpr Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Vec3& a) { return std::sqrt(dot(a, a)); }

struct Box3 {
  Vec3 low, high;
};

// Rows of a rotation matrix: turned(R, x) = R x, turned_back(R, x) = R^T x.
using Rotation = std::array<Vec3, 3>;
constexpr Rotation no_rotation = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Vec3 turned(const Rotation& r, const Vec3& x) { return {dot(r[0], x), dot(r[1], x), dot(r[2], x)}; }
constexpr Vec3 turned_back(const Rotation& r, const Vec3& x) { return x[0] * r[0] + x[1] * r[1] + x[2] * r[2]; }
Rotation rotation_about(const Vec3& axis, double angle);
Rotation operator*(const Rotation& a, const Rotation& b);

}  // namespace weir
