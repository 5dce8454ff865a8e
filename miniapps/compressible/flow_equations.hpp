// The equations that a step solves for the state at the new level:
//   R*(U) = R(U) = 0                                                          steady
//   R*(U) = R(U) + V (3 U - 4 U^n + U^{n-1}) / (2 dt) = 0                    BDF2; the first step is backward Euler (5)
// and their Jacobians: the assembled one of the first-order scheme, and products with that of the full scheme.
#pragma once
#include <type_traits>

#include "miniapps/compressible/body_force.hpp"
#include "miniapps/compressible/discretisation/discretisation.hpp"
#include "solvers/device/array.hpp"

namespace weir {

// f(4), f(5) or f(6) with a compile-time constant, which affects loop shapes and so the last bits of sums.
template <class F>
auto with_equations(int n, const F& f) {
  if (n == 6) return f(std::integral_constant<int, 6>{});
  return n == 4 ? f(std::integral_constant<int, 4>{}) : f(std::integral_constant<int, 5>{});
}

template <class Space>
class FlowEquations {
 public:
  // force: null for none; must outlive this.
  FlowEquations(Discretisation<Space>& space, int cells, const BodyForce<Space>* force = nullptr)
      : space_(space), cells_(cells), force_(force && force->is_on() ? force : nullptr) {}

  int cells() const { return cells_; }
  int equations() const { return space_.equations(); }  // per cell
  Discretisation<Space>& space() { return space_; }

  // Adds the time derivative to R*. older: U^{n-1} on entry (not read in the first step), `now` on return.
  void start_time_step(double dt, View<const double> now, View<double> older, bool is_first);

  void residual(View<const double> U, View<double> R);  // R*(U)

  // y = dR*/dU x of the full scheme by dual numbers, at the state set by linearise().
  void linearise(View<const double> U) {
    space_.linearise(U);
    linearised_at_ = U;
  }
  void derivative(View<const double> x, View<double> y);

  // J = dR/dU of the first-order scheme + time_factor V I + scale / cfl I: the matrix of (1).
  void matrix(View<const double> U, View<const double> scale, double cfl, double time_factor, BlockSparse<Space>& J);
  double time_factor() const { return time_factor_; }  // coefficient of V I in dR*/dU

 private:
  Discretisation<Space>& space_;
  int cells_;
  const BodyForce<Space>* force_;
  View<const double> linearised_at_;
  double time_factor_ = 0;
  Array<double, Space> known_;  // the part of V dU/dt that does not depend on U
};

// Matrix-free A = scale / cfl I + dR*/dU: by dual numbers, or
//   dR*/dU v = (R*(U + eps v) - R*(U)) / eps
// (Knoll & Keyes, J. Comput. Phys. 193 (2004) 357, eqs. 10 and 11).
template <class Space>
class MatrixFreeJacobian : public Matrix<Space> {
 public:
  explicit MatrixFreeJacobian(FlowEquations<Space>& equations, bool by_dual_numbers = false);

  // minus_R = -R*(U). The views must stay valid and unchanged until the last product.
  void linearise(View<const double> U, View<const double> minus_R, View<const double> scale, double cfl);
  // Shared buffers of cells() blocks of values, free between products.
  void share_work(View<double> moved, View<double> moved_R);

  int rows() const override { return equations_.cells(); }
  int block() const override { return equations_.equations(); }
  void apply(View<const double> x, View<double> y) const override;
  void residual(View<const double> b, View<const double> x, View<double> r) const override;
  void block_diagonal(int first, View<double> d) const override;  // throws: not available
  bool is_symmetric() const override { return false; }
  Work apply_work() const override;
  const Communicator* ranks() const override { return equations_.space().ranks(); }
  std::int64_t unknowns() const override { return unknowns_; }
  HaloCost halo_cost() const override;

 private:
  FlowEquations<Space>& equations_;
  bool by_dual_numbers_;
  View<const double> U_, minus_R_, scale_;
  View<double> moved_, moved_R_;
  double cfl_ = 1, size_of_U_ = 1;
  std::int64_t unknowns_;
};

}  // namespace weir
