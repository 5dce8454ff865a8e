// Iterative methods for A x = b with a preconditioner. Convergence is measured by the unpreconditioned residual b - A
// x; the true residual is computed once at the end of every solve. The first solve of a size allocates.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/table.hpp"
#include "solvers/device/array.hpp"
#include "solvers/krylov/forcing_term.hpp"
#include "solvers/matrix/matrix.hpp"
#include "solvers/preconditioner/preconditioner.hpp"

namespace weir {

// How a solve ended.
enum class Reason { converged, max_iterations, breakdown, stagnated, not_finite, interrupted };
const char* to_string(Reason reason);

// Norm of the residual: root of the sum of squares, or largest absolute value.
enum class Norm { l2, max };

struct SolveResult {
  int iterations = 0;
  double residual0 = 0;      // |b - A x0|
  double residual = 0;       // last residual of the recurrence
  double true_residual = 0;  // |b - A x| computed at the end
  double target = -1;        // requested |b - A x|; negative: not reported by the method
  Reason reason = Reason::converged;
  double apply_seconds = 0, spmv_seconds = 0, reduce_seconds = 0, solve_seconds = 0;  // negative: not measured
  double halo_seconds = -1, transfer_bytes = -1;  // on this rank; negative: one rank
  double tolerance = -1;                          // tolerance used, and its reason; negative: not given
  ToleranceReason tolerance_reason = ToleranceReason::fixed;
  bool converged() const { return reason == Reason::converged; }
  // Adds the cost of a failed attempt of the same solve, and of the set-up between the two.
  void add_first_attempt(const SolveResult& first, double setup_seconds);
};

struct KrylovOptions {
  double tolerance = 1e-8;
  bool relative = true;           // false: |b - A x| <= tolerance
  std::string reference = "rhs";  // "rhs": |b|, or its compatible part for singular A; "initial": |b - A x0|
  Norm norm = Norm::l2;
  // converged means that |b - A x| is at most the target. Not strict: also within ten times the target if rounding
  // keeps the residual above it.
  bool strict = false;
  int max_iterations = 1000;
  int restart = 30;              // gmres, fgmres
  std::string basis = "double";  // gmres, fgmres: basis vectors as double or float
  bool history = false;          // record the residual of every iteration

  int l = 2;        // bicgstab_l: degree of its residual polynomials
  int s = 4;        // idrs: number of shadow vectors
  int recycle = 0;  // gmres, fgmres: dimension of the recycled space
  // refinement: method, tolerance and iteration limit of an inner solve, and storage of its matrix ("double" or
  // "float")
  std::string inner = "gmres", inner_matrix = "double";
  double inner_tolerance = 1e-4;
  int inner_iterations = 30;

  // forcing: if not null, the tolerance of each solve instead of `tolerance`; shared by all copies. If it is null,
  // LinearSolver makes a ForcingTerm from forcing_rule.
  ForcingRule forcing_rule = {};
  std::shared_ptr<const double> forcing = {};
  double tolerance_now() const { return forcing ? *forcing : tolerance; }

  // True: exact sums (exact_sum.hpp) on the host, so that results do not depend on the number of ranks. Shared by all
  // copies.
  std::shared_ptr<bool> exact_sums = {};
  bool has_exact_sums() const { return exact_sums && *exact_sums; }

  // Cancellation: polled once per iteration on all ranks; true ends the solve. Shared by all copies.
  std::shared_ptr<std::function<bool()>> should_stop = {};
};
// method: its own keys are read too; keys of other methods stay unread and are reported as unknown.
KrylovOptions read_krylov_options(const Table& options, const KrylovOptions& defaults = {},
                                  const std::string& method = "");
std::string describe(const std::string& method, const KrylovOptions& options);  // "gmres(30, recycles 4)"

template <class Space>
class Krylov {
 public:
  virtual ~Krylov() = default;
  // x: the initial guess on entry, the solution on return.
  virtual SolveResult solve(const Matrix<Space>& A, const Preconditioner<Space>& M, View<const double> b,
                            View<double> x) = 0;
  virtual const char* name() const = 0;
  // State carried from one solve to the next, for checkpoints.
  virtual bool remembers() const { return false; }
  virtual void state(Archive&) {}
  // Lets the method use the caller's work space, which several solvers may share if they never run at the same time. It
  // must outlive them. Few methods use it.
  virtual void share_work(View<double>) {}
  const std::vector<double>& history() const { return history_; }

 protected:
  std::vector<double> history_;
  Array<double, Space> kept_x_;  // used by Iteration
};

// Factory function of a method, for the registry.
template <template <class> class Method, class Space>
std::unique_ptr<Krylov<Space>> make_method(const KrylovOptions& options) {
  return std::make_unique<Method<Space>>(options);
}

// method: a name in the registry.
template <class Space>
std::unique_ptr<Krylov<Space>> make_krylov(const std::string& method, const KrylovOptions& options);

}  // namespace weir
