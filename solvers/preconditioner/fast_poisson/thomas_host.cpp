#include <numeric>

#include "solvers/preconditioner/fast_poisson/thomas.hpp"

namespace weir {
namespace {

constexpr int W = thomas_width;

double total_mass(const SeparableDirection& d) { return std::accumulate(d.mass.begin(), d.mass.end(), 0.0); }

}  // namespace

void thomas_host(const SeparableDirection& d, double scale, double norm, const ThomasBlock& b, double* scratch) {
  const int n = d.size(), w = b.count;
  alignas(64) double escape[W] = {}, surplus[W] = {};  // e / pivot of the row before; what has no solution, per mass
  if (b.first_is_singular) {
    double s = 0;
    for (int k = 0; k < n; ++k) s += b.in[k * b.step];
    surplus[0] = norm * s / total_mass(d);
  }
  // x_k = g_k + c_k x_{k+1}
  double *g = scratch, *c = scratch + std::ptrdiff_t{n} * W;
  for (int k = 0; k < n; ++k) {
    const auto s = static_cast<std::size_t>(k);
    const double m = d.mass[s], end = scale * d.boundary[s], before = scale * d.lower[s], u = scale * d.upper[s];
    const double *f = b.in + k * b.step, *g_before = k > 0 ? g - W : escape;
#pragma omp simd
    for (int l = 0; l < w; ++l) {
      const double e = b.sigma[l] * m + end + before * escape[l];
      const double pivot = e + u;
      const double inverse = pivot > 0 ? 1 / pivot : 0;
      g[l] = (norm * f[l] - surplus[l] * m + before * g_before[l]) * inverse;
      c[l] = u * inverse;
      escape[l] = e * inverse;
    }
    g += W;
    c += W;
  }
  alignas(64) double x[W] = {};
  for (int k = n - 1; k >= 0; --k) {
    g -= W;
    c -= W;
    double* out = b.out + k * b.step;
#pragma omp simd
    for (int l = 0; l < w; ++l) out[l] = x[l] = g[l] + c[l] * x[l];
  }
  if (b.first_is_singular) {  // zero mean over the line
    double mean = 0;
    for (int k = 0; k < n; ++k) mean += d.mass[static_cast<std::size_t>(k)] * b.out[k * b.step];
    mean /= total_mass(d);
    for (int k = 0; k < n; ++k) b.out[k * b.step] -= mean;
  }
}

}  // namespace weir
