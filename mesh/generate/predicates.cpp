#include "mesh/generate/predicates.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace weir {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon() / 2;  // as defined by Shewchuk

// An exact sum of non-overlapping doubles, ascending, without zeros.
using Expansion = std::vector<double>;

// e + b (Shewchuk's Grow-Expansion with zero elimination).
void grow(Expansion& e, double b) {
  std::size_t n = 0;
  for (const double a : e) {
    const double sum = b + a, virtual_a = sum - b, tail = (b - (sum - virtual_a)) + (a - virtual_a);
    if (tail != 0) e[n++] = tail;
    b = sum;
  }
  e.resize(n);
  if (b != 0) e.push_back(b);
}

Expansion difference(double a, double b) {
  Expansion e{a};
  grow(e, -b);
  return e;
}

Expansion operator+(Expansion a, const Expansion& b) {
  for (const double x : b) grow(a, x);
  return a;
}

Expansion operator-(Expansion a, const Expansion& b) {
  for (const double x : b) grow(a, -x);
  return a;
}

Expansion operator*(const Expansion& a, const Expansion& b) {
  Expansion product;
  for (const double x : a)
    for (const double y : b) {
      const double high = x * y;
      grow(product, std::fma(x, y, -high));  // the exact rounding error of high
      grow(product, high);
    }
  return product;
}

double sign_of(const Expansion& e) { return e.empty() ? 0 : e.back(); }

double exact_orientation(const Point& a, const Point& b, const Point& c) {
  const Expansion ax = difference(a[0], c[0]), ay = difference(a[1], c[1]);
  const Expansion bx = difference(b[0], c[0]), by = difference(b[1], c[1]);
  return sign_of(ax * by - ay * bx);
}

double exact_in_circle(const Point& a, const Point& b, const Point& c, const Point& d) {
  const Expansion ax = difference(a[0], d[0]), ay = difference(a[1], d[1]);
  const Expansion bx = difference(b[0], d[0]), by = difference(b[1], d[1]);
  const Expansion cx = difference(c[0], d[0]), cy = difference(c[1], d[1]);
  return sign_of((ax * ax + ay * ay) * (bx * cy - by * cx) + (bx * bx + by * by) * (cx * ay - cy * ax) +
                 (cx * cx + cy * cy) * (ax * by - ay * bx));
}

}  // namespace

double orientation(const Point& a, const Point& b, const Point& c) {
  const double left = (a[0] - c[0]) * (b[1] - c[1]), right = (a[1] - c[1]) * (b[0] - c[0]);
  const double det = left - right, bound = (3 + 16 * eps) * eps * (std::abs(left) + std::abs(right));
  return std::abs(det) > bound ? det : exact_orientation(a, b, c);
}

double in_circle(const Point& a, const Point& b, const Point& c, const Point& d) {
  const double ax = a[0] - d[0], ay = a[1] - d[1], bx = b[0] - d[0], by = b[1] - d[1], cx = c[0] - d[0],
               cy = c[1] - d[1];
  const double a2 = ax * ax + ay * ay, b2 = bx * bx + by * by, c2 = cx * cx + cy * cy;
  const double det = a2 * (bx * cy - by * cx) + b2 * (cx * ay - cy * ax) + c2 * (ax * by - ay * bx);
  const double permanent = a2 * (std::abs(bx * cy) + std::abs(by * cx)) + b2 * (std::abs(cx * ay) + std::abs(cy * ax)) +
                           c2 * (std::abs(ax * by) + std::abs(ay * bx));
  return std::abs(det) > (10 + 96 * eps) * eps * permanent ? det : exact_in_circle(a, b, c, d);
}

}  // namespace weir
