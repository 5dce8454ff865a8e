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
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "solvers/device/space.hpp"
#include "solvers/matrix/stencil/separable_operator.hpp"
#include "solvers/preconditioner/fast_poisson/fast_poisson_modes.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

struct FastPoissonPlan;  // what is done in which direction: fast_poisson.hpp
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

  void apply(View<const double> r, View<double> z) const override;

  bool spreads_over(const Matrix<Space>& A) const override;
  Work apply_work() const override;
  std::string describe() const override;

 private:
  // A: separable(), shift and scale >= 0, not both 0; throws std::invalid_argument otherwise.
  SetupInfo do_setup(const Matrix<Space>& A) override;
  // Another shift or scale costs nothing; other directions are set up anew.
  SetupInfo do_update(const Matrix<Space>& A) override;

  class Transposes;  // over ranks

  FastPoissonOptions options_;
  std::array<SeparableDirection, 3> direction_;  // of the last setup
  std::unique_ptr<FastPoissonPlan> plan_;        // over ranks: of y and z for some of the modes of x
  std::unique_ptr<FastPoissonSweep<Space>> sweep_;
  std::unique_ptr<Transposes> transposes_;
  std::string text_;  // of the whole plan
};

// What fast_poisson does in which direction, and the interface behind which a space does it.
struct FastPoissonPlan {
  std::array<SeparableDirection, 3> direction;  // as arranged()
  Extents extents;
  std::array<Modes, 3> modes;  // of the tridiagonal direction: empty
  int tridiagonal = -1;        // 1, 2, or -1: none
  double shift = 0, scale = 1;
  bool singular = false;

  bool transforms(int d) const { return d != tridiagonal && modes[d].n > 1; }
  double norm() const;  // product of those of the modes
  // Of one solution. Main memory is passed once for the transforms along x and y together, once for those along z, each way,
  // and once for the solve between them, reading and writing a value each time; the eigenvectors are read once, each
  // way. A line of n values takes 2.5 n log2 n operations by a fast transform, 2 n^2 by eigenvectors (half of them where
  // they are symmetric), 16 n as a tridiagonal system; a value 4 where all directions are transformed.
  Work work() const;
  std::string describe() const;
};

// Direction d of A; x and y change places where x is a line alone, so that it is solved as one tridiagonal system.
const SeparableDirection& arranged(const SeparableOperator& A, int d);

// Throws std::invalid_argument where shift or scale is below 0, or both are 0.
void check_signs(const SeparableOperator& A);

// The choice, by estimated cost. may_use_fast: else eigenvectors only. least_lines: a tridiagonal direction must leave
// so many lines to solve side by side.
FastPoissonPlan make_fast_poisson_plan(const SeparableOperator& A, const FastPoissonOptions& options, bool may_use_fast,
                                       std::int64_t least_lines);

template <class Space>
class FastPoissonSweep {
 public:
  virtual ~FastPoissonSweep() = default;
  virtual void solve(const FastPoissonPlan& plan, View<const double> r, View<double> z) const = 0;
  // Along x alone, without Modes::norm; `from` and `to` are two arrays.
  virtual void transform_x(const FastPoissonPlan& plan, bool inverse, const double* from, double* to) const = 0;
  virtual std::int64_t bytes() const = 0;
};
template <class Space>
std::unique_ptr<FastPoissonSweep<Space>> make_fast_poisson_sweep(const FastPoissonPlan& plan);

}  // namespace weir
