#include "miniapps/compressible/flow_equations.hpp"

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "solvers/device/vector_ops.hpp"
#include "solvers/parallel/halo.hpp"

namespace weir {

template <class Space>
void FlowEquations<Space>::start_time_step(double dt, View<const double> now, View<double> older, bool is_first) {
  if (known_.size() == 0) known_ = Array<double, Space>(now.size());
  const double *V = space_.volume().data(), *U = now.data();
  double *S = known_.data(), *before = older.data();
  time_factor_ = (is_first ? 1 : 1.5) / dt;
  const double of_now = (is_first ? -1 : -2) / dt, of_older = is_first ? 0 : 0.5 / dt;
  for_each<Space>(now.size(), [=] WEIR_HD(int i) {
    S[i] = V[i / 4] * (of_now * U[i] + (of_older == 0 ? 0.0 : of_older * before[i]));
    before[i] = U[i];
  });
}

template <class Space>
void FlowEquations<Space>::residual(View<const double> U, View<double> R) {
  space_.residual(U, R);
  if (time_factor_ == 0) return;
  const double *V = space_.volume().data(), *S = known_.data(), *u = U.data(), a = time_factor_;
  double* r = R.data();
  for_each<Space>(U.size(), [=] WEIR_HD(int i) { r[i] += a * V[i / 4] * u[i] + S[i]; });
}

template <class Space>
void FlowEquations<Space>::derivative(View<const double> x, View<double> y) {
  space_.derivative(x, y);
  if (time_factor_ == 0) return;
  const double *V = space_.volume().data(), *dU = x.data(), a = time_factor_;
  double* r = y.data();
  for_each<Space>(x.size(), [=] WEIR_HD(int i) { r[i] += a * V[i / 4] * dU[i]; });
}

// To the diagonal entries of block row i: a V_i + scale_i / cfl.
template <class Space, class T>
void add_shift(int rows, const std::int64_t* diagonal, double a, const double* V, const double* scale, double cfl,
               T* value) {
  for_each<Space>(rows, [=] WEIR_HD(int i) {
    T* block = value + 16 * diagonal[i];
    const double shift = scale[i] / cfl + a * V[i];
    for (int e = 0; e < 4; ++e) block[5 * e] = static_cast<T>(block[5 * e] + shift);
  });
}
template <class Space>
void FlowEquations<Space>::matrix(View<const double> U, View<const double> scale, double cfl, double time_factor,
                                  BlockSparse<Space>& J) {
  space_.jacobian(U, J);
  const auto shift = [&](auto* value) {
    add_shift<Space>(cells_, J.diagonal().data(), time_factor, space_.volume().data(), scale.data(), cfl, value);
  };
  if (auto* rounded = dynamic_cast<RoundedCsr<Space>*>(&J))
    shift(rounded->values().data());
  else
    shift(dynamic_cast<BlockCsr<Space>&>(J).values().data());
}

template <class Space>
MatrixFreeJacobian<Space>::MatrixFreeJacobian(FlowEquations<Space>& equations, bool by_dual_numbers)
    : equations_(equations),
      by_dual_numbers_(by_dual_numbers),
      unknowns_(std::llround(sum_over_ranks(equations.space(), 4.0 * equations.cells()))) {}

template <class Space>
void MatrixFreeJacobian<Space>::lend(View<double> moved, View<double> moved_R) {
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
    const double *v = x.data(), *s = scale_.data(), cfl = cfl_;
    double* out = y.data();
    return for_each<Space>(n, [=] WEIR_HD(int i) { out[i] += s[i / 4] / cfl * v[i]; });
  }
  const double size = std::sqrt(sum_over_ranks(equations_.space(), dot<Space>(x, x)) / static_cast<double>(unknowns_));
  const double *v = x.data(), *U = U_.data(), *b = minus_R_.data(), *s = scale_.data(), cfl = cfl_;
  double* out = y.data();
  if (!(size > 0)) {
    for_each<Space>(n, [=] WEIR_HD(int i) { out[i] = v[i]; });  // 0, or what is not finite
    return;
  }
  const double eps = std::sqrt(std::numeric_limits<double>::epsilon()) * (1 + size_of_U_) / size;
  double *moved = moved_.data(), *R = moved_R_.data();
  for_each<Space>(n, [=] WEIR_HD(int i) { moved[i] = U[i] + eps * v[i]; });
  equations_.residual(moved_, moved_R_);
  for_each<Space>(n, [=] WEIR_HD(int i) { out[i] = s[i / 4] / cfl * v[i] + (R[i] + b[i]) / eps; });
}

template <class Space>
void MatrixFreeJacobian<Space>::residual(View<const double> b, View<const double> x, View<double> r) const {
  const double *rhs = b.data(), *v = x.data();
  double* out = r.data();
  const int n = static_cast<int>(b.size());
  if (max_over_ranks(equations_.space(), max_abs<Space>(n, [=] WEIR_HD(int i) { return v[i]; })) ==
      0) {  // the guess of every step: a product saved
    for_each<Space>(n, [=] WEIR_HD(int i) { out[i] = rhs[i]; });
    return;
  }
  apply(x, r);
  for_each<Space>(n, [=] WEIR_HD(int i) { out[i] = rhs[i] - out[i]; });
}

template <class Space>
void MatrixFreeJacobian<Space>::block_diagonal(View<double>) const {
  throw Error(Exit::internal, "the matrix-free Jacobian has no diagonal blocks");
}

template <class Space>
HaloCost MatrixFreeJacobian<Space>::halo_cost() const {
  const Traffic& states = equations_.space().halo().traffic();
  return {states.seconds, states.bytes};
}

template <class Space>
Work MatrixFreeJacobian<Space>::apply_work() const {
  constexpr std::int64_t residual_flops = 700;  // of a cell, about
  return {static_cast<std::int64_t>(size_t(this->size()) * 5 * sizeof(double)), residual_flops * rows()};
}

template class FlowEquations<Host>;
template class FlowEquations<Device>;
template class MatrixFreeJacobian<Host>;
template class MatrixFreeJacobian<Device>;

}  // namespace weir
