// The device form: one thread a cell, i along the lanes, so loads of x, W, E, S, N, B, T are contiguous; the 1D arrays
// stay in cache. Moves two vectors (three for a residual). Sums by the fixed tree of reduce.hpp: repeats bit for bit.
#include "solvers/matrix/stencil/separable_stencil.hpp"

#include <limits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "solvers/matrix/device_products.hpp"

namespace weir {
namespace separable_products {

// Cell c - stride, or the wrapped one; at other ends c itself, whose coupling is zero.
WEIR_HD inline int low_neighbour(int c, int i, int stride, const StencilAxis& a) {
  return i > 0 ? c - stride : (a.periodic ? c + stride * (a.n - 1) : c);
}
WEIR_HD inline int high_neighbour(int c, int i, int stride, const StencilAxis& a) {
  return i + 1 < a.n ? c + stride : (a.periodic ? c - stride * (a.n - 1) : c);
}

WEIR_HD inline double diagonal_at(const StencilView& s, int i, int j, int k) {
  const double mx = s.X.mass[i], my = s.Y.mass[j], mz = s.Z.mass[k];
  return mx * (s.shift * my * mz + s.scale * (mz * s.Y.diagonal[j] + my * s.Z.diagonal[k])) +
         s.scale * my * mz * s.X.diagonal[i];
}

WEIR_HD inline double product_at(const StencilView& s, const double* x, int i, int j, int k) {
  const int nx = s.X.n, plane = nx * s.Y.n, c = k * plane + j * nx + i;
  const double mx = s.X.mass[i], my = s.Y.mass[j], mz = s.Z.mass[k];
  const double along_x = s.X.lower[i] * x[low_neighbour(c, i, 1, s.X)] + s.X.upper[i] * x[high_neighbour(c, i, 1, s.X)];
  const double along_y =
      s.Y.lower[j] * x[low_neighbour(c, j, nx, s.Y)] + s.Y.upper[j] * x[high_neighbour(c, j, nx, s.Y)];
  const double along_z =
      s.Z.lower[k] * x[low_neighbour(c, k, plane, s.Z)] + s.Z.upper[k] * x[high_neighbour(c, k, plane, s.Z)];
  return diagonal_at(s, i, j, k) * x[c] - s.scale * (my * mz * along_x + mx * (mz * along_y + my * along_z));
}

// (A x)_c of a linear index.
struct SeparableRow {
  StencilView s;
  const double* x;
  WEIR_HD double operator()(int c) const { return product_at(s, x, c % s.X.n, c / s.X.n % s.Y.n, c / s.X.n / s.Y.n); }
};

// Without a sum the three indices need no division.
Pair product(Device, const StencilView& s, Product p, const double* b, const double* x, double* y) {
  if (has_sums(p)) return device_product(p, s.extents().count(), SeparableRow{s, x}, b, x, y);
  for_each<Device>(s.extents(), [=] WEIR_HD(int i, int j, int k) {
    const int c = (k * s.Y.n + j) * s.X.n + i;
    const double Ax = product_at(s, x, i, j, k);
    y[c] = b ? b[c] - Ax : Ax;
  });
  return {};
}

WEIR_HD inline double inverse_volume(const StencilView& s, int i, int j, int k) {
  return s.X.inverse_mass[i] * s.Y.inverse_mass[j] * s.Z.inverse_mass[k];
}

Pair chebyshev_start(Device, const StencilView& s, double omega, const double* b, const double* x, double* y) {
  return sum2<Device>(s.extents().count(), [=] WEIR_HD(int c) {
    const int i = c % s.X.n, j = c / s.X.n % s.Y.n, k = c / s.X.n / s.Y.n;
    const double r = b[c] - product_at(s, x, i, j, k);
    y[c] = x[c] + omega * inverse_volume(s, i, j, k) * r;
    return Pair{r * r, b[c] * b[c]};
  });
}

void chebyshev_step(const StencilView& s, const ChebyshevSteps& steps, int p, const double* b, const double* x,
                    double* y) {
  const double alpha = steps.alpha[p], omega = steps.omega[p], *const wanted = steps.wanted;
  const int number = steps.first + p;
  for_each<Device>(s.extents(), [=] WEIR_HD(int i, int j, int k) {
    if (wanted && number > *wanted) return;
    const int c = (k * s.Y.n + j) * s.X.n + i;
    const double r = b[c] - product_at(s, x, i, j, k);
    y[c] = x[c] + alpha * (x[c] - y[c]) + omega * inverse_volume(s, i, j, k) * r;
  });
}

double chebyshev_steps(Device, const StencilView& s, const ChebyshevSteps& steps, const double* b, double* x,
                       double* y) {
  for (int p = 0; p < steps.count; ++p) {
    chebyshev_step(s, steps, p, b, x, y);
    std::swap(x, y);
  }
  if (!steps.residual) return 0;
  const SeparableRow row{s, x};
  return sum<Device>(s.extents().count(), [=] WEIR_HD(int c) {
    const double r = b[c] - row(c);
    return r * r;
  });
}

template <class Space>
void diagonal(const StencilView& s, View<double> d) {
  for_each<Space>(s.extents(),
                  [=] WEIR_HD(int i, int j, int k) { d[(k * s.Y.n + j) * s.X.n + i] = diagonal_at(s, i, j, k); });
}

}  // namespace separable_products

namespace {

std::vector<double> pack(const SeparableOperator& op) {
  std::vector<double> packed;
  for (const auto& d : op.direction) {
    packed.insert(packed.end(), d.mass.begin(), d.mass.end());
    packed.insert(packed.end(), d.lower.begin(), d.lower.end());
    packed.insert(packed.end(), d.upper.begin(), d.upper.end());
    for (std::size_t i = 0; i < d.mass.size(); ++i) packed.push_back(d.lower[i] + d.upper[i] + d.boundary[i]);
    for (const double mass : d.mass) packed.push_back(1 / mass);
  }
  return packed;
}

Extents checked_extents(const SeparableOperator& op) {
  const Extents e = op.extents();
  if (std::int64_t{e.nx} * e.ny > std::numeric_limits<int>::max() / std::max(1, e.nz))
    throw Error(Exit::usage, "a matrix of more than 2^31 - 1 rows is not supported");
  return e;
}

}  // namespace

template <class Space>
SeparableStencil<Space>::SeparableStencil(SeparableOperator op)
    : operator_(std::move(op)), extents_(checked_extents(operator_)), coefficients_(pack(operator_)) {}

template <class Space>
void SeparableStencil<Space>::set_coefficients(double shift, double scale) {
  operator_.shift = shift;
  operator_.scale = scale;
}

template <class Space>
StencilView SeparableStencil<Space>::view() const {
  StencilView v;
  const double* at = coefficients_.data();
  StencilAxis* axis[] = {&v.X, &v.Y, &v.Z};
  for (std::size_t d = 0; d < 3; ++d) {
    const int n = operator_.direction[d].size();
    *axis[d] = {at, at + n, at + 2 * n, at + 3 * n, at + 4 * n, n, operator_.direction[d].periodic};
    at += 5 * n;
  }
  v.shift = operator_.shift;
  v.scale = operator_.scale;
  return v;
}

template <class Space>
void SeparableStencil<Space>::block_diagonal(View<double> d) const {
  separable_products::diagonal<Space>(view(), d);
}
template <class Space>
Work SeparableStencil<Space>::apply_work() const {
  const std::int64_t n = extents_.count();
  return {16 * n, 17 * n};
}

template class SeparableStencil<Host>;
template class SeparableStencil<Device>;

}  // namespace weir
