// The 7-point matrix of shift - scale laplacian on a uniform box, rows multiplied by the cell volume V = hx hy hz.
// Nothing is stored. Unknowns at cell centres; with the ghost value of a Neumann end equal to the cell's own and that
// of a Dirichlet end to its opposite,
//   (A x)_ijk = c0 x - cx (x_W + x_E) - cy (x_S + x_N) - cz (x_B + x_T),   cx = scale V / hx^2, ...
//   c0 = shift V + 2 (cx + cy + cz).
// It is the SeparableStencil of the same box to round-off.
#pragma once
#include <array>

#include "solvers/matrix/matrix.hpp"
#include "solvers/matrix/stencil/separable_operator.hpp"

namespace weir {

struct ConstantStencilOptions {
  Extents extents;
  std::array<double, 3> spacing = {1, 1, 1};
  std::array<std::array<EndCondition, 2>, 3> ends{};  // [direction][low, high]; default: neumann
  double shift = 0, scale = 1;
};

// What kernels see. fold[d][side]: what the ghost beyond that end is, as a factor of the end cell's own value (+1
// Neumann, -1 Dirichlet), unless the direction is periodic.
struct ConstantView {
  Extents extents;
  double c0 = 0;
  double c[3] = {0, 0, 0};
  bool periodic[3] = {false, false, false};
  double fold[3][2] = {{1, 1}, {1, 1}, {1, 1}};
};

template <class Space>
class ConstantStencil : public Matrix<Space> {
 public:
  explicit ConstantStencil(const ConstantStencilOptions& options);  // Error(usage) for impossible sizes or spacings

  void set_coefficients(double shift, double scale);

  int rows() const override { return view_.extents.count(); }
  void apply(View<const double> x, View<double> y) const override;
  double apply_dot(View<const double> x, View<double> y) const override;
  void residual(View<const double> b, View<const double> x, View<double> r) const override;
  double residual_dot(View<const double> b, View<const double> x, View<double> r) const override;
  // Leave q alone: with nothing to read but vectors, multiplying twice is cheaper than writing q and reading it again. An
  // iteration of cg moves eight vectors: x, p (read and written) and z in the first, r (read and written) and p in the second.
  double cg_direction(double alpha, double beta, View<const double> z, View<double> p, View<double> x,
                      View<double> q) const override;
  double cg_residual(double alpha, View<const double> p, View<const double> q, View<double> r) const override;
  void block_diagonal(View<double> d) const override;
  bool is_symmetric() const override { return true; }
  bool has_constant_null_space() const override { return operator_.has_constant_null_space(); }
  Work apply_work() const override;
  const SeparableOperator* separable() const override { return &operator_; }

 private:
  std::array<double, 3> spacing_;
  SeparableOperator operator_;  // for those who ask for it; the products do not use it
  ConstantView view_;
};

// Row kernels on the host, as those of SeparableStencil.
namespace constant_host {
void apply(const ConstantView& s, const double* x, double* y);
double apply_dot(const ConstantView& s, const double* x, double* y);
void residual(const ConstantView& s, const double* b, const double* x, double* r);
double residual_dot(const ConstantView& s, const double* b, const double* x, double* r);
double cg_direction(const ConstantView& s, double alpha, double beta, const double* z, double* p, double* x);
double cg_residual(const ConstantView& s, double alpha, const double* p, double* r);
}  // namespace constant_host

}  // namespace weir
