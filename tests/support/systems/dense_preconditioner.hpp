// z = P r with a dense P given, which may be nonsymmetric, or change from one application to the next.
#pragma once
#include "solvers/preconditioner/preconditioner.hpp"
#include "tests/support/systems/dense_matrix.hpp"

namespace weir::test {

struct PreconditionerTraits {
  bool symmetric = true;
  bool constant = true;  // false: every other application is by 2 P
};

template <class Space>
class DensePreconditioner : public Preconditioner<Space> {
 public:
  DensePreconditioner(Dense P, PreconditionerTraits traits)
      : Preconditioner<Space>({.keeps_symmetry = traits.symmetric, .is_constant = traits.constant}), P_(std::move(P)) {}
  SetupInfo do_setup(const Matrix<Space>&) override { return {}; }
  void apply(View<const double> r, View<double> z) const override {
    Numbers Pr = P_ * load<Space>(r);
    const double factor = this->is_constant() || ++applications_ % 2 ? 1 : 2;
    for (auto& v : Pr) v *= factor;
    store<Space>(Pr, z);
  }
  std::string describe() const override { return "dense test preconditioner"; }

 private:
  Dense P_;
  mutable int applications_ = 0;
};

// The inverse of the lower triangle of A: one Gauss-Seidel sweep, not symmetric.
inline Dense gauss_seidel(const Dense& A) {
  Dense P(A.n);
  for (int c = 0; c < A.n; ++c)
    for (int i = c; i < A.n; ++i) {
      double s = i == c ? 1 : 0;
      for (int j = c; j < i; ++j) s -= A(i, j) * P(j, c);
      P(i, c) = s / A(i, i);
    }
  return P;
}

}  // namespace weir::test
