// Direct solution of a separable operator (Lynch, Rice & Thomas 1964)
//   A = shift MMM + scale (K M M + M K M + M M K)
// by fast diagonalisation. With K q = lambda M q in each direction, Q^T M Q = 1, Q = Qz (x) Qy (x) Qx:
//   A^-1 = Q diag(1 / (shift + scale (lambda_x + lambda_y + lambda_z))) Q^T .
// Q is a cosine, sine or Fourier transform in uniform directions and a dense matrix in stretched ones (of half the work
// where the line equals its mirror image). One direction that is not periodic keeps its tridiagonal matrices instead,
//   (shift + scale (lambda_x + lambda_y)) Mz + scale Kz ,
// which are cheaper to solve than any transform.
//
// A singular operator (Neumann or periodic all round, shift = 0): its generalised inverse. The result has zero mean
// over the volume, and a part of r along M 1, to which there is no solution, is ignored. Symmetric in every case.
//
// Setup costs of the order of n^3 in each stretched direction, nothing much in uniform ones. A result does not depend
// on the number of threads. Memory: the eigenvectors, and a few lines a thread (Host) or one work array (Device).
#pragma once
#include <memory>
#include <string>

#include "solvers/matrix/stencil/separable_operator.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

struct FastPoissonPlan;  // what is done in which direction: fast_poisson_plan.hpp
template <class Space>
class FastPoissonSweep;  // and how, in a space

struct FastPoissonOptions {
  std::string transforms = "auto";   // "auto" | "fast": wherever there is one | "matrix": eigenvectors only
  std::string tridiagonal = "auto";  // "auto" | "none" | "y" | "z"
};

template <class Space>
class FastPoisson final : public Preconditioner<Space> {
 public:
  explicit FastPoisson(FastPoissonOptions options = {});
  ~FastPoisson() override;

  // A must be separable() with shift, scale >= 0, not both 0; throws std::invalid_argument otherwise.
  SetupInfo setup(const Matrix<Space>& A) override;
  // Another shift or scale costs nothing; other directions are set up anew.
  SetupInfo update(const Matrix<Space>& A) override;
  void apply(View<const double> r, View<double> z) const override;

  SetupInfo setup(const SeparableOperator& A);
  SetupInfo update(const SeparableOperator& A);

  bool spreads_over(const Matrix<Space>& A) const override;
  Work apply_work() const override;
  std::string describe() const override;

 private:
  FastPoissonOptions options_;
  std::unique_ptr<FastPoissonPlan> plan_;
  std::unique_ptr<FastPoissonSweep<Space>> sweep_;
  std::unique_ptr<Preconditioner<Space>> spread_;  // instead, over ranks: DistributedFastPoisson
};

}  // namespace weir
