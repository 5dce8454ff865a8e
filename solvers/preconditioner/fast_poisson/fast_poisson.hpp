// Direct solution of a separable operator (Lynch, Rice & Thomas 1964)
//  A = shift MMM + scale (K M M + M K M + M M K)
// by fast diagonalisation. With K q = lambda M q in each direction, Q^T M Q = 1, Q = Qz (x) Qy (x) Qx:
//  A^-1 = Q diag(1 / (shift + scale (lambda_x + lambda_y + lambda_z))) Q^T .
// Q is a cosine, sine or Fourier transform in uniform directions and a dense matrix in stretched ones (half the work if
// the line is symmetric). One non-periodic direction keeps its tridiagonal matrices instead,
//  (shift + scale (lambda_x + lambda_y)) Mz + scale Kz ,
// which are cheaper to solve than any transform.
//
// A singular operator (Neumann or periodic on all sides, shift = 0) gets its generalised inverse: the result has zero
// mean over the volume, and the part of r along M 1, which has no solution, is ignored. Symmetric in every case.
//
// Set-up costs O(n^3) in each stretched direction. Results do not depend on the number of threads. Memory: the
// eigenvectors, and a few lines per thread (host) or one work array (device).
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

struct FastPoissonPlan;  // treatment of each direction
template <class Space>
class FastPoissonSweep;  // execution in a space

struct FastPoissonOptions {
  std::string transforms = "auto";   // "auto" | "fast": wherever one exists | "matrix": eigenvectors only
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
  // Throws std::invalid_argument unless A is separable() with shift and scale >= 0, not both 0.
  SetupInfo do_setup(const Matrix<Space>& A) override;
  // A new shift or scale costs nothing; new directions need a set-up.
  SetupInfo do_update(const Matrix<Space>& A) override;

  class Transposes;  // over ranks

  FastPoissonOptions options_;
  std::array<SeparableDirection, 3> direction_;  // of the last setup
  std::unique_ptr<FastPoissonPlan> plan_;        // over ranks: y and z for some of the modes of x
  std::unique_ptr<FastPoissonSweep<Space>> sweep_;
  std::unique_ptr<Transposes> transposes_;
  std::string text_;  // description of the whole plan
};

// Treatment of each direction, and the interface for its execution in a space.
struct FastPoissonPlan {
  std::array<SeparableDirection, 3> direction;  // as arranged()
  Extents extents;
  std::array<Modes, 3> modes;  // empty for the tridiagonal direction
  int tridiagonal = -1;        // 1, 2, or -1: none
  double shift = 0, scale = 1;
  bool singular = false;

  bool transforms(int d) const { return d != tridiagonal && modes[d].n > 1; }
  double norm() const;  // product of Modes::norm
  // Work per solution. Values are read and written once for the transforms along x and y together, once for those along
  // z, each way, and once for the solve between them; eigenvectors are read once each way. Operations per line of n
  // values: 2.5 n log2 n by a fast transform, 2 n^2 by eigenvectors (half if symmetric), 16 n as a tridiagonal system;
  // 4 per value if all directions are transformed.
  Work work() const;
  std::string describe() const;
};

// Direction d of A; x and y are exchanged if x is the only line, so that it is solved as one tridiagonal system.
const SeparableDirection& arranged(const SeparableOperator& A, int d);

// Throws std::invalid_argument if shift or scale is negative, or both are 0.
void check_signs(const SeparableOperator& A);

// Choice by estimated cost. may_use_fast: else eigenvectors only. least_lines: lines that a tridiagonal direction must
// leave to solve in parallel.
FastPoissonPlan make_fast_poisson_plan(const SeparableOperator& A, const FastPoissonOptions& options, bool may_use_fast,
                                       std::int64_t least_lines);

// Rows of a grid that contain the cells of a list: rows low[k] .. high[k] - 1 of plane k; low = high: none.
struct RowRanges {
  std::vector<int> low, high;
};

template <class Space>
class FastPoissonSweep {
 public:
  virtual ~FastPoissonSweep() = default;
  virtual void solve(const FastPoissonPlan& plan, View<const double> r, View<double> z) const = 0;
  // Solution in the rows `near` for an r that is 0 in all other rows (Banegas 1978): z is undefined elsewhere, and if
  // the operator is singular it is determined up to a constant. keep_near first, for each plan.
  virtual void keep_near(const FastPoissonPlan& /*plan*/, const RowRanges& /*near*/) {}
  virtual void solve_near(const FastPoissonPlan& plan, View<const double> r, View<double> z) const {
    solve(plan, r, z);
  }
  // Transform along x only, without Modes::norm; `from` and `to` differ.
  virtual void transform_x(const FastPoissonPlan& plan, bool inverse, const double* from, double* to) const = 0;
  virtual std::int64_t bytes() const = 0;
};
template <class Space>
std::unique_ptr<FastPoissonSweep<Space>> make_fast_poisson_sweep(const FastPoissonPlan& plan);

}  // namespace weir
