// The device form: one thread a cell, i along the lanes. Moves two vectors (three for a residual).
#include "solvers/matrix/stencil/constant_stencil.hpp"

#include <limits>
#include <vector>

#include "base/error.hpp"
#include "solvers/device/for_each.hpp"
#include "solvers/device/reduce.hpp"

namespace weir {
namespace constant_kernels {

// The neighbour of cell c on one side of direction d (index i of n), as {cell, factor}: a ghost is the cell itself,
// folded.
WEIR_HD inline double low(const ConstantView& s, const View<const double>& x, int c, int i, int n, int stride, int d) {
  if (i > 0) return x[c - stride];
  return s.periodic[d] ? x[c + stride * (n - 1)] : s.fold[d][0] * x[c];
}
WEIR_HD inline double high(const ConstantView& s, const View<const double>& x, int c, int i, int n, int stride, int d) {
  if (i + 1 < n) return x[c + stride];
  return s.periodic[d] ? x[c - stride * (n - 1)] : s.fold[d][1] * x[c];
}

WEIR_HD inline double product_at(const ConstantView& s, const View<const double>& x, int i, int j, int k) {
  const int nx = s.extents.nx, ny = s.extents.ny, nz = s.extents.nz, c = (k * ny + j) * nx + i;
  return s.c0 * x[c] - s.c[0] * (low(s, x, c, i, nx, 1, 0) + high(s, x, c, i, nx, 1, 0)) -
         s.c[1] * (low(s, x, c, j, ny, nx, 1) + high(s, x, c, j, ny, nx, 1)) -
         s.c[2] * (low(s, x, c, k, nz, nx * ny, 2) + high(s, x, c, k, nz, nx * ny, 2));
}
WEIR_HD inline double product_at(const ConstantView& s, const View<const double>& x, int c) {
  const int nx = s.extents.nx, ny = s.extents.ny;
  return product_at(s, x, c % nx, c / nx % ny, c / nx / ny);
}

// c0 and what the ends of the three directions add to it.
WEIR_HD inline double end_term(const ConstantView& s, int i, int n, int d) {
  double t = 0;
  if (i == 0) t += s.c[d] * (s.periodic[d] ? (n == 1 ? 1 : 0) : s.fold[d][0]);
  if (i == n - 1) t += s.c[d] * (s.periodic[d] ? (n == 1 ? 1 : 0) : s.fold[d][1]);
  return t;
}

template <class Space>
void diagonal(const ConstantView& s, View<double> diag) {
  for_each<Space>(s.extents, [=] WEIR_HD(int i, int j, int k) {
    const Extents e = s.extents;
    diag[(k * e.ny + j) * e.nx + i] =
        s.c0 - end_term(s, i, e.nx, 0) - end_term(s, j, e.ny, 1) - end_term(s, k, e.nz, 2);
  });
}

void apply(const ConstantView& s, View<const double> x, View<double> y) {
  for_each<Device>(s.extents, [=] WEIR_HD(int i, int j, int k) {
    y[(k * s.extents.ny + j) * s.extents.nx + i] = product_at(s, x, i, j, k);
  });
}
double apply_dot(const ConstantView& s, View<const double> x, View<double> y) {
  return sum<Device>(s.extents.count(), [=] WEIR_HD(int c) {
    const double Ax = product_at(s, x, c);
    y[c] = Ax;
    return x[c] * Ax;
  });
}
void residual(const ConstantView& s, View<const double> b, View<const double> x, View<double> r) {
  for_each<Device>(s.extents, [=] WEIR_HD(int i, int j, int k) {
    const int c = (k * s.extents.ny + j) * s.extents.nx + i;
    r[c] = b[c] - product_at(s, x, i, j, k);
  });
}
double residual_dot(const ConstantView& s, View<const double> b, View<const double> x, View<double> r) {
  return sum<Device>(s.extents.count(), [=] WEIR_HD(int c) {
    const double rc = b[c] - product_at(s, x, c);
    r[c] = rc;
    return rc * rc;
  });
}

double cg_direction(const ConstantView& s, double alpha, double beta, View<const double> z, View<double> p,
                    View<double> x) {
  for_each<Device>(s.extents.count(), [=] WEIR_HD(int c) {
    const double old = p[c];
    x[c] += alpha * old;
    p[c] = z[c] + beta * old;
  });
  const View<const double> q = p;
  return sum<Device>(s.extents.count(), [=] WEIR_HD(int c) { return q[c] * product_at(s, q, c); });
}
double cg_residual(const ConstantView& s, double alpha, View<const double> p, View<double> r) {
  return sum<Device>(s.extents.count(), [=] WEIR_HD(int c) {
    const double rc = r[c] - alpha * product_at(s, p, c);
    r[c] = rc;
    return rc * rc;
  });
}

}  // namespace constant_kernels

namespace {

SeparableOperator separable_of(const ConstantStencilOptions& o) {
  const int n[3] = {o.extents.nx, o.extents.ny, o.extents.nz};
  SeparableOperator op;
  double rows = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    if (n[d] < 1 || !(o.spacing[d] > 0)) throw Error(Exit::usage, "a stencil needs cells and positive spacings");
    rows *= n[d];
    std::vector<double> faces;
    for (int i = 0; i <= n[d]; ++i) faces.push_back(i * o.spacing[d]);
    op.direction[d] = cell_centred_direction(faces, o.ends[d][0], o.ends[d][1]);
  }
  if (rows > std::numeric_limits<int>::max())
    throw Error(Exit::usage, "a matrix of more than 2^31 - 1 rows is not supported");
  op.shift = o.shift;
  op.scale = o.scale;
  return op;
}

}  // namespace

template <class Space>
ConstantStencil<Space>::ConstantStencil(const ConstantStencilOptions& o)
    : spacing_(o.spacing), operator_(separable_of(o)) {
  view_.extents = o.extents;
  for (std::size_t d = 0; d < 3; ++d) {
    view_.periodic[d] = o.ends[d][0] == EndCondition::periodic;
    for (std::size_t side = 0; side < 2; ++side)
      view_.fold[d][side] = o.ends[d][side] == EndCondition::dirichlet ? -1 : 1;
  }
  set_coefficients(o.shift, o.scale);
}

template <class Space>
void ConstantStencil<Space>::set_coefficients(double shift, double scale) {
  operator_.shift = shift;
  operator_.scale = scale;
  const double V = spacing_[0] * spacing_[1] * spacing_[2];
  view_.c0 = shift * V;
  for (std::size_t d = 0; d < 3; ++d) {
    view_.c[d] = scale * V / (spacing_[d] * spacing_[d]);
    view_.c0 += 2 * view_.c[d];
  }
}

template <class Space>
void ConstantStencil<Space>::apply(View<const double> x, View<double> y) const {
  if constexpr (std::is_same_v<Space, Host>)
    constant_host::apply(view_, x.data(), y.data());
  else
    constant_kernels::apply(view_, x, y);
}
template <class Space>
double ConstantStencil<Space>::apply_dot(View<const double> x, View<double> y) const {
  if constexpr (std::is_same_v<Space, Host>)
    return constant_host::apply_dot(view_, x.data(), y.data());
  else
    return constant_kernels::apply_dot(view_, x, y);
}
template <class Space>
void ConstantStencil<Space>::residual(View<const double> b, View<const double> x, View<double> r) const {
  if constexpr (std::is_same_v<Space, Host>)
    constant_host::residual(view_, b.data(), x.data(), r.data());
  else
    constant_kernels::residual(view_, b, x, r);
}
template <class Space>
double ConstantStencil<Space>::residual_dot(View<const double> b, View<const double> x, View<double> r) const {
  if constexpr (std::is_same_v<Space, Host>)
    return constant_host::residual_dot(view_, b.data(), x.data(), r.data());
  else
    return constant_kernels::residual_dot(view_, b, x, r);
}
template <class Space>
double ConstantStencil<Space>::cg_direction(double alpha, double beta, View<const double> z, View<double> p,
                                            View<double> x, View<double>) const {
  if constexpr (std::is_same_v<Space, Host>)
    return constant_host::cg_direction(view_, alpha, beta, z.data(), p.data(), x.data());
  else
    return constant_kernels::cg_direction(view_, alpha, beta, z, p, x);
}
template <class Space>
double ConstantStencil<Space>::cg_residual(double alpha, View<const double> p, View<const double>,
                                           View<double> r) const {
  if constexpr (std::is_same_v<Space, Host>)
    return constant_host::cg_residual(view_, alpha, p.data(), r.data());
  else
    return constant_kernels::cg_residual(view_, alpha, p, r);
}
template <class Space>
void ConstantStencil<Space>::block_diagonal(View<double> d) const {
  constant_kernels::diagonal<Space>(view_, d);
}
template <class Space>
Work ConstantStencil<Space>::apply_work() const {
  const std::int64_t n = view_.extents.count();
  return {16 * n, 10 * n};
}

template class ConstantStencil<Host>;
template class ConstantStencil<Device>;

}  // namespace weir
