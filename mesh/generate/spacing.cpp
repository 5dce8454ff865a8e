#include "mesh/generate/spacing.hpp"

#include <cmath>

namespace weir {
namespace {

template <class F>
double root(double low, double high, F&& f) {
  for (int i = 0; i < 200 && high - low > 1e-15 * (std::abs(low) + std::abs(high)); ++i) {
    const double middle = 0.5 * (low + high);
    (f(middle) < 0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// The return value d solves sinh(d) / d = B for B > 1; for B < 1 it is negative and sin(|d|) / |d| = B.
double stretching_factor(double B) {
  if (std::abs(B - 1) < 1e-6) return 0;  // uniform to the rounding error of the formulas
  if (B > 1) return root(1e-9, 700.0, [&](double d) { return std::sinh(d) / d - B; });
  return -root(1e-9, 3.141592653589793, [&](double d) { return B - std::sin(d) / d; });
}

double odd_tangent(double d, double x) { return d > 0 ? std::tanh(d * x) : std::tan(-d * x); }

// Relative spacing `first` at 0 (1 / n is uniform), the other end free.
double one_sided(double d, double xi) {
  if (d == 0) return xi;
  return 1 + odd_tangent(d, 0.5 * (xi - 1)) / odd_tangent(d, 0.5);
}

}  // namespace

std::vector<double> geometric_spacing(int n, double first, double growth) {
  std::vector<double> x(static_cast<std::size_t>(n) + 1, 0.0);
  double h = first;
  for (std::size_t i = 1; i < x.size(); ++i, h *= growth) x[i] = x[i - 1] + h;
  return x;
}

double growth_to_fill(int n, double first, double length) {
  const auto filled = [&](double growth) {
    double sum = 0, h = first;
    for (int i = 0; i < n; ++i, h *= growth) sum += h;
    return sum;
  };
  return root(0.0, 1e3, [&](double g) { return filled(g) - length; });
}

std::vector<double> two_sided_spacing(int n, double length, double first, double last) {
  std::vector<double> s(static_cast<std::size_t>(n) + 1);
  const double a = first * n / length, b = last * n / length;  // relative to uniform cells
  const bool both = a > 0 && b > 0;
  const double A = both ? std::sqrt(b / a) : 1, B = both ? 1 / std::sqrt(a * b) : 0;
  const double d = both ? stretching_factor(B) : a > 0 || b > 0 ? stretching_factor(1 / (a > 0 ? a : b)) : 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double xi = static_cast<double>(i) / n;
    if (both) {
      const double u = d == 0 ? xi : 0.5 * (1 + odd_tangent(d, xi - 0.5) / odd_tangent(d, 0.5));
      s[i] = length * u / (A + (1 - A) * u);
    } else {
      s[i] = length * (a > 0 ? one_sided(d, xi) : 1 - one_sided(d, 1 - xi));
    }
  }
  s.front() = 0;
  s.back() = length;
  return s;
}

}  // namespace weir
