#include "mesh/body/ellipsoid.hpp"

#include <algorithm>

namespace weir {
namespace {

// In the ellipsoid's frame, y >= 0: the closest point is x_i = r_i^2 y_i / (t + r_i^2), where t is the largest root
// of F(t) = sum (r_i y_i / (t + r_i^2))^2 - 1, which is decreasing and convex for t > -r_min^2.
Vec3 closest(const Vec3& r, const Vec3& y, std::size_t dimension) {
  std::size_t least = 0;
  for (std::size_t i = 1; i < dimension; ++i)
    if (r[i] < r[least]) least = i;
  const double pole = -r[least] * r[least];
  double t = pole;
  for (std::size_t i = 0; i < dimension; ++i) t = std::max(t, r[i] * (y[i] - r[i]));
  Vec3 x{};
  const auto place = [&](bool with_pole) {
    for (std::size_t i = 0; i < dimension; ++i)
      if (with_pole || r[i] != r[least]) x[i] = r[i] * r[i] * y[i] / (t + r[i] * r[i]);
  };
  if (t == pole) {  // y = 0 along the shortest axes: the foot may be off the plane of symmetry
    place(false);
    double rest = 1;
    for (std::size_t i = 0; i < dimension; ++i) rest -= (x[i] / r[i]) * (x[i] / r[i]);
    if (rest >= 0) {
      x[least] = r[least] * std::sqrt(rest);
      return x;
    }
    t = pole * (1 - 1e-15);
  }
  // Newton from the left, where F >= 0: by convexity the iterates increase towards the root.
  for (int iteration = 0; iteration < 200; ++iteration) {
    double f = -1, slope = 0;
    for (std::size_t i = 0; i < dimension; ++i) {
      const double q = t + r[i] * r[i], u = r[i] * y[i] / q;
      f += u * u;
      slope -= 2 * u * u / q;
    }
    const double next = t - f / slope;
    if (!(f > 0) || !(next > t)) break;
    t = next;
  }
  place(true);
  return x;
}

}  // namespace

double Ellipsoid::distance_bound(const Vec3& x) const {
  const Vec3 y = turned_back(rotation, x - position);
  double q = 0, least = radius[0];
  for (std::size_t i = 0; i < static_cast<std::size_t>(dimension); ++i) {
    q += (y[i] / radius[i]) * (y[i] / radius[i]);
    least = std::min(least, radius[i]);
  }
  return std::abs(std::sqrt(q) - 1) * least;  // |y / r| changes by at most |dy| / least
}

Ellipsoid::Projection Ellipsoid::project(const Vec3& x) const {
  const auto n = static_cast<std::size_t>(dimension);
  Vec3 y = turned_back(rotation, x - position), sign{1, 1, 1};
  const double along_z = y[2];
  if (n == 2) y[2] = 0;
  for (std::size_t i = 0; i < 3; ++i)
    if (y[i] < 0) sign[i] = -1, y[i] = -y[i];
  const bool is_round = radius[0] == radius[1] && (n == 2 || radius[1] == radius[2]);
  Vec3 foot, normal{};
  if (is_round) {
    const double l = length(y);
    normal = l > 0 ? (1 / l) * y : Vec3{1, 0, 0};
    foot = radius[0] * normal;
  } else {
    foot = closest(radius, y, n);
    for (std::size_t i = 0; i < n; ++i) normal[i] = foot[i] / (radius[i] * radius[i]);
    normal = (1 / length(normal)) * normal;
  }
  const double distance = dot(y - foot, normal);
  for (std::size_t i = 0; i < 3; ++i) foot[i] *= sign[i], normal[i] *= sign[i];
  if (n == 2) foot[2] = along_z;
  return {distance, position + turned(rotation, foot), turned(rotation, normal)};
}

Box3 Ellipsoid::box() const {
  Vec3 half{};
  for (std::size_t d = 0; d < 3; ++d)
    for (std::size_t i = 0; i < static_cast<std::size_t>(dimension); ++i)
      half[d] += rotation[d][i] * rotation[d][i] * radius[i] * radius[i];
  for (double& h : half) h = std::sqrt(h);
  return {position - half, position + half};
}

}  // namespace weir
