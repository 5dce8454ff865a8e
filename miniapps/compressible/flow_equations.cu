#include "miniapps/compressible/flow_equations.hpp"

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/parallel/halo.hpp"

namespace weir {

namespace {

// S = V (of_now U + of_older U^{n-1}), and U^{n-1} = U; n values per cell.
template <class Space, int n>
void keep_level(const double* V, View<const double> now, double of_now, double of_older, View<double> older,
                double* S) {
  const double* U = now.data();
  double* before = older.data();
  for_each<Space>(now.size(), [=] WEIR_HD(int i) {
    S[i] = V[i / n] * (of_now * U[i] + (of_older == 0 ? 0.0 : of_older * before[i]));
    before[i] = U[i];
  });
}

template <class Space, int n>
void add_level(const double* V, double a, View<const double> U, const double* S, View<double> R) {
  const double* u = U.data();
  double* r = R.data();
  for_each<Space>(U.size(), [=] WEIR_HD(int i) { r[i] += a * V[i / n] * u[i] + S[i]; });
}

// y += a V x, and y += scale / cfl x; V and scale are per cell.
template <class Space, int n>
void add_time_derivative(const double* V, double a, View<const double> x, View<double> y) {
  const double* v = x.data();
  double* out = y.data();
  for_each<Space>(x.size(), [=] WEIR_HD(int i) { out[i] += a * V[i / n] * v[i]; });
}
template <class Space, int n>
void add_pseudo_time(const double* scale, double cfl, View<const double> x, View<double> y) {
  const double* v = x.data();
  double* out = y.data();
  for_each<Space>(x.size(), [=] WEIR_HD(int i) { out[i] += scale[i / n] / cfl * v[i]; });
}

// Added to the diagonal entries of block row i: a V_i + scale_i / cfl.
struct Shift {
  double a, cfl;
  const double *V, *scale;
};
template <class Space, int n, class T>
void add_shift(int rows, const std::int64_t* diagonal, const Shift& s, T* value) {
  const double a = s.a, cfl = s.cfl, *V = s.V, *scale = s.scale;
  for_each<Space>(rows, [=] WEIR_HD(int i) {
    T* block = value + n * n * diagonal[i];
    const double shift = scale[i] / cfl + a * V[i];
    for (int e = 0; e < n; ++e) block[(n + 1) * e] = static_cast<T>(block[(n + 1) * e] + shift);
  });
}

// y = scale / cfl v + (R + b) / eps.
struct Quotient {
  const double *scale, *v, *R, *b;
  double cfl, eps;
};
template <class Space, int n>
void difference_quotient(const Quotient& q, View<double> y) {
  const double *s = q.scale, *v = q.v, *R = q.R, *b = q.b, cfl = q.cfl, eps = q.eps;
  double* out = y.data();
  for_each<Space>(y.size(), [=] WEIR_HD(int i) { out[i] = s[i / n] / cfl * v[i] + (R[i] + b[i]) / eps; });
}

}  // namespace

template <class Space>
void FlowEquations<Space>::start_time_step(double dt, View<const double> now, View<double> older, bool is_first) {
  if (known_.size() == 0) known_ = Array<double, Space>(now.size());
  time_factor_ = (is_first ? 1 : 1.5) / dt;
  const double of_now = (is_first ? -1 : -2) / dt, of_older = is_first ? 0 : 0.5 / dt, *V = space_.volume().data();
  with_equations(equations(),
                 [&](auto n) { keep_level<Space, n.value>(V, now, of_now, of_older, older, known_.data()); });
}

template <class Space>
void FlowEquations<Space>::residual(View<const double> U, View<double> R) {
  space_.residual(U, R);
  if (force_) force_->add_to_residual(U, R);
  if (time_factor_ == 0) return;
  const double *V = space_.volume().data(), *S = known_.data();
  with_equations(equations(), [&](auto n) { add_level<Space, n.value>(V, time_factor_, U, S, R); });
}

template <class Space>
void FlowEquations<Space>::derivative(View<const double> x, View<double> y) {
  space_.derivative(x, y);
  if (force_) force_->add_to_product(linearised_at_, x, y);
  if (time_factor_ == 0) return;
  const double *V = space_.volume().data(), a = time_factor_;
  with_equations(equations(), [&](auto n) { add_time_derivative<Space, n.value>(V, a, x, y); });
}

template <class Space>
void FlowEquations<Space>::matrix(View<const double> U, View<const double> scale, double cfl, double time_factor,
                                  BlockSparse<Space>& J) {
  space_.jacobian(U, J);
  const auto shift = [&](auto* value) {
    const Shift s{time_factor, cfl, space_.volume().data(), scale.data()};
    with_equations(equations(), [&](auto n) { add_shift<Space, n.value>(cells_, J.diagonal().data(), s, value); });
  };
  with_kind(J, [&](auto& kind) {
    using Kind = std::remove_reference_t<decltype(kind)>;
    shift(kind.values().data());
    if constexpr (Kind::is_rounded) {
      if (force_) force_->add_to_blocks(U, J.diagonal().data(), Kind::by_columns, kind.values().data());
    } else if (force_) {
      force_->add_to_blocks(U, J.diagonal().data(), false, kind.values().data());
    }
  });
}

template <class Space>
MatrixFreeJacobian<Space>::MatrixFreeJacobian(FlowEquations<Space>& equations, bool by_dual_numbers)
    : equations_(equations),
      by_dual_numbers_(by_dual_numbers),
      unknowns_(std::llround(sum_over_ranks(equations.space(), 1.0 * equations.equations() * equations.cells()))) {}

template <class Space>
void MatrixFreeJacobian<Space>::share_work(View<double> moved, View<double> moved_R) {
  moved_ = moved;
  moved_R_ = moved_R;
}

template <class Space>
void MatrixFreeJacobian<Space>::linearise(View<const double> U, View<const double> minus_R, View<const double> scale,
                                          double cfl) {
  U_ = U;
  minus_R_ = minus_R;
  scale_ = scale;
  cfl_ = cfl;
  if (by_dual_numbers_) return equations_.linearise(U);
  size_of_U_ = std::sqrt(sum_over_ranks(equations_.space(), dot<Space>(U, U)) / static_cast<double>(unknowns_));
}

template <class Space>
void MatrixFreeJacobian<Space>::apply(View<const double> x, View<double> y) const {
  const int n = static_cast<int>(x.size());
  if (by_dual_numbers_) {
    equations_.derivative(x, y);
    return with_equations(block(), [&](auto m) { add_pseudo_time<Space, m.value>(scale_.data(), cfl_, x, y); });
  }
  const double size = std::sqrt(sum_over_ranks(equations_.space(), dot<Space>(x, x)) / static_cast<double>(unknowns_));
  const double *v = x.data(), *U = U_.data(), *b = minus_R_.data(), *s = scale_.data(), cfl = cfl_;
  double* out = y.data();
  if (!(size > 0)) {
    for_each<Space>(n, [=] WEIR_HD(int i) { out[i] = v[i]; });  // 0, or not finite
    return;
  }
  const double eps = std::sqrt(std::numeric_limits<double>::epsilon()) * (1 + size_of_U_) / size;
  double *moved = moved_.data(), *R = moved_R_.data();
  for_each<Space>(n, [=] WEIR_HD(int i) { moved[i] = U[i] + eps * v[i]; });
  equations_.residual(moved_, moved_R_);
  const Quotient q{s, v, R, b, cfl, eps};
  with_equations(block(), [&](auto values) { difference_quotient<Space, values.value>(q, y); });
}

template <class Space>
void MatrixFreeJacobian<Space>::residual(View<const double> b, View<const double> x, View<double> r) const {
  const double *rhs = b.data(), *v = x.data();
  double* out = r.data();
  const int n = static_cast<int>(b.size());
  if (max_over_ranks(equations_.space(), max_abs<Space>(n, [=] WEIR_HD(int i) { return v[i]; })) ==
      0) {  // the guess of every step: saves a product
    for_each<Space>(n, [=] WEIR_HD(int i) { out[i] = rhs[i]; });
    return;
  }
  apply(x, r);
  for_each<Space>(n, [=] WEIR_HD(int i) { out[i] = rhs[i] - out[i]; });
}

template <class Space>
void MatrixFreeJacobian<Space>::block_diagonal(int, View<double>) const {
  throw Error(Exit::internal, "the matrix-free Jacobian has no diagonal blocks");
}

template <class Space>
HaloCost MatrixFreeJacobian<Space>::halo_cost() const {
  const Traffic& states = equations_.space().halo().traffic();
  return {states.seconds, states.bytes};
}

template <class Space>
Work MatrixFreeJacobian<Space>::apply_work() const {
  constexpr std::int64_t residual_flops = 700;  // per cell, approximately
  return {static_cast<std::int64_t>(size_t(this->size()) * 5 * sizeof(double)), residual_flops * rows()};
}

template class FlowEquations<Host>;
template class FlowEquations<Device>;
template class MatrixFreeJacobian<Host>;
template class MatrixFreeJacobian<Device>;

}  // namespace weir
